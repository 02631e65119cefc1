import { readdir, readFile } from "node:fs/promises";

/** CPU time of a process since its start, all threads, in milliseconds; from the scheduler's own accounting (Linux). */
export async function cpuMs(pid: number): Promise<number> {
  let nanoseconds = 0;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    // A thread may end between the listing and the reading.
    const schedstat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, "utf8").catch(() => "0");
    nanoseconds += Number(schedstat.split(" ")[0]);
  }
  return nanoseconds / 1e6;
}

export type Memory = { readonly residentMiB: number; readonly peakMiB: number };

export async function memory(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const field = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) / 1024;
  return { residentMiB: field("VmRSS"), peakMiB: field("VmHWM") };
}

/** The child of `pid` that runs a program of this name. */
export async function childNamed(pid: number, name: string): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ").filter(Boolean);
  for (const child of children)
    if ((await readFile(`/proc/${child}/comm`, "utf8")).trim() === name) return Number(child);
  throw new Error(`process ${pid} has no child ${name}`);
}
