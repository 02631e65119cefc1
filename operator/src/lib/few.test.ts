import assert from "node:assert/strict";
import fc from "fast-check";
import { type Few, hasItem, itemsOf, withItem, withoutItem } from "./few.ts";

describe("a set of few", () => {
  it("is what a set is, whatever is added and removed, in the same order", () => {
    const edit = fc.record({ add: fc.boolean(), item: fc.integer({ min: 0, max: 14 }).map(String) });
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 80 }), (edits) => {
        let few: Few<string>;
        const set = new Set<string>();
        for (const { add, item } of edits) {
          few = add ? withItem(few, item) : withoutItem(few, item);
          if (add) set.add(item);
          else set.delete(item);
          assert.deepEqual([...itemsOf(few)], [...set]);
          assert.equal(few === undefined, set.size === 0);
          assert.equal(hasItem(few, item), add);
        }
      }),
    );
  });
});
