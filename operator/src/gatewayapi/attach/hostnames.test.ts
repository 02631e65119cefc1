import assert from "node:assert/strict";
import { compareSpecificity, covers, intersectHostnames, normalizeHostname, ownerOf } from "./hostnames.ts";

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

describe("ownerOf()", () => {
  const hostnames = ["*", "*.example.com", "*.foo.example.com", "abc.foo.example.com"];
  const cases: readonly (readonly [string, string])[] = [
    ["bar.com", "*"],
    ["bar.example.com", "*.example.com"],
    ["example.com", "*"],
    ["bar.foo.example.com", "*.foo.example.com"],
    ["*.foo.example.com", "*.foo.example.com"],
    ["abc.foo.example.com", "abc.foo.example.com"],
    ["*.com", "*"],
  ];
  for (const [host, owner] of cases)
    it(`of ${host} is ${owner}`, () => {
      assert.equal(ownerOf(host, hostnames), owner);
      assert.equal(ownerOf(host, hostnames.toReversed()), owner);
    });

  it("is nobody where none covers the host", () => assert.equal(ownerOf("a.io", ["*.example.com"]), undefined));
});
