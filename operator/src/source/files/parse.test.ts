import assert from "node:assert/strict";
import { createLocator, parseText } from "./parse.ts";

describe("parseText()", () => {
  it("gives the value, or the first fault with its place", () => {
    assert.deepEqual(parseText("a: 1\nb: [x, z]\n"), { kind: "value", value: { a: 1, b: ["x", "z"] } });
    assert.deepEqual(parseText("a: 1\nb: [x\nc: 2\n"), {
      kind: "problem",
      message: "the [ that opens here is not closed",
      line: 2,
      column: 4,
    });
  });

  it("reads plain words as kubectl does", () => {
    assert.deepEqual(parseText("a: &a {x: 010}\nb: {<<: *a, z: yes}\n"), {
      kind: "value",
      value: { a: { x: 8 }, b: { x: 8, z: true } },
    });
  });

  it("says where a number stands that JSON has not", () => {
    assert.deepEqual(parseText("a: 1\non:\n- 2\n- .nan\n"), {
      kind: "problem",
      message: "true[1]: JSON has no such number",
      line: 4,
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
    const locate = createLocator(text);
    const lineOf = (path: readonly (string | number)[]) => locate(path).line;
    assert.equal(lineOf(["spec", "rules", 1, "matches", 0, "path", "value"]), 8);
    assert.equal(lineOf(["spec", "rules", 1, "name"]), 6);
    assert.equal(lineOf(["spec", "rules", 1, "filters"]), 6);
    assert.equal(lineOf(["metadata"]), 3);
    assert.equal(lineOf([]), 3);
  });

  it("does not look into what is too large to look into", () => {
    assert.equal(createLocator(`# ${"x".repeat(2 * 1024 * 1024)}\na: 1\nb: 2\n`)(["b"]).line, 2);
  });
});
