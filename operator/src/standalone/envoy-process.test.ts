import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { envoyBinary } from "../../../test/support/envoy.ts";
import { freePort } from "../../../test/support/free-port.ts";
import { send } from "../../../test/support/http-client.ts";
import { silentLogger } from "../lib/index.ts";
import { type EnvoyProcess, type EnvoyProcessOptions, startEnvoyProcess } from "./envoy-process.ts";
import { createGuard, type Guard } from "./guard.ts";
import { directResponse } from "./testing/direct-response.ts";
import { createStateLog, isReadyState, type StateLog } from "./testing/states.ts";

describe("startEnvoyProcess()", () => {
  let base: string;
  let guard: Guard;
  let port: number;
  let states: StateLog;
  let envoy: EnvoyProcess | undefined;
  const errors: string[] = [];
  const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };

  before(async function () {
    this.timeout(120_000);
    await envoyBinary();
  });

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "gw-process-"));
    guard = createGuard(base);
    port = await freePort();
    states = createStateLog();
    errors.length = 0;
  });

  afterEach(async () => {
    await envoy?.stop(0);
    envoy = undefined;
    guard.close();
    await rm(base, { recursive: true, force: true });
  });

  async function start(overrides: Partial<EnvoyProcessOptions> = {}): Promise<EnvoyProcess> {
    envoy = startEnvoyProcess({
      binary: await envoyBinary(),
      folder: join(base, "one"),
      bootstrap: (socket) => directResponse(socket, port, "hello"),
      concurrency: 1,
      verbose: false,
      logger,
      guard,
      onState: states.push,
      backoff: { firstMs: 10, maxMs: 40 },
      ...overrides,
    });
    return envoy;
  }

  it("says when Envoy serves, and serves", async () => {
    const ready = states.next(isReadyState);
    await start();
    await ready;
    assert.equal((await send({ port, host: "any" }, "/")).body, "hello");
    assert.equal(states.seen()[0]?.kind, "pending");
  });

  it("starts Envoy again when it is killed, and says so meanwhile", async () => {
    const ready = states.next(isReadyState);
    const running = await start();
    await ready;
    const first = running.pid();
    assert(first !== undefined);
    const pending = states.next(({ kind }) => kind === "pending");
    const again = states.next(isReadyState);
    process.kill(first, "SIGKILL");
    assert.match(JSON.stringify(await pending), /SIGKILL/);
    await again;
    assert.notEqual(running.pid(), first);
    assert.equal((await send({ port, host: "any" }, "/")).status, 200);
    assert.equal(errors.length, 1);
  });

  it("goes on trying when Envoy ends at every start, with the reason in the state and Envoy's words in the log", async () => {
    const failing = states.next(
      (state) => state.kind === "pending" && state.message.includes("exit code 1") && errors.length > 3,
    );
    await start({ bootstrap: () => JSON.stringify({ nonsense: true }) });
    await failing;
    assert.match(errors.join("\n"), /envoy: .*nonsense/s);
  });

  it("says that Envoy cannot be started", async () => {
    const failing = states.next((state) => state.kind === "pending" && state.message.includes("ENOENT"));
    await start({ binary: join(base, "no-envoy") });
    await failing;
  });

  it("lets a request in flight finish, takes no new ones, and leaves nothing behind", async () => {
    const ready = states.next(isReadyState);
    const running = await start();
    await ready;
    const pid = running.pid();
    const slow = send({ port, host: "any" }, "/slow");
    await eventually(async () => (await send({ port, host: "any" }, "/")).status === 200);
    await running.stop(10_000);
    assert.equal((await slow).body, "hello");
    await assert.rejects(send({ port, host: "any" }, "/"), /ECONNREFUSED/);
    assert(pid !== undefined && !isAlive(pid));
    assert(!existsSync(join(base, "one")));
  });

  it("does not wait longer for a request than it was told to", async () => {
    const ready = states.next(isReadyState);
    const running = await start({ bootstrap: (socket) => directResponse(socket, port, "hello", 60_000) });
    await ready;
    const slow = send({ port, host: "any" }, "/slow").then(
      () => "answered",
      () => "cut",
    );
    await eventually(async () => (await send({ port, host: "any" }, "/")).status === 200);
    await running.stop(100);
    assert.equal(await slow, "cut");
  });

  it("ends Envoy and removes its folder when we are killed", async () => {
    const program = fileURLToPath(new URL("testing/run-one.ts", import.meta.url));
    const parent = spawn(
      process.execPath,
      ["--conditions=source", program, await envoyBinary(), join(base, "run"), String(port)],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    const pid = Number((await once(createInterface({ input: parent.stdout }), "line"))[0]);
    assert(isAlive(pid));
    parent.kill("SIGKILL");
    await eventually(async () => !isAlive(pid) && !existsSync(join(base, "run")));
  });
});

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
