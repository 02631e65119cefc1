// How much of the machine others use: a measurement beside other work says less.
import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { runningPrograms } from "./program.ts";
import { cpuMs } from "../process-usage.ts";

/** Of the kernel's clock that these files count in; the same on every Linux that there is. */
const tickMs = 10;

/** Begins to watch. The result tells the share of all processors that went to others since then, between 0 and 1. */
export async function watchForeignCpu(): Promise<() => Promise<number>> {
  const before = await reading();
  return async () => {
    const after = await reading();
    const allMs = (after.atMs - before.atMs) * cpus().length;
    return Math.max(0, after.busyMs - before.busyMs - (after.ownMs - before.ownMs)) / allMs;
  };
}

async function reading() {
  // https://man7.org/linux/man-pages/man5/proc_stat.5.html: user nice system idle iowait irq softirq steal
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    (await readFile("/proc/stat", "utf8")).split("\n")[0]?.split(/ +/).map(Number) ?? [];
  // utime stime cutime cstime: of this process, and of those of its children that have ended.
  const stat = await readFile("/proc/self/stat", "utf8");
  const own = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 15)
    .reduce((sum, text) => sum + Number(text), 0);
  let ownMs = own * tickMs;
  for (const pid of runningPrograms()) ownMs += await cpuMs(pid).catch(() => 0);
  return { atMs: performance.now(), busyMs: (user + nice + system + irq + softirq + steal) * tickMs, ownMs };
}
