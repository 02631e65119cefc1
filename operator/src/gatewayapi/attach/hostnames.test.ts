import assert from "node:assert/strict";
import { compareSpecificity, covers, intersectHostnames, normalizeHostname, widerHostnames } from "./hostnames.ts";

describe("normalizeHostname()", () => {
  it("writes them in lower case", () => assert.equal(normalizeHostname("*.Example.COM"), "*.example.com"));

  it("takes none and the empty one for any", () => {
    assert.equal(normalizeHostname(undefined), "*");
    assert.equal(normalizeHostname(""), "*");
  });
});

describe("intersectHostnames()", () => {
  const cases: readonly (readonly [string, string, string | undefined])[] = [
    ["a.example.com", "a.example.com", "a.example.com"],
    ["a.example.com", "b.example.com", undefined],
    ["*", "a.example.com", "a.example.com"],
    ["*", "*.example.com", "*.example.com"],
    ["*", "*", "*"],
    ["*.example.com", "a.example.com", "a.example.com"],
    ["*.example.com", "a.b.example.com", "a.b.example.com"],
    ["*.example.com", "example.com", undefined],
    ["*.example.com", "badexample.com", undefined],
    ["*.example.com", "*.b.example.com", "*.b.example.com"],
    ["*.example.com", "*.example.com", "*.example.com"],
    ["*.example.com", "*.example.org", undefined],
    ["*.b.example.com", "b.example.com", undefined],
  ];
  for (const [left, right, both] of cases)
    it(`of ${left} and ${right} is ${both ?? "nothing"}`, () => {
      assert.equal(intersectHostnames(left, right), both);
      assert.equal(intersectHostnames(right, left), both);
    });
});

describe("covers()", () => {
  it("holds for the wider, not for the narrower", () => {
    assert.ok(covers("*.example.com", "*.b.example.com"));
    assert.ok(!covers("*.b.example.com", "*.example.com"));
    assert.ok(!covers("a.example.com", "*.example.com"));
  });
});

describe("compareSpecificity()", () => {
  it("puts exact ones before wildcards, longer before shorter, any last", () => {
    const sorted = ["*", "*.com", "a.b.c", "*.foo.example.com", "*.example.com"].toSorted(compareSpecificity);
    assert.deepEqual(sorted, ["a.b.c", "*.foo.example.com", "*.example.com", "*.com", "*"]);
  });

  it("puts a short exact one before a long wildcard", () => {
    assert.ok(compareSpecificity("a.io", "*.long.example.com") < 0);
  });
});

describe("widerHostnames()", () => {
  const cases: readonly (readonly [hostname: string, ...wider: string[]])[] = [
    ["a.b.example.com", "*.b.example.com", "*.example.com", "*.com", "*"],
    ["*.b.example.com", "*.example.com", "*.com", "*"],
    ["localhost", "*"],
    ["*.com", "*"],
    ["*"],
  ];
  for (const [hostname, ...wider] of cases)
    it(`are those that cover ${hostname}`, () => {
      assert.deepEqual(widerHostnames(hostname), wider);
      for (const one of wider) assert.ok(covers(one, hostname));
    });
});
