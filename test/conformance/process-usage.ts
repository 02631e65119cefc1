// What programs in the lab use of this machine: read from /proc, where the kernel counts it.
import { readdir, readFile } from "node:fs/promises";

/** A clock tick, which is the same on all Linux machines that matter. */
const ticksPerSecond = 100;

export type Group = { readonly name: string; readonly matches: (command: readonly string[]) => boolean };

export type Usage = {
  readonly name: string;
  /** Most processes at once. */
  readonly most: number;
  readonly cpuSeconds: number;
  /** The most memory that all of them had at once (resident; what they share is counted for each), in bytes. */
  readonly peakBytes: number;
};

type Seen = { readonly group: string; ticks: number; readonly firstTicks: number };

/** What runs of the lab is Gatewright's. */
export const groups: readonly Group[] = [
  { name: "operator", matches: (command) => command.includes("operator") && command.some(isGatewright) },
  { name: "Envoy", matches: ([program = ""]) => program.endsWith("/envoy") || program === "envoy" },
];
const isGatewright = (argument: string) => /(^|\/)gatewright$|\/operator\/(dist|src)\/main\.[jt]s$/.test(argument);

/** Looks every so often at processes below `root`. CPU time of those that end between two looks is missing from their last look on. */
export function watchUsage(root: number, intervalMs = 1000, what: readonly Group[] = groups) {
  const seen = new Map<string, Seen>();
  const peaks = new Map<string, { most: number; peakBytes: number }>();
  // Of processes that were there before, only what they use from now on counts.
  let isFirst = true;

  const look = async (): Promise<void> => {
    const now = new Map<string, { count: number; bytes: number }>();
    for (const process of await descendants(root)) {
      const group = what.find(({ matches }) => matches(process.command));
      if (group === undefined) continue;
      const { ticks, bytes } = process;
      const known = seen.get(process.id);
      if (known === undefined) seen.set(process.id, { group: group.name, ticks, firstTicks: isFirst ? ticks : 0 });
      else known.ticks = ticks;
      const sum = now.get(group.name) ?? { count: 0, bytes: 0 };
      now.set(group.name, { count: sum.count + 1, bytes: sum.bytes + bytes });
    }
    isFirst = false;
    for (const [name, { count, bytes }] of now) {
      const peak = peaks.get(name) ?? { most: 0, peakBytes: 0 };
      peaks.set(name, { most: Math.max(peak.most, count), peakBytes: Math.max(peak.peakBytes, bytes) });
    }
  };
  let looking: Promise<void> | undefined = look().finally(() => (looking = undefined));
  const timer = setInterval(() => {
    looking ??= look().finally(() => (looking = undefined));
  }, intervalMs);
  return {
    /** Looks once more, and tells. */
    stop: async (): Promise<readonly Usage[]> => {
      clearInterval(timer);
      await looking;
      await look();
      return what.map(({ name }) => {
        const own = [...seen.values()].filter(({ group }) => group === name);
        const ticks = own.reduce((sum, one) => sum + one.ticks - one.firstTicks, 0);
        return { name, cpuSeconds: ticks / ticksPerSecond, ...(peaks.get(name) ?? { most: 0, peakBytes: 0 }) };
      });
    },
  };
}

type Process = {
  readonly id: string;
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  readonly bytes: number;
  readonly command: readonly string[];
};

async function descendants(root: number): Promise<readonly Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map((pid) => readProcess(pid).catch(() => undefined)))).filter(
    (process) => process !== undefined,
  );
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at !== 0; at = parents.get(at)) if (at === root) return true;
    return false;
  };
  return all.filter(({ pid }) => isBelow(pid));
}

const pageBytes = 4096;

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function readProcess(pid: string): Promise<Process> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").slice(0, -1);
  // The name of the program, in parentheses, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const number = (index: number) => Number(fields[index]);
  return {
    id: `${pid}-${fields[19]}`,
    pid: Number(pid),
    parent: number(1),
    ticks: number(11) + number(12),
    bytes: number(21) * pageBytes,
    command,
  };
}

export const formatUsage = (usages: readonly Usage[], seconds: number): readonly string[] =>
  usages
    .filter(({ most }) => most > 0)
    .map(({ name, most, cpuSeconds, peakBytes }) => {
      const percent = ((100 * cpuSeconds) / Math.max(seconds, 1)).toFixed(1);
      const mebibytes = (peakBytes / (1 << 20)).toFixed(0);
      return `${name.padEnd(9)} ${cpuSeconds.toFixed(1)} s CPU (${percent} % of one core), ${mebibytes} MiB at most${most > 1 ? `, ${most} processes at once` : ""}`;
    });
