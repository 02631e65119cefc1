// Objects in (`gatewayapi/*.in.yaml`, and beside them a document of `kind: Case`), IR and statuses out (`gatewayapi/*.out.yaml`).
import { checkGolden, checkOrphans, goldenCases } from "../support/golden.ts";
import { openCase } from "../support/translation-case.ts";
import { dumpTranslation } from "../support/translation-dump.ts";

describe("golden: gatewayapi", () => {
  for (const { name, documents } of goldenCases("gatewayapi"))
    it(name, () => checkGolden("gatewayapi", name, dumpTranslation(openCase(documents))));

  it("has no outputs left over", () => checkOrphans("gatewayapi"));
});
