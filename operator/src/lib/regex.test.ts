import assert from "node:assert/strict";
import { regexProblem } from "./regex.ts";

describe("regexProblem()", () => {
  for (const pattern of [
    "/api/v[0-9]+/.*",
    "(?i)abc",
    "(?P<name>x)",
    "[[:alpha:]]+",
    String.raw`\p{L}+`,
    String.raw`\x{ff}`,
  ])
    it(`takes ${pattern}`, () => assert.equal(regexProblem(pattern, 10_000), undefined));

  for (const pattern of ["(", "a**", "(?=x)", String.raw`\1`, "[z-a]", "a{1001}", String.raw`\Z`, String.raw`\x{100}`])
    it(`refuses ${pattern}, which RE2 cannot read`, () =>
      assert.match(regexProblem(pattern, 10_000) ?? "", /^RE2 cannot read it: /));

  it("refuses an empty one", () => assert.match(regexProblem("", 10_000) ?? "", /empty/));

  // The sizes that Envoy names when it refuses them.
  for (const [pattern, size] of [
    ["a", 5],
    ["abc", 7],
    ["a{1,100}", 203],
    ["a{1,900}b{1,900}", 3_602],
  ] as const)
    it(`counts the program of ${pattern} as Envoy does`, () => {
      assert.equal(regexProblem(pattern, size), undefined);
      assert.match(regexProblem(pattern, size - 1) ?? "", new RegExp(`about ${size} instructions`));
    });
});
