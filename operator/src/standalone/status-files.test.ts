import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DesiredStatus } from "../gatewayapi/index.ts";
import { createGraph, silentLogger } from "../lib/index.ts";
import type { Round } from "../reconcile/index.ts";
import { keepStatusFiles } from "./status-files.ts";

describe("keepStatusFiles()", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-status-"));
    await mkdir(join(folder, "HTTPFilter", "demo"), { recursive: true });
    await writeFile(join(folder, "HTTPFilter", "demo", "gone.yaml"), "status: {}\n");
  });
  afterEach(() => rm(folder, { recursive: true }));

  function start() {
    const statuses = createGraph().source<DesiredStatus>("statuses");
    const due: (() => void)[] = [];
    const clock = { after: (_: number, action: () => void) => (due.push(action), () => undefined) };
    let listener: (round: Round) => void = () => undefined;
    const onRound = (next: (round: Round) => void) => {
      listener = next;
      return () => true;
    };
    const settings = { controllerName: "c", rootNamespace: "r" };
    const files = keepStatusFiles({ onRound, statuses }, folder, settings, silentLogger, clock);
    const say = (name: string, generation: number) => {
      const key = `HTTPFilter demo/${name}`;
      statuses.set(key, { kind: "HTTPFilter", key: `demo/${name}`, generation, status: { conditions: [] } });
      listener({
        sequence: 1,
        durationMs: 1,
        proxies: [],
        wanted: new Set(),
        statuses: new Set([key]),
        problems: new Set(),
      });
    };
    return { files, say, runOut: () => due.forEach((action) => action()) };
  }

  const names = async () => (await readdir(join(folder, "HTTPFilter", "demo"))).toSorted();

  it("writes nothing before it is opened, then the last word only, and removes what is gone", async () => {
    const { files, say } = start();
    say("a", 1);
    say("a", 2);
    assert.deepEqual(await names(), ["gone.yaml"]);
    files.open();
    await files.close();
    while ((await names()).includes("gone.yaml")) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await names(), ["a.yaml"]);
    assert.match(await readFile(join(folder, "HTTPFilter", "demo", "a.yaml"), "utf8"), /generation: 2/);
  });

  it("does not wait for ever", async () => {
    const { files, say, runOut } = start();
    say("a", 1);
    runOut();
    await files.close();
    assert.ok((await names()).includes("a.yaml"));
  });

  it("leaves all as it is where the run ends before it came up", async () => {
    const { files, say } = start();
    say("a", 1);
    await files.close();
    assert.deepEqual(await names(), ["gone.yaml"]);
  });
});
