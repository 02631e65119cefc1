import assert from "node:assert/strict";
import fc from "fast-check";
import { compilePattern, PatternError } from "./index.ts";

const matches = (pattern: string, text: string) => compilePattern(pattern).test(text);

describe("compilePattern()", () => {
  it("understands what RE2 understands", () => {
    for (const [pattern, good, bad] of [
      ["^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$", "/a%2Fb", "/a%2"],
      ["^([0-9]{1,5}(h|m|s|ms)){1,4}$", "1h30m10s5ms", "1h1h1h1h1h"],
      [String.raw`^[A-Za-z0-9!#$%&'*+\-.^_\x60|~]+$`, "x-`a", "x:"],
      ["^$|^a", "", "b"],
      ["a{2}|b{,2}", "b{,2}", "bb"],
      ["(?i)^straße$", "STRAßE", "strasse"],
      [String.raw`^\pL+\PL$`, "äö1", "äö"],
      [String.raw`^[[:alpha:]_]+[^[:digit:]]\z`, "ab_-", "ab1"],
      [String.raw`\Qa.b\E+$`, "a.bbb", "axb"],
      ["^.$", "😀", "\n"],
      ["(?s)^.$", "\n", "ab"],
    ] as const) {
      assert.ok(matches(pattern, good), `${pattern} should match ${good}`);
      assert.ok(!matches(pattern, bad), `${pattern} should not match ${bad}`);
    }
  });

  it("refuses what RE2 refuses, and says so of what it does not know", () => {
    for (const pattern of [
      "(",
      ")",
      "[a",
      "a**",
      "*",
      "[b-a]",
      String.raw`\8`,
      String.raw`(?=a)`,
      "a{1001}",
      String.raw`\bx`,
      "(?m)^a$",
    ])
      assert.throws(() => compilePattern(pattern), PatternError, pattern);
    assert.throws(() => compilePattern("(((a{999}){999}){999})"), PatternError);
  });

  it("agrees with JavaScript where the two mean the same", () => {
    const atoms = fc.constantFrom("a", "b", "[ab]", "[^a]", "\\.", "(?:a|bc)", "(a|)", "c", "\\d");
    const part = fc
      .tuple(atoms, fc.constantFrom("", "*", "+", "?", "{2}", "{1,3}"))
      .map(([atom, count]) => atom + count);
    const pattern = fc
      .tuple(fc.constantFrom("", "^"), fc.array(part, { maxLength: 5 }), fc.constantFrom("", "$"))
      .map(([begin, parts, end]) => begin + parts.join("") + end);
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", ".", "1"), maxLength: 10 });
    fc.assert(
      fc.property(fc.array(pattern, { minLength: 1, maxLength: 3 }), fc.array(text), (patterns, texts) => {
        const source = patterns.join("|");
        const [ours, theirs] = [compilePattern(source), new RegExp(source, "u")];
        for (const one of texts) assert.equal(ours.test(one), theirs.test(one), `${source} on ${one}`);
      }),
      { numRuns: 500 },
    );
  });

  it("takes time in proportion to the text, where a backtracking engine would never end", () => {
    assert.equal(matches("^[!-~]+([\\t ]?[!-~]+)*$", `${"a".repeat(100_000)}ü`), false);
    assert.equal(matches("^(a|a)*(a|aa)+$", `${"a".repeat(100_000)}b`), false);
  });

  it("forgets states that hostile text makes it build", () => {
    const matcher = compilePattern("a[ab]{12}c");
    const random = fc.sample(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 30_000, maxLength: 30_000 }), {
      numRuns: 1,
      seed: 1,
    });
    assert.equal(matcher.test(`${random[0]}d`), false);
    assert.equal(matcher.test(`${random[0]}abbbbbbbbbbbbc`), true);
  });
});
