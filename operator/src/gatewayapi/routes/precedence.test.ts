import assert from "node:assert/strict";
import fc from "fast-check";
import { comparePrecedence, type Contender, inOrder } from "./precedence.ts";

const base: Contender = {
  route: {
    name: "",
    origin: { kind: "HTTPRoute", namespace: "n", name: "r" },
    match: { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] },
    action: { kind: "respond", status: 500 },
    extensions: [],
  },
  rank: { path: "prefix", pathLength: 1, hasMethod: false, headerCount: 0, queryParamCount: 0, rule: 0, match: 0 },
  statedHost: "*",
  createdAt: "2026-01-01T00:00:00.000Z",
  key: "n/r",
};

const contender = (rank: Partial<Contender["rank"]>, rest: Partial<Contender> = {}): Contender => ({
  ...base,
  ...rest,
  rank: { ...base.rank, ...rank },
});

/** What the API says, sentence by sentence: the first criterion in which two differ decides. */
const criteria: readonly ((left: Contender, right: Contender) => boolean | undefined)[] = [
  (left, right) => {
    const isExact = (each: Contender) => !each.statedHost.startsWith("*");
    const exact = (each: Contender) => (isExact(each) ? each.statedHost.length : 0);
    return larger(exact(left), exact(right)) ?? larger(left.statedHost.length, right.statedHost.length);
  },
  (left, right) => holds(left.rank.path === "exact", right.rank.path === "exact"),
  (left, right) => holds(left.rank.path === "regex", right.rank.path === "regex"),
  (left, right) => larger(left.rank.pathLength, right.rank.pathLength),
  (left, right) => holds(left.rank.hasMethod, right.rank.hasMethod),
  (left, right) => larger(left.rank.headerCount, right.rank.headerCount),
  (left, right) => larger(left.rank.queryParamCount, right.rank.queryParamCount),
  (left, right) => larger(Date.parse(right.createdAt || "1970-01-01"), Date.parse(left.createdAt || "1970-01-01")),
  (left, right) => (left.key === right.key ? undefined : left.key < right.key),
  (left, right) => larger(right.rank.rule, left.rank.rule),
  (left, right) => larger(right.rank.match, left.rank.match),
];

const larger = (left: number, right: number) => (left === right ? undefined : left > right);
const holds = (left: boolean, right: boolean) => larger(Number(left), Number(right));

function precedes(left: Contender, right: Contender): boolean | undefined {
  for (const criterion of criteria) {
    const verdict = criterion(left, right);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}

/** Few values of each, so that ties are common. Those that meet in one virtual host state its host or wildcards over it. */
const contenders: fc.Arbitrary<readonly Contender[]> = fc.uniqueArray(
  fc
    .record({
      path: fc.constantFrom("exact", "regex", "prefix"),
      length: fc.constantFrom(1, 5, 9),
      hasMethod: fc.boolean(),
      headerCount: fc.nat(2),
      queryParamCount: fc.nat(2),
      rule: fc.nat(2),
      match: fc.nat(2),
      statedHost: fc.constantFrom("a.b.example.com", "*.b.example.com", "*.example.com", "*"),
      createdAt: fc.constantFrom("", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"),
      key: fc.constantFrom("a/b", "a-b/a", "b/a"),
    })
    .map(({ length, statedHost, createdAt, key, ...rank }) =>
      contender({ ...rank, pathLength: rank.path === "exact" ? 0 : length }, { statedHost, createdAt, key }),
    ),
  { selector: ({ key, rank: { rule, match } }) => `${key} ${rule} ${match}`, minLength: 2, maxLength: 20 },
);

describe("comparePrecedence()", () => {
  it("says what the API says of any two, and is never undecided", () =>
    fc.assert(
      fc.property(contenders, (some) => {
        for (const left of some)
          for (const right of some)
            assert.equal(
              Math.sign(comparePrecedence(left, right)),
              left === right ? 0 : precedes(left, right) === true ? -1 : 1,
            );
      }),
    ));

  it("sorts into the one order in which each precedes those after it, whatever the order before", () =>
    fc.assert(
      fc.property(
        contenders.chain((some) =>
          fc.tuple(fc.constant(some), fc.shuffledSubarray([...some], { minLength: some.length })),
        ),
        ([some, shuffled]) => {
          const sorted = some.toSorted(comparePrecedence);
          assert.deepEqual(shuffled.toSorted(comparePrecedence), sorted);
          for (const [index, left] of sorted.entries())
            for (const right of sorted.slice(index + 1)) assert.equal(precedes(left, right), true);
        },
      ),
    ));
});

describe("inOrder()", () => {
  const named = (name: string, each: Contender): Contender => ({ ...each, route: { ...each.route, name } });
  it("puts the examples of the API in order", () => {
    const names = inOrder([
      named("catch all", contender({})),
      named("younger", contender({ pathLength: 4 }, { createdAt: "2026-01-02T00:00:00.000Z", key: "a/a" })),
      named("second by name", contender({ pathLength: 4 }, { key: "n/s" })),
      named("first by name", contender({ pathLength: 4 })),
      named("first by name, second rule", contender({ pathLength: 4, rule: 1 })),
      named("with parameter", contender({ pathLength: 4, queryParamCount: 1 })),
      named("with header", contender({ pathLength: 4, headerCount: 1 })),
      named("with method", contender({ pathLength: 4, hasMethod: true })),
      named("longer", contender({ pathLength: 5 })),
      named("regex", contender({ path: "regex", pathLength: 2 })),
      named("longer regex", contender({ path: "regex", pathLength: 3 })),
      named("exact", contender({ path: "exact", pathLength: 0 })),
      named("wildcard host", contender({}, { statedHost: "*.example.com" })),
      named("exact host", contender({}, { statedHost: "a.example.com" })),
    ]).map(({ name }) => name);
    assert.deepEqual(names, [
      "exact host",
      "wildcard host",
      "exact",
      "longer regex",
      "regex",
      "longer",
      "with method",
      "with header",
      "with parameter",
      "first by name",
      "first by name, second rule",
      "second by name",
      "younger",
      "catch all",
    ]);
  });
});
