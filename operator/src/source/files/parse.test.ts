import assert from "node:assert/strict";
import { createLocator, parseText } from "./parse.ts";

describe("parseText()", () => {
  it("gives the value, or the first fault with its place", () => {
    assert.deepEqual(parseText("a: 1\nb: [x, y]\n"), { kind: "value", value: { a: 1, b: ["x", "y"] } });
    const broken = parseText("a: 1\nb: [x\nc: 2\n");
    assert.equal(broken.kind, "problem");
    assert.ok(broken.kind === "problem" && (broken.line ?? 0) >= 2);
  });

  it("merges keys as kubectl does, and takes no other meaning from plain words", () => {
    assert.deepEqual(parseText("a: &a {x: 1}\nb: {<<: *a, y: yes}\n"), {
      kind: "value",
      value: { a: { x: 1 }, b: { x: 1, y: "yes" } },
    });
  });

  it("refuses what contains itself", () => {
    assert.equal(parseText("a: &a [*a]\n").kind, "problem");
  });
});

describe("createLocator()", () => {
  const text =
    "# a comment\n---\nspec:\n  rules:\n  - name: one\n  - name: two\n    matches:\n    - path: {value: x}\n";

  it("finds the line of a path, or of the nearest part of it that is there", () => {
    const lineOf = createLocator(text);
    assert.equal(lineOf(["spec", "rules", 1, "matches", 0, "path", "value"]), 8);
    assert.equal(lineOf(["spec", "rules", 1, "name"]), 6);
    assert.equal(lineOf(["spec", "rules", 1, "filters"]), 6);
    assert.equal(lineOf(["metadata"]), 3);
    assert.equal(lineOf([]), 3);
  });

  it("does not look into what is too large to look into", () => {
    assert.equal(createLocator(`# ${"x".repeat(2 * 1024 * 1024)}\na: 1\nb: 2\n`)(["b"]), 2);
  });
});
