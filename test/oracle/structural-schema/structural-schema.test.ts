import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { schemas } from "@gatewright/crd-types/schemas";
import { applyDefaults, unknownFields, validate } from "@gatewright/crd-types/schema";
import fc from "fast-check";
import { type Case, schemaOf } from "./corpus.ts";
import { validValues } from "./values.ts";
import { ourVerdict, theirVerdict, type Verdict } from "./verdict.ts";

const recorded: readonly (Case & Verdict)[] = JSON.parse(
  readFileSync(path.join(import.meta.dirname, "verdicts.json"), "utf8"),
);

describe("structural schemas, compared with the API server's own code", () => {
  it("come to the verdicts that record.ts has written down", () => {
    assert.ok(recorded.length > 200, `${recorded.length} verdicts`);
    for (const one of recorded)
      assert.deepEqual(ourVerdict(schemaOf(one), one.value), theirVerdict(one), JSON.stringify(one));
  });
});

describe("structural schemas of our kinds", () => {
  for (const [kind, schema] of Object.entries(schemas)) {
    it(`take whatever is made by the schema of ${kind}, and find nothing to add to what has its defaults`, () => {
      fc.assert(
        fc.property(validValues(schema), (value) => {
          const before = JSON.stringify(value);
          const complete = applyDefaults(schema, value);
          assert.deepEqual(validate(schema, complete), []);
          assert.deepEqual(unknownFields(schema, value), []);
          assert.equal(applyDefaults(schema, complete), complete);
          assert.equal(JSON.stringify(value), before);
        }),
        { numRuns: 20 },
      );
    });
  }
});
