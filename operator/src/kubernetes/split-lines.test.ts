import assert from "node:assert/strict";
import fc from "fast-check";
import { createLineSplitter } from "./split-lines.ts";

const linesOf = (chunks: readonly Buffer[]): string[] => {
  const split = createLineSplitter();
  return chunks.flatMap((chunk) => [...split(chunk)]);
};

describe("createLineSplitter()", () => {
  it("gives the same lines wherever the bytes are cut", () => {
    const text = fc.array(fc.string({ unit: "grapheme", minLength: 1 }).map((line) => line.replaceAll("\n", "x")));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((left, right) => left - right)];
        const chunks = at.map((from, index) => bytes.subarray(from, at[index + 1] ?? bytes.length));
        assert.deepEqual(linesOf(chunks), lines);
      }),
    );
  });

  it("keeps to itself what has no end, and empty lines", () => {
    assert.deepEqual(linesOf([Buffer.from("a\n\nb")]), ["a"]);
  });
});
