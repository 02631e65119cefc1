import assert from "node:assert/strict";
import { splitDocuments } from "./split.ts";

describe("splitDocuments()", () => {
  const parts = (text: string) => splitDocuments(text).map(({ text: part, linesBefore }) => [linesBefore, part]);

  it("knows where each document begins", () => {
    assert.deepEqual(parts("a: 1\nb: 2\n---\nc: 3\n--- # comment\nd: 4"), [
      [0, "a: 1\nb: 2\n"],
      [2, "---\nc: 3\n"],
      [4, "--- # comment\nd: 4"],
    ]);
  });

  it("takes only whole markers at the beginning of a line", () => {
    assert.equal(parts("a: ---\nb: x---\n----\n ---\n").length, 1);
  });

  it("leaves out what has no content", () => {
    assert.deepEqual(parts("---\n---\n# nothing\n---\na: 1\n---\n"), [[3, "---\na: 1\n"]]);
    assert.deepEqual(parts(""), []);
  });

  it("takes what stands on the line of a marker, and the mark of an end", () => {
    assert.deepEqual(parts("--- {a: 1}\n--- # two\nb: 2\n...\n---\n...\n"), [
      [0, "--- {a: 1}\n"],
      [1, "--- # two\nb: 2\n...\n"],
    ]);
  });

  it("takes time in proportion to the text", () => {
    assert.equal(parts(`${"\n".repeat(3_000_000)}a: 1`).length, 1);
    assert.equal(parts("\n \n".repeat(1_000_000)).length, 0);
    assert.equal(parts(`${" ".repeat(3_000_000)}a`).length, 1);
  });

  it("takes Windows line ends", () => {
    assert.deepEqual(parts("a: 1\r\n---\r\nb: 2\r\n"), [
      [0, "a: 1\r\n"],
      [1, "---\r\nb: 2\r\n"],
    ]);
  });
});
