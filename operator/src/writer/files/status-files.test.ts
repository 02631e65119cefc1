import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import type { DesiredStatus } from "../../gatewayapi/index.ts";
import { type Logger, silentLogger } from "../../lib/index.ts";
import { createStatusFiles, type StatusFiles } from "./status-files.ts";

const wanted = (key: string, accepted: "True" | "False", generation = 1): [string, DesiredStatus] => [
  `HTTPRoute ${key}`,
  {
    kind: "HTTPRoute",
    key,
    generation,
    status: {
      parents: [
        { parentRef: { name: "gw" }, controllerName: "ours", conditions: [{ type: "Accepted", status: accepted }] },
      ],
    },
  },
];

describe("createStatusFiles()", () => {
  let base: string;
  let directory: string;
  let day: string;
  let errors: string[];
  let retries: (() => void)[];
  const logger: Logger = { ...silentLogger, error: (_, message) => errors.push(message) };

  const open = (): StatusFiles =>
    createStatusFiles({
      directory,
      controllerName: "ours",
      apiVersionOf: () => "gateway.networking.k8s.io/v1",
      clock: { after: (_, action) => (retries.push(action), () => undefined) },
      now: () => new Date(`${day}T00:00:00Z`),
      logger,
    });
  const path = (key: string) => join(directory, "HTTPRoute", `${key}.yaml`);
  const read = async (key: string) => parse(await readFile(path(key), "utf8"));

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "gatewright-status-"));
    directory = join(base, "status");
    day = "2026-01-01";
    errors = [];
    retries = [];
  });

  afterEach(() => rm(base, { recursive: true, force: true }));

  it("writes a file an object, as the API server would show it", async () => {
    const files = open();
    files.write([wanted("team-a/web", "True", 3)]);
    await files.flushed();
    assert.deepEqual(await read("team-a/web"), {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { namespace: "team-a", name: "web", generation: 3 },
      status: {
        parents: [
          {
            parentRef: { name: "gw" },
            controllerName: "ours",
            conditions: [{ type: "Accepted", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
          },
        ],
      },
    });
    assert.deepEqual(await readdir(join(directory, "HTTPRoute", "team-a")), ["web.yaml"]);
  });

  it("does not touch a file whose status stands, and keeps its times across runs", async () => {
    const first = open();
    first.write([wanted("team-a/web", "True")]);
    await first.flushed();
    const { mtimeMs, ino } = await stat(path("team-a/web"));
    first.write([wanted("team-a/web", "True")]);
    await first.flushed();
    assert.deepEqual([(await stat(path("team-a/web"))).mtimeMs, (await stat(path("team-a/web"))).ino], [mtimeMs, ino]);
    day = "2026-02-02";
    const second = open();
    second.write([wanted("team-a/web", "True")]);
    await second.flushed();
    assert.equal((await stat(path("team-a/web"))).ino, ino, "a new run finds nothing to write");
    assert.match(await readFile(path("team-a/web"), "utf8"), /2026-01-01/);
    second.write([wanted("team-a/web", "False")]);
    await second.flushed();
    assert.match(await readFile(path("team-a/web"), "utf8"), /2026-02-02/);
  });

  it("removes the file of what is gone, also of what went while nobody looked", async () => {
    const files = open();
    files.write([wanted("team-a/web", "True"), wanted("team-a/old", "True"), wanted("team-a/stay", "True")]);
    await files.flushed();
    files.write([["HTTPRoute team-a/web", undefined]]);
    await files.flushed();
    await files.prune(new Set(["HTTPRoute team-a/stay"]));
    assert.deepEqual(await readdir(join(directory, "HTTPRoute", "team-a")), ["stay.yaml"]);
  });

  it("says once that it cannot write, keeps the latest, and writes when it can", async () => {
    await writeFile(directory, "a file where the folder should be");
    const files = open();
    files.write([wanted("team-a/web", "True"), wanted("team-a/other", "True")]);
    await files.flushed();
    assert.equal(errors.length, 1);
    await rm(directory);
    files.write([wanted("team-a/web", "False")]);
    await files.flushed();
    retries.at(-1)?.();
    await files.flushed();
    assert.match(await readFile(path("team-a/web"), "utf8"), /"False"/);
    assert.match(await readFile(path("team-a/other"), "utf8"), /"True"/);
  });

  it("writes all anew when the folder was removed, or another was put in its place", async () => {
    const files = open();
    files.write([wanted("team-a/web", "True"), wanted("team-a/old", "True")]);
    files.write([["HTTPRoute team-a/old", undefined]]);
    await files.flushed();
    for (const spoil of [
      () => rm(directory, { recursive: true }),
      async () => {
        await rename(directory, `${directory}.old`);
        await mkdir(directory);
      },
    ]) {
      await spoil();
      await assert.rejects(read("team-a/web"));
      retries.splice(0).at(-1)?.();
      await files.flushed();
      assert.deepEqual(await readdir(join(directory, "HTTPRoute", "team-a")), ["web.yaml"]);
    }
    await rm(directory, { recursive: true });
    files.write([wanted("team-a/new", "True")]);
    await files.flushed();
    assert.deepEqual(await readdir(join(directory, "HTTPRoute", "team-a")), ["new.yaml", "web.yaml"]);
    assert.deepEqual(errors, []);
  });

  it("lets no name lead out of the folder", async () => {
    const files = open();
    files.write([wanted("../escape", "True"), wanted("team-a/..", "True")]);
    await files.flushed();
    assert.deepEqual(await readdir(base), []);
    assert.equal(errors.length, 2);
    assert.equal(retries.length, 0, "another try would end the same");
  });

  it("does not stumble over a broken file of an earlier run", async () => {
    const first = open();
    first.write([wanted("team-a/web", "True")]);
    await first.flushed();
    await writeFile(path("team-a/web"), "status: [half");
    const second = open();
    second.write([wanted("team-a/web", "True")]);
    await second.flushed();
    assert.equal((await read("team-a/web")).kind, "HTTPRoute");
  });
});
