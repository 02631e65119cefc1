import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Cell } from "./cell.ts";
import { openResults, readResults, thisMachine } from "./results.ts";
import { runRounds } from "./run.ts";
import type { Side } from "./sides/side.ts";

const cell = (round: number, more: Partial<Cell> = {}): Cell => ({
  side: "ours",
  version: "1",
  round,
  routes: 10,
  date: "",
  seconds: 1,
  loadAtBegin: 0,
  foreignShare: 0,
  outcomes: [{ workload: "W2 new route", figures: { p50Ms: 1.23456 } }],
  left: {},
  ...more,
});

/** Nothing of it is run here. */
const ours = { name: "ours", version: "1" } as unknown as Side;

describe("results of the cluster benchmark", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "gatewright-results-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = (version: string, isFresh = false) =>
    openResults(folder, thisMachine("command", { ours: version }), isFresh);

  it("are there when the run is started again", async () => {
    await (await open("1")).keep(cell(1));
    const again = await open("1");
    assert.equal((await again.kept(cell(1)))?.outcomes[0]?.figures["p50Ms"], 1.23);
    assert.equal(await again.kept(cell(2)), undefined);
    const [read] = await readResults([folder]);
    assert.equal(read?.cells.length, 1);
  });

  it("of another version do not come into one folder, unless they are deleted", async () => {
    await (await open("1")).keep(cell(1));
    await assert.rejects(open("2"), /has results of .*--fresh/s);
    assert.equal(await (await open("2", true)).kept(cell(1)), undefined);
  });

  it("that are half written do not count", async () => {
    await (await open("1")).keep(cell(1));
    await writeFile(path.join(folder, "cell-2-10-ours.json.unfinished"), "{");
    const [read] = await readResults([folder]);
    assert.equal(read?.cells.length, 1);
  });

  it("of another folder are no results", async () => {
    await assert.rejects(readResults([folder]), /is not the folder of a run/);
  });

  it("are kept of what failed, and of all else, and what failed is tried again", async () => {
    const results = await open("1");
    await results.keep(cell(1));
    const started: number[] = [];
    const run = () =>
      runRounds({
        sides: [ours],
        counts: [10],
        rounds: 2,
        mostChanges: 1,
        repeats: 0,
        soakMs: 1,
        results,
        workFolder: folder,
        report: () => undefined,
        measure: (options) => {
          started.push(options.round);
          return Promise.resolve(cell(options.round, { failure: "it does not start" }));
        },
      });
    assert.equal(await run(), 1);
    assert.equal(await run(), 1);
    assert.deepEqual(started, [2, 2]);
    assert.equal((await results.kept(cell(2)))?.failure, "it does not start");
  });

  it("are measured again where others disturbed them, twice at most, and the quietest is kept", async () => {
    const results = await open("1");
    const shares = [0.5, 0.3, 0.4, 0.9];
    let at = 0;
    await runRounds({
      sides: [ours],
      counts: [10],
      rounds: 1,
      mostChanges: 1,
      repeats: 2,
      soakMs: 1,
      results,
      workFolder: folder,
      report: () => undefined,
      measure: ({ round }) => Promise.resolve(cell(round, { foreignShare: shares[at++] ?? 1 })),
    });
    assert.equal(at, 3);
    assert.equal((await results.kept(cell(1)))?.foreignShare, 0.3);
  });
});
