import assert from "node:assert/strict";
import fc from "fast-check";
import { applyJsonPatch } from "../../kubernetes/testing/index.ts";
import { itemPatch } from "./statuses-items.ts";
import type { Observed } from "./statuses-plan.ts";

const observed = (status: object | undefined): Observed => ({
  resourceVersion: "1",
  uid: "u",
  generation: 1,
  status: status as Observed["status"],
});
const applied = (object: object, before: object | undefined, after: object) =>
  applyJsonPatch({ metadata: { uid: "u" }, ...object }, itemPatch(observed(before), after as never))?.["status"];
const item = (name: string, value = 0) => ({ parentRef: { name }, controllerName: "c", value });

describe("itemPatch()", () => {
  it("makes one status of another, whatever they are", () => {
    const name = fc.constantFrom("a", "b", "c", "d", "e");
    const list = fc.uniqueArray(fc.record({ name, value: fc.nat({ max: 2 }) }, { noNullPrototype: true }), {
      selector: (each) => each.name,
    });
    const status = fc.record(
      { parents: list, conditions: list, addresses: fc.array(fc.nat()), foo: fc.nat() },
      { requiredKeys: [], noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.option(status, { nil: undefined }), status, (before, after) => {
        assert.deepEqual(applied(before === undefined ? {} : { status: before }, before, after), after);
      }),
      { numRuns: 500 },
    );
  });

  it("leaves alone what it does not change, and is not kept up by it", () => {
    const before = { parents: [item("theirs"), item("ours"), item("old")], foo: 1 };
    const after = { parents: [item("theirs"), item("ours", 1), item("new")], foo: 1 };
    const now = { parents: [item("theirs", 9), item("ours"), item("old"), item("late")], foo: 2 };
    assert.deepEqual(applied({ status: now }, before, after), {
      parents: [item("theirs", 9), item("ours", 1), item("late"), item("new")],
      foo: 2,
    });
  });

  it("does nothing where what it changes is not as it was, or the object is another", () => {
    const [before, after] = [{ parents: [item("ours")] }, { parents: [item("ours", 1)] }];
    assert.equal(applied({ status: { parents: [item("ours", 7)] } }, before, after), undefined);
    assert.equal(applied({ status: { parents: [item("theirs"), item("ours")] } }, before, after), undefined);
    assert.equal(applied({ status: before }, undefined, after), undefined);
    assert.equal(applied({ status: before, metadata: { uid: "v" } }, before, after), undefined);
    assert.deepEqual(applied({ status: before }, before, after), after);
  });
});
