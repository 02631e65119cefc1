// A process number alone may name another process after a while; with the time of its start it does not.
import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

export type ProcessIdentity = { readonly pid: number; readonly startTicks: string };

type Stat = { readonly state: string; readonly parent: number; readonly startTicks: string };

/** The parts that we need of /proc/PID/stat: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
export function parseStat(text: string): Stat {
  // The name of the program, in parentheses, may contain anything, parentheses too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", parent: Number(fields[1]), startTicks: fields[19] ?? "" };
}

const readStat = (pid: number): Promise<Stat | undefined> =>
  readFile(`/proc/${pid}/stat`, "utf8").then(parseStat, () => undefined);

/** Nothing if there is no such process, or only what is left of one. */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readStat(pid);
  return stat === undefined || stat.state === "Z" ? undefined : { pid, startTicks: stat.startTicks };
}

export const isAlive = async (process: ProcessIdentity): Promise<boolean> =>
  (await identify(process.pid))?.startTicks === process.startTicks;

const allPids = async (): Promise<number[]> =>
  (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);

/** The numbers that a process has, in our process namespace and in each below it down to its own. */
export const parseNumbers = (status: string): number[] =>
  (/^NSpid:\s+(.*)$/m.exec(status)?.[1] ?? "").split(/\s+/).map(Number);

/** The number here of a process that has another number in the process namespace of `member`. */
export async function pidOnHost(inner: number, member: number): Promise<number | undefined> {
  const namespaceOf = (pid: number) => readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
  const namespace = await namespaceOf(member);
  for (const pid of await allPids()) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    if (parseNumbers(status).at(-1) === inner && (await namespaceOf(pid)) === namespace) return pid;
  }
  return undefined;
}

/** Numbers of the processes that a process has started and that still run. */
export async function childrenOf(pid: number): Promise<number[]> {
  const stats = await Promise.all((await allPids()).map(async (number) => ({ number, stat: await readStat(number) })));
  return stats.filter(({ stat }) => stat?.parent === pid && stat.state !== "Z").map(({ number }) => number);
}

/** Sends a signal unless the process has ended. */
export async function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): Promise<void> {
  if (await isAlive(target)) process.kill(target.pid, signal);
}

/** Whether the process has ended before so much time has passed. */
export async function hasEndedWithin(target: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (await isAlive(target)) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}
