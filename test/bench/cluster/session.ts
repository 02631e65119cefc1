// One implementation in a cluster of its own, with its Envoy and two backends, and what is measured of them.
import { type EchoBackend, startEchoBackend } from "../../support/echo-backend.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { cpuMs, memory, type Memory } from "../process-usage.ts";
import { type ApiBed, startApiBed, writesBetween } from "./api-bed.ts";
import { type ClusterWriter, createWriter } from "./cluster-writer.ts";
import { type Envoy, startEnvoy } from "./envoy.ts";
import {
  backendPorts,
  endpointSlice,
  gateway,
  gatewayClass,
  namespace,
  secret,
  secureHost,
  service,
  services,
} from "./objects.ts";
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
  /** Runs the work, ends what went on beside it, waits until all is quiet, and tells what it cost. */
  readonly measure: <T>(
    work: () => Promise<T>,
    endOthers?: () => Promise<unknown>,
  ) => Promise<{ readonly result: T; readonly cost: Cost }>;
  /** CPU that the implementation has used since its start. */
  readonly sideCpuMs: () => Promise<number>;
  /** Waits until neither the implementation nor Envoy has had anything to do for so long. */
  readonly quiet: (calmMs?: number) => Promise<void>;
  readonly startSide: () => Promise<void>;
  readonly stopSide: () => Promise<void>;
  readonly startEnvoy: () => Promise<void>;
  readonly stopEnvoy: () => Promise<void>;
  /** Live heap of the implementation after a collection, where there is a way to ask. */
  readonly heapMiB: () => Promise<number | undefined>;
  readonly close: () => Promise<void>;
};

const quietPatienceMs = 15_000;

export type SessionOptions = {
  readonly folder: string;
  /** What was kept of an earlier session of this side. Left out: a new cluster without routes. */
  readonly snapshot?: string;
  readonly report: (line: string) => void;
};

export async function openSession(side: Side, { folder, snapshot, report }: SessionOptions): Promise<Session> {
  const opened = new AsyncDisposableStack();
  try {
    return await openInto(opened, side, { folder, report, ...(snapshot !== undefined && { snapshot }) });
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function openInto(
  opened: AsyncDisposableStack,
  side: Side,
  { folder, snapshot, report }: SessionOptions,
): Promise<Session> {
  const bed = await startApiBed(folder, report, snapshot);
  opened.defer(bed.stop);
  const writer = createWriter(bed.api);
  const [one, two] = backendPorts;
  const backends = [
    await startEchoBackend("one", one, hostAddress),
    await startEchoBackend("two", two, hostAddress),
  ] as const;
  for (const backend of backends) opened.defer(backend.close);
  if (snapshot === undefined) await furnish(side, bed, writer);
  await side.equip?.(bed);
  const watch = createRouteWatch(bed.api, side.controllerName);
  opened.defer(watch.close);
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

  const quiet = async (calmMs = 800) => {
    const busy = async () =>
      (program === undefined ? 0 : await cpuMs(program.pid)) +
      (envoy === undefined ? 0 : await cpuMs(envoy.program.pid));
    // Under a profiler there is always something.
    const endMs = performance.now() + quietPatienceMs + calmMs;
    for (let last = await busy(), calm = 0; calm * 400 < calmMs && performance.now() < endMs; ) {
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
    measure: async (work, endOthers) => {
      // Who is asked for counters has work of it, which is to stay outside.
      const before: Counters = { ...(await counts()), ...(await usage()) };
      const result = await work();
      const doneMs = performance.now();
      await endOthers?.();
      await quiet();
      const after: Counters = { ...(await usage()), ...(await counts()) };
      return { result, cost: costBetween(before, after, doneMs) };
    },
    quiet,
    sideCpuMs: () => cpuMs(theSide().pid),
    heapMiB: async () => await side.heapMiB?.(theSide()),
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
      await envoy?.stop();
      await program?.stop();
      await opened.disposeAsync();
    },
  };
}

/** What is there before any route is. */
async function furnish(side: Side, bed: ApiBed, writer: ClusterWriter): Promise<void> {
  await bed.kubectl(["apply", "--server-side", "--filename=-"], await definitions());
  await bed.kubectl(["wait", "--for=condition=Established", "--timeout=60s", "--all", "crds"]);
  await side.prepare(bed);
  const { certificate, privateKey } = makeCertificate({ dnsNames: [secureHost] });
  for (const object of [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    gatewayClass(side.className, side.controllerName),
    secret(certificate, privateKey),
    ...services.map(service),
    ...services.map((name) => endpointSlice(name, backendPorts[0])),
    gateway(side.className),
  ])
    await writer.create(object);
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
