// One implementation in a cluster of its own, with its Envoy and two backends, and what is measured of them.
import path from "node:path";
import { type EchoBackend, startEchoBackend } from "../../support/echo-backend.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { cpuMs, memory, type Memory } from "../process-usage.ts";
import { type ApiBed, startApiBed, writesBetween } from "./api-bed.ts";
import { type ClusterWriter, createWriter } from "./cluster-writer.ts";
import { type Envoy, startEnvoy } from "./envoy.ts";
import { endpointSlice, gateway, gatewayClass, namespace, secret, service, services } from "./objects.ts";
import { hostAddress } from "./own-network.ts";
import { pause, type Program } from "./program.ts";
import { createRouteWatch, type RouteWatch } from "./route-watch.ts";
import { definitions } from "./sides/ours.ts";
import type { OwnCounters, Side } from "./sides/side.ts";

/** Counters at one moment. */
type Counters = {
  readonly atMs: number;
  readonly sideCpuMs: number;
  readonly envoyCpuMs: number;
  readonly apiServerCpuMs: number;
  readonly etcdCpuMs: number;
  readonly bytes: number;
  readonly requests: ReadonlyMap<string, number>;
  readonly statusWrites: number;
  readonly own: OwnCounters | undefined;
};

/** What came to pass between two moments. */
export type Cost = {
  readonly wallMs: number;
  readonly sideCpuMs: number;
  readonly envoyCpuMs: number;
  readonly apiServerCpuMs: number;
  readonly etcdCpuMs: number;
  /** That Envoy received from the control plane. */
  readonly bytes: number;
  /** Writes that the API server took, by verb and resource; the benchmark's own are among them. */
  readonly writes: Readonly<Record<string, number>>;
  /** Writes of routes that did not change what users had asked for. */
  readonly routeStatusWrites: number;
  readonly computations?: number;
  readonly resources?: number;
};

export type Session = {
  readonly side: Side;
  readonly bed: ApiBed;
  readonly writer: ClusterWriter;
  readonly watch: RouteWatch;
  readonly backends: readonly [EchoBackend, EchoBackend];
  readonly envoy: () => Envoy;
  readonly memory: () => Promise<{ readonly side: Memory; readonly envoy: Memory }>;
  /** Runs the work, waits until all is quiet, and tells what it cost. */
  readonly measure: <T>(work: () => Promise<T>) => Promise<{ readonly result: T; readonly cost: Cost }>;
  /** CPU that the implementation has used since its start. */
  readonly sideCpuMs: () => Promise<number>;
  /** Waits until neither the implementation nor Envoy has anything to do. */
  readonly quiet: () => Promise<void>;
  readonly startSide: () => Promise<void>;
  readonly stopSide: () => Promise<void>;
  readonly startEnvoy: () => Promise<void>;
  readonly stopEnvoy: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const quietPatienceMs = 15_000;

export async function openSession(side: Side, folder: string, report: (line: string) => void): Promise<Session> {
  const bed = await startApiBed(folder, report);
  const writer = createWriter(bed.api);
  await bed.kubectl(["apply", "--server-side", "--filename=-"], await definitions());
  await bed.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "--all", "crds"]);
  const backends = [
    await startEchoBackend("one", 0, hostAddress),
    await startEchoBackend("two", 0, hostAddress),
  ] as const;
  await side.prepare(bed);
  const { certificate, privateKey } = makeCertificate({ dnsNames: ["secure.example.com"] });
  for (const object of [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    gatewayClass(side.className, side.controllerName),
    secret(certificate, privateKey),
    ...services.map(service),
    ...services.map((name) => endpointSlice(name, backends[0].port)),
    gateway(side.className),
  ])
    await writer.create(object);
  const watch = createRouteWatch(bed.api, side.controllerName);
  await watch.listed;
  let program: Program | undefined;
  let envoy: Envoy | undefined;
  const theSide = (): Program => program ?? notRunning(side.name);
  const theEnvoy = (): Envoy => envoy ?? notRunning("Envoy");

  const usage = async () => ({
    atMs: performance.now(),
    sideCpuMs: program === undefined ? 0 : await cpuMs(program.pid),
    envoyCpuMs: envoy === undefined ? 0 : await cpuMs(envoy.program.pid),
    apiServerCpuMs: await cpuMs(bed.apiServer.pid),
    etcdCpuMs: await cpuMs(bed.etcd.pid),
  });
  const counts = async () => ({
    bytes: envoy === undefined ? 0 : await envoy.receivedBytes(),
    requests: await bed.requests(),
    statusWrites: watch.statusWrites(),
    own: program === undefined ? undefined : await side.ownCounters?.(),
  });

  const quiet = async () => {
    const busy = async () =>
      (program === undefined ? 0 : await cpuMs(program.pid)) +
      (envoy === undefined ? 0 : await cpuMs(envoy.program.pid));
    // Under a profiler there is always something.
    const endMs = performance.now() + quietPatienceMs;
    for (let last = await busy(), calm = 0; calm < 2 && performance.now() < endMs; ) {
      await pause(400);
      await program?.mustRun();
      const now = await busy();
      calm = now - last < 6 ? calm + 1 : 0;
      last = now;
    }
  };

  return {
    side,
    bed,
    writer,
    watch,
    backends,
    envoy: theEnvoy,
    memory: async () => ({ side: await memory(theSide().pid), envoy: await memory(theEnvoy().program.pid) }),
    measure: async (work) => {
      // Who is asked for counters has work of it, which is to stay outside.
      const before: Counters = { ...(await counts()), ...(await usage()) };
      const result = await work();
      const doneMs = performance.now();
      await quiet();
      const after: Counters = { ...(await usage()), ...(await counts()) };
      return { result, cost: costBetween(before, after, doneMs) };
    },
    quiet,
    sideCpuMs: () => cpuMs(theSide().pid),
    startSide: async () => {
      program = await side.start(bed);
    },
    stopSide: async () => {
      await program?.stop();
      program = undefined;
    },
    startEnvoy: async () => {
      envoy = await startEnvoy(await side.envoyOptions(bed));
    },
    stopEnvoy: async () => {
      await envoy?.stop();
      envoy = undefined;
    },
    close: async () => {
      watch.close();
      await envoy?.stop();
      await program?.stop();
      await bed.stop();
      for (const backend of backends) await backend.close();
    },
  };
}

function costBetween(before: Counters, after: Counters, doneMs: number): Cost {
  return {
    wallMs: doneMs - before.atMs,
    sideCpuMs: after.sideCpuMs - before.sideCpuMs,
    envoyCpuMs: after.envoyCpuMs - before.envoyCpuMs,
    apiServerCpuMs: after.apiServerCpuMs - before.apiServerCpuMs,
    etcdCpuMs: after.etcdCpuMs - before.etcdCpuMs,
    bytes: after.bytes - before.bytes,
    writes: Object.fromEntries(writesBetween(before.requests, after.requests)),
    routeStatusWrites: after.statusWrites - before.statusWrites,
    ...(after.own !== undefined &&
      before.own !== undefined && {
        computations: after.own.computations - before.own.computations,
        resources: after.own.resources - before.own.resources,
      }),
  };
}

const notRunning = (name: string): never => {
  throw new Error(`${name} does not run`);
};

export const sessionFolder = (out: string, side: Side, round: number): string =>
  path.join(out, `${side.name}-${round}`);
