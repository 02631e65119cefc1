import assert from "node:assert/strict";
import fc from "fast-check";
import { Bisection } from "./bisection.ts";
import type { Resource } from "./resource.ts";
import { makeResource } from "./testing/content.ts";

const named = (...names: string[]): Resource[] => names.map((name) => makeResource("virtualHost", name));
const namesOf = (resources: readonly Resource[]): string[] => resources.map(({ name }) => name);

type Client = (group: readonly string[], accepted: ReadonlySet<string>) => boolean;

/** Plays the search against a client and returns what it was sent and what it found. */
function search(bisection: Bisection, client: Client): { sent: string[][]; culprits: string[]; accepted: Set<string> } {
  const sent: string[][] = [];
  const accepted = new Set<string>();
  for (let group = bisection.group; group !== undefined; group = bisection.group) {
    const names = namesOf(group);
    sent.push(names);
    assert.ok(sent.length < 500, "the search has no end");
    if (client(names, accepted)) {
      for (const name of names) accepted.add(name);
      bisection.accepted();
    } else bisection.refused(`no ${names.join()}`);
  }
  return { sent, culprits: namesOf(bisection.culprits.map(({ resource }) => resource)), accepted };
}

const refusing =
  (...bad: string[]): Client =>
  (group) =>
    !group.some((name) => bad.includes(name));

const never = (): boolean => false;

describe("the search for a bad resource", () => {
  it("needs two responses where the error names it", () => {
    const bisection = new Bisection(named("a", "b", "c", "d"), "Error adding/updating cluster(s) c: no", never);
    assert.deepEqual(search(bisection, refusing("c")), {
      sent: [["a", "b", "d"], ["c"]],
      culprits: ["c"],
      accepted: new Set(["a", "b", "d"]),
    });
  });

  it("is not misled by names of good ones", () => {
    const bisection = new Bisection(named("a", "b", "c", "d"), "something about a", never);
    assert.deepEqual(search(bisection, refusing("d")).culprits, ["d"]);
  });

  it("suspects first what no client has accepted before", () => {
    const bisection = new Bisection(named("a", "b", "c", "d"), "no", ({ name }) => name !== "c");
    assert.deepEqual(search(bisection, refusing("c")).sent, [["a", "b", "d"], ["c"]]);
  });

  it("takes it that all may be bad, and that none is", () => {
    assert.deepEqual(search(new Bisection(named("a", "b"), "no", never), refusing("a", "b")).culprits, ["a", "b"]);
    assert.deepEqual(search(new Bisection(named("a", "b"), "no", never), refusing()).culprits, []);
  });

  it("tries again what was refused only because of its turn", () => {
    // `a` takes over the domain that `b` gives up.
    const bisection = new Bisection(named("a", "b", "c"), "duplicate domain", never);
    const { culprits, accepted } = search(bisection, (group, before) =>
      group.includes("c") ? false : !group.includes("a") || group.includes("b") || before.has("b"),
    );
    assert.deepEqual(culprits, ["c"]);
    assert.deepEqual(accepted, new Set(["a", "b"]));
  });

  it("goes on past what is outdated", () => {
    const bisection = new Bisection(named("a", "b"), "no", never);
    bisection.skipped();
    assert.deepEqual(namesOf(bisection.group ?? []), ["b"]);
    bisection.refused("because");
    assert.equal(bisection.group, undefined);
    assert.deepEqual(
      bisection.culprits.map(({ message }) => message),
      ["because"],
    );
  });

  it("finds exactly the bad ones, in about k log n responses", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 300 }).chain((size) =>
          fc.record({
            size: fc.constant(size),
            bad: fc.uniqueArray(fc.nat({ max: size - 1 }), { minLength: 1, maxLength: 5 }),
          }),
        ),
        ({ size, bad }) => {
          const names = Array.from({ length: size }, (_, index) => `host-${index}`);
          const culprits = bad.map((index) => `host-${index}`);
          const result = search(new Bisection(named(...names), "no", never), refusing(...culprits));
          assert.deepEqual(result.culprits.toSorted(), culprits.toSorted());
          assert.equal(result.accepted.size, size - culprits.length);
          assert.ok(
            result.sent.length <= culprits.length * (2 * Math.ceil(Math.log2(size)) + 3),
            `${result.sent.length} responses`,
          );
        },
      ),
    );
  });
});
