import assert from "node:assert/strict";
import { regexProblem } from "./regex.ts";

describe("regexProblem()", () => {
  for (const pattern of [
    "/api/v[0-9]+/.*",
    "(?i)abc",
    "(?P<name>x)",
    "[[:alpha:]]+",
    String.raw`\d{3}-\p{L}+`,
    "/(alpha|beta|gamma|delta){1,40}/[a-z0-9]{1,200}",
  ])
    it(`takes ${pattern}`, () => assert.equal(regexProblem(pattern), undefined));

  for (const pattern of ["(", "a**", "(?=x)", "(?<!x)y", String.raw`\1`, "[z-a]", "a{1001}", String.raw`\Z`])
    it(`refuses ${pattern}, which RE2 cannot read`, () =>
      assert.match(regexProblem(pattern) ?? "", /^RE2 cannot read it: /));

  it("refuses an empty one", () => assert.match(regexProblem("") ?? "", /empty/));

  // Envoy counts 16,002 and 13,003. The second has few steps, but classes of many ranges.
  for (const pattern of ["(abcdefghij){1,1000}(abc){1,500}", "[acegikmoqsuw]{1,1000}"])
    it(`refuses ${pattern}, whose program is too large`, () => assert.match(regexProblem(pattern) ?? "", /too large/));
});
