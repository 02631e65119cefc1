// The command as a process of its own: signals, exit codes, what it prints and what it leaves behind.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { backends, demoHost, filter, gateway, routes } from "../../../test/demo/manifests.ts";
import { type EchoBackend, startEchoBackend } from "../../../test/support/echo-backend.ts";
import { envoyBinary } from "../../../test/support/envoy.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { eventually, send } from "../../../test/support/http-client.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

describe("gatewright standalone", function () {
  this.timeout(60_000);
  let base: string;
  let manifests: string;
  let port: number;
  let blue: EchoBackend;
  let green: EchoBackend;
  let child: ChildProcess | undefined;
  let output = "";

  before(async () => {
    await envoyBinary();
    [blue, green] = [await startEchoBackend("blue"), await startEchoBackend("green")];
  });
  after(() => Promise.all([blue.close(), green.close()]));
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "gw-run-"));
    manifests = join(base, "manifests");
    // Where it makes its folder for sockets.
    await mkdir(join(base, "run"));
    await mkdir(manifests);
    port = await freePort();
    await write("backends.yaml", backends({ blue: blue.port, green: green.port }));
    await write("gateway.yaml", gateway(port));
    await write("filter.yaml", filter);
    await write("routes.yaml", routes("blue"));
  });
  afterEach(async () => {
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    }
    child = undefined;
    await rm(base, { recursive: true, force: true });
  });

  async function write(name: string, yaml: string): Promise<void> {
    await writeFile(join(base, "draft"), yaml);
    await rename(join(base, "draft"), join(manifests, name));
  }

  async function start(...args: string[]): Promise<ChildProcess> {
    output = "";
    const all = ["--conditions=source", main, "standalone", manifests, "--envoy", await envoyBinary(), ...args];
    const started = spawn(process.execPath, all, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, XDG_RUNTIME_DIR: join(base, "run") },
    });
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding("utf8");
      stream.on("data", (text: string) => {
        output += text;
        started.emit("output");
      });
    }
    child = started;
    return started;
  }

  const answers = (path = "/", backend = "blue") =>
    eventually({ port, host: demoHost }, path, ({ echo }) => echo?.backend === backend, { withinMs: 30_000 });

  /** Resolves when it has printed something of the kind. */
  async function printed(words: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = words.exec(output);
      if (found !== null) return found;
      assert(child !== undefined && child.exitCode === null, `it ended without printing ${words}:\n${output}`);
      await once(child, "output");
    }
  }

  async function exitOf(process: ChildProcess): Promise<number | NodeJS.Signals | null> {
    if (process.exitCode === null && process.signalCode === null) await once(process, "exit");
    return process.exitCode ?? process.signalCode;
  }

  /** Resolves when the backend has seen one request more. */
  async function arrival(seen: number): Promise<void> {
    while (blue.seen() === seen) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  const isRefused = () => assert.rejects(send({ port, host: demoHost }, "/"), /ECONNREFUSED/);
  const leftovers = () => readdir(join(base, "run"));

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`finishes what is under way at ${signal}, ends with 0 and leaves nothing behind`, async () => {
      const process = await start();
      await answers();
      const seen = blue.seen();
      const slow = send({ port, host: demoHost }, "/?delay=700");
      await arrival(seen);
      process.kill(signal);
      assert.equal((await slow).status, 200);
      assert.equal(await exitOf(process), 0);
      await isRefused();
      assert.deepEqual(await leftovers(), []);
    });
  }

  it("ends at once when it is asked a second time", async () => {
    const process = await start("--drain-seconds", "3600");
    await answers();
    const seen = blue.seen();
    const endless = send({ port, host: demoHost }, "/?delay=50000", { timeoutMs: 60_000 }).then(
      () => "answered",
      () => "cut",
    );
    await arrival(seen);
    process.kill("SIGINT");
    // Draining has begun when new connections are refused.
    while (
      await send({ port, host: demoHost }, "/").then(
        () => true,
        () => false,
      )
    );
    process.kill("SIGINT");
    assert.equal(await exitOf(process), 0);
    assert.equal(await endless, "cut");
    assert.deepEqual(await leftovers(), []);
  });

  it("takes its Envoys with it when it is killed", async () => {
    const process = await start();
    await answers();
    process.kill("SIGKILL");
    await exitOf(process);
    while (
      await send({ port, host: demoHost }, "/").then(
        () => true,
        () => false,
      )
    );
    while ((await leftovers()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it("says with file and line what is wrong with a file, keeps what was good, and says when it is mended", async () => {
    await start();
    await answers();
    await write("routes.yaml", routes("green").replace("rules:", "rulez:"));
    await printed(/WARN .*routes\.yaml:7 HTTPRoute demo\/shop: unknown field "spec\.rulez"/);
    await answers();
    await write("routes.yaml", routes("green"));
    await answers("/", "green");
    await printed(/INFO .*solved: .*rulez/);
  });

  it("says what it cannot serve, and serves the rest", async () => {
    await write("routes.yaml", routes("nowhere"));
    await start();
    await answers("/plain", "green");
    assert.equal((await send({ port, host: demoHost }, "/")).status, 500);
    await printed(/WARN .*routes\.yaml:1 HTTPRoute demo\/shop: .*Service demo\/nowhere .*\(BackendNotFound\)/);
  });

  it("prints a line for each request with --access-log, also where its output is no file", async () => {
    await start("--access-log");
    await answers("/");
    await send({ port, host: demoHost }, "/logged");
    await printed(/"GET \/logged HTTP\/1\.1" 200/);
  });

  it("writes its log as JSON", async () => {
    const process = await start("--log-format", "json");
    await printed(/Gateway demo\/web serves http/);
    process.kill("SIGTERM");
    await exitOf(process);
    const entries = output
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert(entries.some(({ level, msg }) => level === "info" && msg.startsWith("Gateway demo/web serves http")));
  });

  it("writes statuses, and takes them away with their objects", async () => {
    const statuses = join(base, "status");
    await start("--status-dir", statuses);
    await answers();
    const file = join(statuses, "HTTPRoute", "demo", "shop.yaml");
    const isAccepted = async () =>
      /type: Accepted\n +status: "True"/.test(await readFile(file, "utf8").catch(() => ""));
    while (!(await isAccepted())) await new Promise((resolve) => setTimeout(resolve, 10));
    await rm(join(manifests, "routes.yaml"));
    await eventually({ port, host: demoHost }, "/", ({ status }) => status === 404);
    while (
      await readFile(file).then(
        () => true,
        () => false,
      )
    )
      await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it("ends with 1 where there are problems and --strict was asked for, and stays where there are none", async () => {
    await write("routes.yaml", routes("nowhere"));
    assert.equal(await exitOf(await start("--strict")), 1);
    assert.match(output, /BackendNotFound/);
    assert.deepEqual(await leftovers(), []);
    await write("routes.yaml", routes("blue"));
    const process = await start("--strict");
    await answers();
    process.kill("SIGTERM");
    assert.equal(await exitOf(process), 0);
  });
});
