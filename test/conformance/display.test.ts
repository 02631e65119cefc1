import assert from "node:assert/strict";
import { countOf, formatCounts, formatFailures, formatOutcome } from "./display.ts";
import type { Outcome } from "./outcome.ts";

const outcome = (name: string, result: Outcome["result"], output: readonly string[] = []): Outcome => ({
  name,
  result,
  seconds: 1.23,
  failedParts: result === "failed" ? ["part"] : [],
  output,
});
const result = {
  outcomes: [
    outcome("A", "passed"),
    outcome("B", "failed", ["why"]),
    outcome("C", "skipped", ["x.go:1: Skipping C: suite does not support Mesh"]),
  ],
  unfinished: ["D"],
  rest: ["at the end"],
  code: 1,
};

describe("what a conformance run prints", () => {
  it("is a line for each test", () => {
    assert.deepEqual(result.outcomes.map(formatOutcome), [
      "ok    A 1.2 s",
      "FAIL  B 1.2 s",
      "skip  C (suite does not support Mesh)",
    ]);
  });

  it("then what failed and why, and the sums", () => {
    const lines = formatFailures(result).filter((line) => line !== "");
    assert.deepEqual(lines, ["FAIL  B", "        part", "    why", "FAIL  D: it had not ended"]);
    assert.equal(formatCounts(countOf(result)), "1 passed, 2 failed, 1 skipped");
  });

  it("or what the suite said if it failed before any test", () => {
    const lines = formatFailures({ outcomes: [], unfinished: [], rest: ["cannot set up"], code: 1 });
    assert.deepEqual(lines, ["", "The suite says:", "    cannot set up"]);
    assert.deepEqual(formatFailures({ outcomes: [], unfinished: [], rest: ["fine"], code: 0 }), []);
  });
});
