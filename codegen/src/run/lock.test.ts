import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { withLock } from "./lock.ts";

describe("withLock()", () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "lock-"));
    file = path.join(folder, "deep/lock");
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const never = () => assert.fail("nobody holds the lock");

  it("lets one work after the other", async () => {
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      return name;
    };
    const waited: number[] = [];
    const wait = (pid: number) => waited.push(pid);
    const results = await Promise.all([withLock(file, wait, work("a")), withLock(file, wait, work("b"))]);
    assert.deepEqual(results, ["a", "b"]);
    const [first, , third] = events;
    assert.deepEqual(events.slice(0, 2), [first, first?.replace("begins", "ends")]);
    assert.deepEqual(events.slice(2), [third, third?.replace("begins", "ends")]);
    assert.deepEqual(waited, [process.pid]);
  });

  it("is free again after work that fails", async () => {
    await assert.rejects(
      withLock(file, never, () => Promise.reject(new Error("failed"))),
      /failed/,
    );
    assert.equal(await withLock(file, never, () => Promise.resolve("done")), "done");
  });

  it("takes over from a process that is gone", async () => {
    const gone = spawnSync(process.execPath, ["--version"]).pid;
    await withLock(file, never, () => Promise.resolve());
    await writeFile(file, String(gone));
    assert.equal(await withLock(file, never, () => readFile(file, "utf8")), String(process.pid));
  });
});
