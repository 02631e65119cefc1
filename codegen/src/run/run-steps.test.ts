import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { CodegenError, type Step } from "../step.ts";
import { runSteps } from "./run-steps.ts";

describe("runSteps()", () => {
  let root: string;
  let runs: number;
  let step: Step;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "codegen-"));
    runs = 0;
    await write("in/a.go", "a");
    step = {
      name: "Copy things",
      inputs: ["in", "pins.txt"],
      outputs: ["out/things"],
      run: async (_, stage) => {
        runs += 1;
        const text = await readFile(path.join(root, "in/a.go"), "utf8");
        await mkdir(stage("out/things"), { recursive: true });
        await writeFile(path.join(stage("out/things"), "a.txt"), text);
      },
    };
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const write = async (file: string, text: string) => {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true });
    await writeFile(path.join(root, file), text);
  };
  const read = (file: string) => readFile(path.join(root, file), "utf8");
  const run = async (force = false) => {
    const lines: string[] = [];
    const cacheFolder = path.join(root, ".cache");
    const outcomes = await runSteps([step], { root, cacheFolder, force, print: (line) => lines.push(line) });
    return { kinds: outcomes.map((outcome) => outcome.kind), lines };
  };

  it("runs a step once while nothing changes", async () => {
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.equal(await read("out/things/a.txt"), "a");
    const second = await run();
    assert.deepEqual(second.kinds, ["up to date"]);
    assert.deepEqual(second.lines, ["Copy things: up to date"]);
    assert.equal(runs, 1);
  });

  it("runs a step again for changed, new and missing inputs", async () => {
    await run();
    await write("in/a.go", "b");
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.equal(await read("out/things/a.txt"), "b");
    await write("in/deep/b.go", "new");
    assert.deepEqual((await run()).kinds, ["ran"]);
    await write("pins.txt", "1");
    assert.deepEqual((await run()).kinds, ["ran"]);
    await rm(path.join(root, "pins.txt"));
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.deepEqual((await run()).kinds, ["up to date"]);
  });

  it("does not run a step again for tests and what they read", async () => {
    await run();
    await write("in/a.test.ts", "x");
    await write("in/a_test.go", "x");
    await write("in/testdata/b.go", "x");
    assert.deepEqual((await run()).kinds, ["up to date"]);
  });

  it("mends outputs that were edited, added to or deleted", async () => {
    await run();
    await write("out/things/a.txt", "edited");
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.equal(await read("out/things/a.txt"), "a");
    await write("out/things/stale.txt", "left over");
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.deepEqual(await readdir(path.join(root, "out/things")), ["a.txt"]);
    await rm(path.join(root, "out"), { recursive: true });
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.equal(await read("out/things/a.txt"), "a");
  });

  it("runs when forced", async () => {
    await run();
    assert.deepEqual((await run(true)).kinds, ["ran"]);
    assert.equal(runs, 2);
  });

  it("keeps the last good output when a step fails, and tries again", async () => {
    await run();
    const { run: work } = step;
    const failing: Step = {
      ...step,
      run: async (_, stage) => {
        await mkdir(stage("out/things"), { recursive: true });
        await writeFile(path.join(stage("out/things"), "half.txt"), "half");
        throw new CodegenError("a.go:1: bad");
      },
    };
    await write("in/a.go", "b");
    step = failing;
    await assert.rejects(run(), { message: "a.go:1: bad" });
    assert.deepEqual(await readdir(path.join(root, "out/things")), ["a.txt"]);
    assert.equal(await read("out/things/a.txt"), "a");
    step = { ...step, run: work };
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.equal(await read("out/things/a.txt"), "b");
  });

  it("is due again when an input changes while it runs", async () => {
    const { run: work } = step;
    step = {
      ...step,
      run: async (report, stage) => {
        await work(report, stage);
        if (runs === 1) await write("in/a.go", "edited meanwhile");
      },
    };
    await run();
    assert.deepEqual((await run()).kinds, ["ran"]);
    assert.equal(await read("out/things/a.txt"), "edited meanwhile");
    assert.deepEqual((await run()).kinds, ["up to date"]);
  });

  it("lets a step write to its own outputs only", async () => {
    step = { ...step, run: async (_, stage) => void stage("out/others") };
    await assert.rejects(run(), /out\/others is not an output of this step/);
  });
});
