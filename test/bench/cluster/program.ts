import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";

export type Program = {
  readonly name: string;
  readonly pid: number;
  /** Asks it to end, and ends it if it does not within the patience. */
  readonly stop: (patienceMs?: number) => Promise<void>;
  /** Throws, with the end of its log, where it has ended by itself. */
  readonly mustRun: () => Promise<void>;
};

const running = new Set<ChildProcess>();
// Whatever way the benchmark ends, it leaves nothing running.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
/** Of all that this process has started and that has not ended. */
export const runningPrograms = (): readonly number[] =>
  [...running].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));

/** Ends what is left of a measurement that failed, so that the next finds the machine as if it had not been. */
export async function endPrograms(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }),
  );
}

// A signal alone would end it without that.
export function endOnSignals(): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(130));
}

export type ProgramOptions = {
  readonly name: string;
  readonly command: readonly string[];
  readonly logFile: string;
  readonly env?: NodeJS.ProcessEnv;
};

export function startProgram({ name, command, logFile, env }: ProgramOptions): Program {
  const [program = "", ...args] = command;
  // A file, not a pipe: whoever writes an access log opens /dev/stdout anew, which no socket allows.
  const log = openSync(logFile, "a");
  const child = spawn(program, args, {
    stdio: ["ignore", log, log],
    ...(env !== undefined && { env: { ...process.env, ...env } }),
  });
  closeSync(log);
  running.add(child);
  let ended = false;
  const exit = once(child, "exit").then(
    () => (ended = true),
    () => (ended = true),
  );
  void exit.then(() => running.delete(child));
  return {
    name,
    pid: child.pid ?? 0,
    stop: async (patienceMs = 10_000) => {
      const killing = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      child.kill("SIGTERM");
      await exit;
      clearTimeout(killing);
    },
    mustRun: async () => {
      if (!ended) return;
      const text = await readFile(logFile, "utf8").catch(() => "");
      throw new Error(`${name} has ended:\n${text.split("\n").slice(-30).join("\n")}`);
    },
  };
}

/** Asks until it is so; a program that it depends on must not end meanwhile. */
export async function until(
  what: string,
  isSo: () => Promise<boolean> | boolean,
  options: {
    readonly withinMs?: number;
    readonly everyMs?: number;
    readonly of?: Program;
    readonly state?: () => string;
  } = {},
): Promise<number> {
  const { withinMs = 60_000, everyMs = 20, of, state } = options;
  const startedMs = performance.now();
  for (;;) {
    if (await isSo()) return performance.now() - startedMs;
    await of?.mustRun();
    if (performance.now() - startedMs > withinMs)
      throw new Error(`${what}: not so within ${withinMs} ms. ${state?.() ?? ""}`);
    await pause(everyMs);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
