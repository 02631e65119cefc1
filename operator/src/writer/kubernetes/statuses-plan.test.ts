import assert from "node:assert/strict";
import type { DesiredStatus } from "../../gatewayapi/index.ts";
import { effectOf, isNewer, type Observed, planStatus } from "./statuses-plan.ts";

const controllerName = "gatewright.dev/gateway-controller";
const now = "2026-01-01T00:00:00Z";
const condition = (observedGeneration: number, reason = "R") => ({
  type: "Accepted",
  status: "True",
  reason,
  message: "",
  observedGeneration,
});
const observed = (generation: number, conditionsOf?: number): Observed => ({
  resourceVersion: "1",
  uid: "u",
  generation,
  status:
    conditionsOf === undefined ? undefined : { conditions: [{ ...condition(conditionsOf), lastTransitionTime: now }] },
});
const desired = (generation: number, reason = "Other"): DesiredStatus => ({
  kind: "Gateway",
  key: "a/gw",
  generation,
  status: { conditions: [condition(generation, reason)] },
});
const plan = (wanted: DesiredStatus | undefined, seen: Observed, base = seen) =>
  planStatus(wanted, { seen, base, controllerName, now }).kind;

describe("what to do about a status", () => {
  it("is nothing where it was computed from an older object than the store has", () => {
    assert.equal(plan(desired(1), observed(2, 1)), "outdated");
    assert.equal(plan(desired(2), observed(2, 1)), "write");
  });

  it("is nothing where what stands speaks of a newer object, unless of one that cannot be", () => {
    assert.equal(plan(desired(2), observed(2, 1), observed(3, 3)), "outdated");
    assert.equal(plan(desired(1), observed(1, 7)), "write");
  });

  it("is to write upon a newer object that nobody has spoken of: generations go forward", () => {
    assert.equal(plan(desired(2), observed(2, 1), observed(3, 1)), "write");
    assert.equal(plan(desired(2), observed(2), observed(9)), "write");
  });

  it("is nothing where it stands, or where nobody wants anything", () => {
    assert.equal(plan(desired(2, "R"), observed(2, 2)), "stands");
    assert.equal(plan(undefined, observed(2, 2)), "stands");
    assert.equal(plan(undefined, observed(2)), "stands");
  });
});

describe("isNewer()", () => {
  it("compares numbers of any length, and takes anything else for newer where it differs", () => {
    assert.deepEqual(
      [
        isNewer("10", "9"),
        isNewer("9", "10"),
        isNewer("10", "10"),
        isNewer("99999999999999999999", "99999999999999999998"),
      ],
      [true, false, false, true],
    );
    assert.deepEqual(
      [isNewer("a", "b"), isNewer("b", "a"), isNewer("a", "a"), isNewer("", "5")],
      [true, true, false, true],
    );
  });
});

describe("effectOf()", () => {
  it("is the same for patches that differ in times alone", () => {
    const of = (lastTransitionTime: string, reason = "R") => effectOf({ conditions: [{ reason, lastTransitionTime }] });
    assert.equal(of("2026-01-01T00:00:00Z"), of("2027-01-01T00:00:00Z"));
    assert.notEqual(of("2026-01-01T00:00:00Z"), of("2026-01-01T00:00:00Z", "S"));
  });
});
