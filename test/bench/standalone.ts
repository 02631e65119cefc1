// Standalone mode with N routes: how long until all is served, what one edit costs, what it sends, what stays in memory.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEchoBackend } from "../support/echo-backend.ts";
import { envoyBinary } from "../support/envoy.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send } from "../support/http-client.ts";
import { childNamed, cpuMs, memory } from "./process-usage.ts";
import { type Bed, hostOf, type Layout, makeBed } from "./routes.ts";
import { round, type Spread, spread } from "./statistics.ts";

export type StandaloneResult = {
  readonly routes: number;
  readonly layout: Layout;
  /** From the start of the process until the last route answers 200. */
  readonly startMs: number;
  /** CPU of the operator by then. */
  readonly startCpuMs: number;
  /** From the rename of the file until the first answer with the edit. */
  readonly editMs: Spread;
  /** CPU of the operator for one edit, reading the file included. */
  readonly editCpuMs: number;
  /** The part of it that is reading: CPU of the operator for a file in which only an annotation changed. */
  readonly readCpuMs: number;
  /** The same of Envoy. */
  readonly envoyCpuMs: number;
  /** What Envoy received over ADS for one edit. */
  readonly editBytes: number;
  readonly operatorMiB: number;
  readonly operatorPeakMiB: number;
  readonly envoyMiB: number;
};

const root = fileURLToPath(new URL("../..", import.meta.url));

export async function benchStandalone(routes: number, layout: Layout, edits: number): Promise<StandaloneResult> {
  const folder = await mkdtemp(join(tmpdir(), "gatewright-bench-"));
  const backend = await startEchoBackend("app");
  const port = await freePort();
  const adminPort = await freePort();
  const manifests = join(folder, "manifests");
  const bed = await makeBed(manifests, join(folder, "scratch"), routes, layout, {
    listen: port,
    backend: backend.port,
  });
  const args = ["--conditions=source", join(root, "operator/src/main.ts"), "standalone", manifests];
  const flags = [
    "--envoy",
    await envoyBinary(),
    "--admin-port",
    String(adminPort),
    "--plain",
    "--log-level",
    "error",
    "--concurrency",
    "2",
  ];
  const started = performance.now();
  const child = spawn(process.execPath, [...args, ...flags], { stdio: ["ignore", "ignore", "inherit"] });
  const pid = child.pid ?? 0;
  const exited = once(child, "exit");
  try {
    await eventually({ port, host: hostOf(routes - 1) }, "/", ({ status }) => status === 200, { withinMs: 300_000 });
    const startMs = performance.now() - started;
    const startCpuMs = await cpuMs(pid);
    const envoy = await childNamed(pid, "envoy");
    await quiet(pid);

    // The first edits still pay for the start: code that is compiled, garbage that is collected.
    await editRoutes(bed, port, routes, edits, "warm");
    await quiet(pid);

    const before = { operator: await cpuMs(pid), envoy: await cpuMs(envoy), bytes: await adsBytes(adminPort) };
    const times = await editRoutes(bed, port, routes, edits, "v");
    await quiet(pid);
    const after = { operator: await cpuMs(pid), envoy: await cpuMs(envoy), bytes: await adsBytes(adminPort) };
    const unread = await cpuMs(pid);
    for (let edit = 1; edit <= edits; edit++) {
      await bed.annotate((edit * 7919) % routes, String(edit));
      // Nothing shows when it has been read; this is longer than it takes, so that edits are not gathered.
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await quiet(pid);
    const readCpuMs = ((await cpuMs(pid)) - unread) / edits;
    const { residentMiB, peakMiB } = await memory(pid);
    return {
      routes,
      layout,
      startMs: round(startMs, 0),
      startCpuMs: round(startCpuMs, 0),
      editMs: spread(times.map((time) => round(time))),
      editCpuMs: round((after.operator - before.operator) / edits, 2),
      readCpuMs: round(readCpuMs, 2),
      envoyCpuMs: round((after.envoy - before.envoy) / edits, 2),
      editBytes: Math.round((after.bytes - before.bytes) / edits),
      operatorMiB: round(residentMiB, 0),
      operatorPeakMiB: round(peakMiB, 0),
      envoyMiB: round((await memory(envoy)).residentMiB, 0),
    };
  } finally {
    child.kill("SIGTERM");
    await exited;
    await backend.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Edits routes one after the other, each until it shows; gives how long each took, in milliseconds. */
async function editRoutes(bed: Bed, port: number, routes: number, edits: number, prefix: string): Promise<number[]> {
  const times: number[] = [];
  for (let edit = 1; edit <= edits; edit++) {
    const index = (edit * 7919) % routes;
    const edited = performance.now();
    await bed.edit(index, `${prefix}${edit}`);
    await untilVersion(port, hostOf(index), `${prefix}${edit}`);
    times.push(performance.now() - edited);
  }
  return times;
}

/** Asks every few milliseconds until the edit shows. */
async function untilVersion(port: number, host: string, version: string): Promise<void> {
  for (;;) {
    const { headers, status } = await send({ port, host }, "/");
    if (status === 200 && headers["x-version"] === version) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Waits until a process has used less than 5 ms of CPU in half a second. */
async function quiet(pid: number): Promise<void> {
  for (let last = await cpuMs(pid); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = await cpuMs(pid);
    if (now - last < 5) return;
    last = now;
  }
}

/** Bytes that Envoy has received from its control plane. */
function adsBytes(adminPort: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const path = "/stats?filter=cluster.gatewright-ads.upstream_cx_rx_bytes_total";
    get({ host: "127.0.0.1", port: adminPort, path, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => resolve(Number(/: (\d+)/.exec(body)?.[1] ?? Number.NaN)));
    }).on("error", reject);
  });
}
