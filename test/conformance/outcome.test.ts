import assert from "node:assert/strict";
import { createOutcomes, lastWords, type Outcome, skipReason, type TestEvent } from "./outcome.ts";

const test = (name: string) => `TestConformance/${name}`;

function read(events: readonly TestEvent[]) {
  const told: Outcome[] = [];
  const outcomes = createOutcomes((outcome) => told.push(outcome));
  for (const event of events) outcomes.addLine(JSON.stringify(event));
  return { told, outcomes };
}

describe("what the suite's tests come to", () => {
  it("is told as soon as each has ended, also of some that run at once", () => {
    const { told, outcomes } = read([
      { Action: "run", Test: "TestConformance" },
      { Action: "output", Test: "TestConformance", Output: "applying base manifests\n" },
      { Action: "run", Test: test("A") },
      { Action: "pause", Test: test("A") },
      { Action: "run", Test: test("B") },
      { Action: "output", Test: test("B"), Output: "of B\n" },
      { Action: "pass", Test: test("B"), Elapsed: 1.5 },
      { Action: "cont", Test: test("A") },
      { Action: "output", Test: test("A"), Output: "of A\n" },
      { Action: "run", Test: test("A/one/two") },
      { Action: "output", Test: test("A/one/two"), Output: "of a part\n" },
      { Action: "fail", Test: test("A/one/two"), Elapsed: 0.1 },
      { Action: "pass", Test: test("A/other"), Elapsed: 0.1 },
      { Action: "fail", Test: test("A"), Elapsed: 2 },
      { Action: "skip", Test: test("C"), Elapsed: 0 },
    ]);
    assert.deepEqual(told, outcomes.outcomes);
    assert.deepEqual(told, [
      { name: "B", result: "passed", seconds: 1.5, output: ["of B"], failedParts: [] },
      { name: "A", result: "failed", seconds: 2, output: ["of A", "of a part"], failedParts: ["one/two"] },
      { name: "C", result: "skipped", seconds: 0, output: [], failedParts: [] },
    ]);
    assert.deepEqual(outcomes.rest, ["applying base manifests"]);
    assert.equal(outcomes.suite(), undefined);
  });

  it("names those that had not ended when the program did", () => {
    const { outcomes } = read([
      { Action: "run", Test: test("Hangs") },
      { Action: "output", Test: test("Hangs/part"), Output: "panic: test timed out\n" },
      { Action: "fail", Test: "TestConformance" },
    ]);
    assert.deepEqual(outcomes.unfinished(), ["Hangs"]);
    assert.equal(outcomes.present(), "running: Hangs");
    assert.equal(outcomes.suite(), "failed");
  });

  it("leaves out what the tool does not say as JSON", () => {
    const { outcomes } = read([]);
    outcomes.addLine("");
    outcomes.addLine("not JSON");
    assert.deepEqual([outcomes.outcomes, outcomes.rest], [[], []]);
  });

  it("keeps the end of what a test says that says the same for ever", () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => ({
      Action: "output",
      Test: test("Loud"),
      Output: `line ${i}\n`,
    }));
    const { told } = read([...lines, { Action: "fail", Test: test("Loud") }]);
    assert.equal(told[0]?.output.at(-1), "line 9999");
    assert.ok((told[0]?.output.length ?? 0) < 5000);
  });

  it("has last words without the marks of Go's own", () => {
    const output = ["=== RUN   TestConformance/A", "    a.go:1: why", "", "    --- FAIL: TestConformance/A/b (0.1s)"];
    assert.deepEqual(lastWords(output), ["    a.go:1: why"]);
    assert.deepEqual(lastWords(["a", "b", "c"], 2), ["b", "c"]);
    // Go prints what is waited for as often as it looks.
    const waiting = ["start", "x.go:1: 08:00:01 only 0/2", "x.go:1: 08:00:02 only 1/2", "end"];
    assert.deepEqual(lastWords(waiting), ["start", "x.go:1: 08:00:02 only 1/2", "end"]);
  });

  it("tells why a test was skipped", () => {
    const output = [
      "    conformance.go:70: Skipping MeshBasic: suite does not support Mesh",
      "--- SKIP: TestConformance/MeshBasic (0.00s)",
    ];
    assert.equal(skipReason(output), "suite does not support Mesh");
    assert.equal(skipReason(["nothing of the kind"]), undefined);
  });
});
