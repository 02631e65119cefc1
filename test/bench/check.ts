// `gatewright check` of many routes, in a process of its own: how long it takes from its start, and what it needs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeBed } from "./routes.ts";

export type CheckResult = {
  readonly routes: number;
  /** Wall time of the whole process, its start included. */
  readonly ms: number;
  /** CPU time of the whole process. */
  readonly cpuMs: number;
  readonly peakMiB: number;
};

const main = fileURLToPath(new URL("../../operator/src/main.ts", import.meta.url));
/** Loaded into the process: what it used is written as its last words. */
const reporter = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => { const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write("\\n" + JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMiB: maxRSS / 1024 })); });',
)}`;

export async function benchCheck(count: number): Promise<CheckResult> {
  const folder = await mkdtemp(join(tmpdir(), "gw-bench-check-"));
  try {
    const manifests = join(folder, "manifests");
    await makeBed(manifests, join(folder, "scratch"), count, "one-file", { listen: 80, backend: 8080 });
    const started = performance.now();
    const child = spawn(process.execPath, ["--conditions=source", "--import", reporter, main, "check", manifests], {
      stdio: ["ignore", "inherit", "pipe"],
    });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
    const [code] = (await once(child, "close")) as [number | null];
    if (code !== 0) throw new Error(said);
    const ms = performance.now() - started;
    const usage = JSON.parse(said.slice(said.lastIndexOf("\n"))) as Pick<CheckResult, "cpuMs" | "peakMiB">;
    return { routes: count, ms: Math.round(ms), cpuMs: Math.round(usage.cpuMs), peakMiB: Math.round(usage.peakMiB) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `npm run bench -- check [1,1000,10000]` */
export async function benchChecks(counts: string = "1,1000,10000"): Promise<number> {
  const results: CheckResult[] = [];
  for (const count of counts.split(",").map(Number)) results.push(await benchCheck(count));
  console.table(results);
  const [first, last] = [results.at(0), results.at(-1)];
  if (first === undefined || last === undefined || first === last) return 0;
  const perSecond = (last.routes - first.routes) / ((last.cpuMs - first.cpuMs) / 1000);
  console.log(`${Math.round(perSecond)} routes for each second of CPU, the start left aside`);
  return 0;
}
