// What users of gateways have reported against others, tried on an operator in a real cluster: each bad object costs itself alone, what is
// good follows its edits, and after a restart all is as before. One Gateway is asked all the time. It needs a lab: see test/lab/lab.test.ts.
import { describeLeading } from "./cases/leading.ts";
import { describeLives } from "./cases/lives.ts";
import { describeMany } from "./cases/many.ts";
import { describeMoving } from "./cases/moving.ts";
import { describeObjects } from "./cases/objects.ts";
import { describeQuiet } from "./cases/quiet.ts";
import { describeRefused } from "./cases/refused.ts";
import { describeSecurity } from "./cases/security.ts";
import { type FaultLab, openFaultLab } from "./support/fault-lab.ts";

describe("what users reported against others, in a cluster", function () {
  this.timeout(600_000);
  if (process.env["GATEWRIGHT_LAB"] === "1") describeCases();
  else it("needs a cluster: GATEWRIGHT_LAB=1 starts one");
});

function describeCases(): void {
  let cases: FaultLab;
  before(async function () {
    this.timeout(30 * 60_000);
    cases = await openFaultLab("cases");
  });
  after(() => cases?.close());
  describe("lives", () => describeLives(() => cases));
  describe("leading", () => describeLeading(() => cases));
  describe("quiet", () => describeQuiet(() => cases));
  describe("many", () => describeMany(() => cases));
  describe("moving", () => describeMoving(() => cases));
  describe("objects", () => describeObjects(() => cases));
  describe("what Envoy refuses", () => describeRefused(() => cases));
  describe("security", () => describeSecurity(() => cases));
}
