import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProxyState } from "../gatewayapi/index.ts";
import type { Logger } from "../lib/index.ts";
import { activeRequests, type AdminAddress, beginDrain, isReady } from "./admin.ts";
import { forwardLog, logFormatFlags } from "./envoy-log.ts";
import type { Guard } from "./guard.ts";

export type EnvoyProcessOptions = {
  readonly binary: string;
  /** A folder of its own, for its bootstrap and its admin socket. Made here, removed at the end. */
  readonly folder: string;
  /** Writes the bootstrap, as JSON, for an admin interface at `adminSocketPath`. */
  readonly bootstrap: (adminSocketPath: string) => string;
  /** Worker threads. */
  readonly concurrency: number;
  /** Let Envoy tell more than warnings; they come at our debug level. */
  readonly verbose: boolean;
  readonly logger: Logger;
  readonly guard: Guard;
  /** File descriptor of its standard output, for access logs. It goes nowhere unless given. */
  readonly stdout?: number;
  readonly onState: (state: ProxyState) => void;
  /** How long to wait before a restart: doubled each time from the first to the maximum. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
};

/** One Envoy that is kept running until it is stopped. */
export type EnvoyProcess = {
  readonly admin: AdminAddress;
  /** Undefined while it is down. */
  readonly pid: () => number | undefined;
  /** How often it has ended by itself. */
  readonly restarts: () => number;
  /** Takes no new connections, lets requests in flight finish for up to `drainMs`, and ends. */
  readonly stop: (drainMs: number) => Promise<void>;
  /** Ends at once, whatever it is doing. */
  readonly kill: () => void;
};

const readyPollMs = 40;
const drainPollMs = 50;
/** How long Envoy may take to leave after SIGTERM. */
const leaveMs = 3_000;
/** An Envoy that ran so long has recovered: its next death is a new one. */
const healthyMs = 30_000;

/** Starts an Envoy and restarts it, with growing pauses, whenever it dies. */
export function startEnvoyProcess(options: EnvoyProcessOptions): EnvoyProcess {
  const { binary, folder, logger, guard, onState } = options;
  const { firstMs, maxMs } = options.backoff ?? { firstMs: 200, maxMs: 10_000 };
  const admin: AdminAddress = { socketPath: join(folder, "admin.sock") };
  const bootstrapPath = join(folder, "bootstrap.json");
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let restarts = 0;
  const done = keepRunning();

  async function keepRunning(): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(bootstrapPath, options.bootstrap(admin.socketPath), { mode: 0o600 });
    let failures = 0;
    while (!stopping.signal.aborted) {
      const startedMs = performance.now();
      onState({ kind: "pending", message: failures === 0 ? "Envoy is starting" : "Envoy is starting again" });
      const end = await runOnce();
      if (stopping.signal.aborted) return;
      restarts++;
      failures = performance.now() - startedMs > healthyMs ? 1 : failures + 1;
      const pauseMs = Math.min(maxMs, firstMs * 2 ** (failures - 1));
      logger.error({ restartInMs: pauseMs }, `Envoy ended unexpectedly (${end}); starting it again`);
      onState({ kind: "pending", message: `Envoy ended unexpectedly (${end}) and is started again` });
      await pause(pauseMs, stopping.signal);
    }
  }

  /** Runs Envoy until it ends and says how it did. */
  async function runOnce(): Promise<string> {
    // Envoy does not take over a socket file that a killed one left behind.
    await rm(admin.socketPath, { force: true });
    if (stopping.signal.aborted) return "not started";
    const ended = new AbortController();
    // A session of its own, so that Ctrl-C in the terminal reaches only us and we can drain it first.
    const running = spawn(binary, [...flags(options, bootstrapPath)], {
      detached: true,
      stdio: ["ignore", options.stdout ?? "ignore", "pipe"],
    });
    child = running;
    if (running.pid !== undefined) guard.add(running.pid);
    if (running.stderr) forwardLog(running.stderr, logger);
    void announceReady(ended.signal);
    return await new Promise((resolve) => {
      const finish = (how: string) => {
        ended.abort();
        child = undefined;
        if (running.pid !== undefined) guard.remove(running.pid);
        resolve(how);
      };
      running.once("error", (error) => finish(error.message));
      running.once("exit", (code, signal) => finish(signal === null ? `exit code ${code}` : signal));
    });
  }

  async function announceReady(ended: AbortSignal): Promise<void> {
    const startedMs = performance.now();
    while (!ended.aborted && !stopping.signal.aborted) {
      if (await isReady(admin)) {
        if (ended.aborted || stopping.signal.aborted) return;
        logger.info({ envoyPid: child?.pid, ms: Math.round(performance.now() - startedMs) }, "Envoy is ready");
        return onState({ kind: "ready" });
      }
      await pause(readyPollMs, ended);
    }
  }

  async function stop(drainMs: number): Promise<void> {
    const running = child;
    stopping.abort();
    if (running !== undefined) {
      await drain(drainMs);
      running.kill("SIGTERM");
      const force = setTimeout(() => running.kill("SIGKILL"), leaveMs);
      await done.finally(() => clearTimeout(force));
    } else await done;
    await rm(folder, { recursive: true, force: true });
  }

  async function drain(drainMs: number): Promise<void> {
    if (drainMs <= 0) return;
    await beginDrain(admin);
    const deadline = performance.now() + drainMs;
    while (performance.now() < deadline) {
      // No answer: it has died, and there is nothing to wait for.
      if (!(await activeRequests(admin))) return;
      await pause(drainPollMs, undefined);
    }
  }

  return {
    admin,
    pid: () => child?.pid,
    restarts: () => restarts,
    stop,
    kill: () => {
      stopping.abort();
      child?.kill("SIGKILL");
    },
  };
}

function* flags({ concurrency, verbose }: EnvoyProcessOptions, bootstrapPath: string): Generator<string> {
  yield* ["--config-path", bootstrapPath];
  // Its shared memory is keyed by a number that all Envoys of a host would have to agree on.
  yield "--disable-hot-restart";
  yield* ["--concurrency", String(concurrency)];
  // When a listener goes or changes, say so to its clients with the next answer rather than by and by.
  yield* ["--drain-strategy", "immediate"];
  // Access logs are read by a person who has just sent a request; Envoy keeps lines for 10 s otherwise.
  yield* ["--file-flush-interval-msec", "200"];
  yield* ["--log-level", verbose ? "info" : "warning"];
  yield* logFormatFlags;
}

/** Resolves after the time, or as soon as `signal` aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener("abort", finish);
  });
}
