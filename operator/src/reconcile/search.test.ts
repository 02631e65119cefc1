import assert from "node:assert/strict";
import fc from "fast-check";
import { createSearch } from "./search.ts";

/** Plays an Envoy that refuses whatever contains a culprit; returns who is held in the end and how many trials failed. */
function play(suspects: readonly string[], culprits: ReadonlySet<string>) {
  const search = createSearch(suspects);
  const firstHeld = new Set(search.held);
  let refusals = 0;
  while (search.active()) {
    const spoiled = suspects.some((suspect) => culprits.has(suspect) && !search.held.has(suspect));
    if (spoiled) {
      refusals++;
      search.failed();
    } else search.passed();
  }
  return { held: search.held, firstHeld, refusals };
}

describe("createSearch()", () => {
  it("holds back a single suspect without a trial that could fail", () => {
    assert.deepEqual(play(["a"], new Set(["a"])), { held: new Set(["a"]), firstHeld: new Set(["a"]), refusals: 0 });
  });

  it("holds everything back before it tries", () => {
    assert.deepEqual(play(["a", "b", "c"], new Set(["b"])).firstHeld, new Set(["a", "b", "c"]));
  });

  it("ends with exactly the culprits held, after few refusals", () => {
    const suspects = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(suspects, fc.infiniteStream(fc.boolean()), (all, coin) => {
        const culprits = new Set(all.filter(() => coin.next().value));
        const { held, refusals } = play(all, culprits);
        assert.deepEqual(new Set(held), culprits);
        assert.ok(refusals <= 2 * culprits.size * (Math.ceil(Math.log2(all.length)) + 1), `${refusals} refusals`);
      }),
    );
  });
});
