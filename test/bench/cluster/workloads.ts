// What is done to an implementation, in the order in which it is done at each number of routes.
import { spread, type Spread } from "../statistics.ts";
import { ask, askUntil, isNotFound, isOk } from "./asking.ts";
import { inParallel, objectPath } from "./cluster-writer.ts";
import { endpointSlice, httpPort, hostOf, route, routeName, services, versionHeader } from "./objects.ts";
import { startLoad } from "../../support/http-client.ts";
import { pause, until } from "./program.ts";
import { seedRoutes } from "./seed.ts";
import type { Cost, Session } from "./session.ts";
import type { Figures } from "./workload.ts";

const creators = 8;
/** More than these are not made through the API server. */
const mostCreated = 2_000;
const loadTimeoutMs = 900_000;

/** Brings the number of routes to `count`, and tells how long until the last one answers and all statuses stand. */
export async function loadRoutes(
  session: Session,
  from: number,
  count: number,
  { withStatuses }: { readonly withStatuses: boolean },
): Promise<Figures> {
  const { writer, watch, side } = session;
  const indexes = Array.from({ length: count - from }, (_, at) => from + at);
  const last = routeName(count - 1);
  const state = () =>
    `${watch.routes()} routes seen, ${watch.withStatus()} with a status, ${watch.attachedRoutes()} attached`;
  // What was said to the first of them: all are alike.
  const status = withStatuses && from > 0 ? await statusOf(session, routeName(0)) : undefined;
  const { result, cost } = await session.measure(async () => {
    const beganMs = performance.now();
    if (indexes.length > mostCreated)
      await seedRoutes(
        indexes.map((index) => route(routeName(index))),
        status,
      );
    else await inParallel(indexes, creators, (index) => writer.create(route(routeName(index))));
    const createdMs = performance.now();
    const done: Record<string, number> = { createMs: createdMs - beganMs };
    const since = async (name: string, isSo: () => Promise<boolean> | boolean) => {
      await until(name, isSo, { withinMs: loadTimeoutMs, state });
      done[name] = performance.now() - createdMs;
    };
    await Promise.all([
      since("lastRouteMs", () => ask(last).then(isOk, () => false)),
      ...(side.writesStatuses
        ? [
            since("attachedMs", () => watch.attachedRoutes() === count),
            // What came with a status says nothing of when it was written.
            ...(status === undefined ? [since("statusesMs", () => watch.withStatus() === count)] : []),
          ]
        : []),
    ]);
    return done;
  });
  return { ...result, routes: indexes.length, ...costFigures(cost) };
}

async function statusOf({ writer }: Session, name: string): Promise<unknown> {
  const read = await writer.read(objectPath(route(name)));
  return (read as { readonly status?: unknown }).status;
}

/** New routes, one after the other: from the request that makes it until the first 200. */
export async function probeNew(session: Session, probes: number): Promise<Figures> {
  const { writer } = session;
  const times: number[] = [];
  let wrong = 0;
  const names = Array.from({ length: probes }, (_, at) => `probe-${at}`);
  const { cost } = await session.measure(async () => {
    for (const name of names) {
      const sinceMs = performance.now();
      const created = writer.create(route(name));
      const asked = await askUntil(name, isOk, isNotFound, { sinceMs });
      await created;
      times.push(asked.ms);
      wrong += asked.wrong;
      await pause(150);
    }
  });
  const removal = await session.measure(async () => {
    for (const name of names) await writer.remove(route(name));
    await askUntil(names.at(-1) ?? "", isNotFound, isOk);
  });
  return {
    ...spreadFigures(spread(times)),
    wrong,
    ...perChange(cost, probes),
    ...prefixed("removal", perChange(removal.cost, probes)),
  };
}

/** A header of one route changes, again and again, each on another route. */
export async function probeChange(session: Session, count: number, changes: number): Promise<Figures> {
  const { writer } = session;
  const times: number[] = [];
  let wrong = 0;
  const change = async (at: number, version: string) => {
    const name = routeName((at * 7919) % count);
    const sinceMs = performance.now();
    const written = writer.merge(route(name, { version }));
    const asked = await askUntil(name, ({ headers }) => headers[versionHeader] === version, isOk, { sinceMs });
    await written;
    times.push(asked.ms);
    wrong += asked.wrong;
    await pause(150);
  };
  const { cost } = await session.measure(async () => {
    for (let at = 1; at <= changes; at++) await change(at, `v${at}`);
  });
  return { ...spreadFigures(spread(times)), wrong, ...perChange(cost, changes) };
}

/** Backends of a Service move to another port and back. */
export async function probeEndpoints(session: Session, changes: number): Promise<Figures> {
  const { writer, backends } = session;
  const times: number[] = [];
  let wrong = 0;
  const { cost } = await session.measure(async () => {
    for (let at = 1; at <= changes; at++) {
      const backend = backends[at % 2 === 0 ? 0 : 1];
      const sinceMs = performance.now();
      const written = writer.merge(endpointSlice("app-a", backend.port));
      const asked = await askUntil(routeName(0), ({ echo }) => echo?.backend === backend.name, isOk, { sinceMs });
      await written;
      times.push(asked.ms);
      wrong += asked.wrong;
      await pause(150);
    }
  });
  await writer.merge(endpointSlice("app-a", backends[0].port));
  await session.quiet();
  return { ...spreadFigures(spread(times)), wrong, ...perChange(cost, changes) };
}

/** While a client asks all the time, a route's backend, header, and the order of its rules change. Nothing but 200 may come back. */
export async function changeUnderLoad(session: Session, changes: number): Promise<Figures> {
  const { writer } = session;
  const name = "under-load";
  await writer.create(route(name, { extraFirst: true }));
  await askUntil(name, isOk, isNotFound);
  const load = startLoad({ port: httpPort, host: hostOf(name) }, "/", { connections: 4, pauseMs: 6 });
  const { cost } = await session.measure(async () => {
    for (let at = 1; at <= changes; at++) {
      const backend = services[at % services.length] ?? "app-a";
      const options = { version: `v${at}`, backend, extraFirst: at % 4 < 2 };
      await writer.merge(route(name, options));
      await askUntil(name, ({ headers }) => headers[versionHeader] === options.version, isOk);
    }
  });
  const answers = await load.stop();
  await writer.remove(route(name));
  const all = [...answers.values()].reduce((sum, count) => sum + count, 0);
  const wrong = all - (answers.get("200") ?? 0);
  return { answers: all, wrong, ...perChange(cost, changes) };
}

/** Routes change at a steady rate, while new ones are probed. */
export async function churn(session: Session, count: number, perSecond: number, seconds: number): Promise<Figures> {
  const { writer } = session;
  const times: number[] = [];
  let wrong = 0;
  let changes = 0;
  const before = await session.memory();
  const { cost } = await session.measure(async () => {
    const endMs = performance.now() + seconds * 1000;
    const changing = async () => {
      const beganMs = performance.now();
      while (performance.now() < endMs) {
        await writer.merge(route(routeName((changes * 7919 + 1) % count), { version: `c${changes}` }));
        changes++;
        const dueMs = beganMs + (changes * 1000) / perSecond;
        if (dueMs > performance.now()) await pause(dueMs - performance.now());
      }
    };
    const probing = async () => {
      for (let at = 0; performance.now() < endMs - 1000; at++) {
        const name = `churn-${at}`;
        const sinceMs = performance.now();
        const created = writer.create(route(name));
        const asked = await askUntil(name, isOk, isNotFound, { sinceMs });
        await created;
        times.push(asked.ms);
        wrong += asked.wrong;
        await writer.remove(route(name));
        await pause(500);
      }
    };
    await Promise.all([changing(), probing()]);
  });
  const after = await session.memory();
  return {
    ...spreadFigures(spread(times)),
    wrong,
    changes,
    // Each probe is a new route and one less, besides the edits.
    ...perChange(cost, changes + 2 * times.length),
    residentGrowthMiB: after.side.residentMiB - before.side.residentMiB,
  };
}

/** Nothing happens. */
export async function idle(session: Session, seconds: number): Promise<Figures> {
  const { cost } = await session.measure(() => pause(seconds * 1000));
  const { side, envoy } = await session.memory();
  return {
    cpuMsPerSecond: cost.sideCpuMs / (cost.wallMs / 1000),
    bytes: cost.bytes,
    statusWrites: cost.routeStatusWrites,
    sideMiB: side.residentMiB,
    sidePeakMiB: side.peakMiB,
    envoyMiB: envoy.residentMiB,
  };
}

/** The control plane starts anew beside an Envoy that knows everything; then both do. */
export async function restart(session: Session, count: number): Promise<Figures> {
  const last = routeName(count - 1);
  const writesBefore = session.watch.statusWrites();
  const gatewayWritesBefore = session.watch.gatewayStatusWrites();
  const loads = session.envoy();
  const bytesBefore = await loads.receivedBytes();
  await session.stopSide();
  const beganMs = performance.now();
  await session.startSide();
  await until("Envoy is connected", async () => await isConnected(session));
  const connectedMs = performance.now() - beganMs;
  await session.quiet();
  const own = await session.side.ownCounters?.();
  const kept = {
    restartConnectedMs: connectedMs,
    restartCpuMs: await session.sideCpuMs(),
    restartBytes: (await loads.receivedBytes()) - bytesBefore,
    ...(own && { restartResources: own.resources }),
    restartStatusWrites: session.watch.statusWrites() - writesBefore,
    restartGatewayWrites: session.watch.gatewayStatusWrites() - gatewayWritesBefore,
  };
  await session.stopEnvoy();
  await session.stopSide();
  const coldMs = performance.now();
  await session.startSide();
  const readyMs = performance.now() - coldMs;
  await session.startEnvoy();
  await until("the last route answers", () => ask(last).then(isOk, () => false), { withinMs: loadTimeoutMs });
  const coldStartMs = performance.now() - coldMs;
  await session.quiet();
  const { side } = await session.memory();
  const coldCpuMs = await session.sideCpuMs();
  return { ...kept, coldReadyMs: readyMs, coldStartMs, coldCpuMs, coldPeakMiB: side.peakMiB };
}

async function isConnected(session: Session): Promise<boolean> {
  return (await session.envoy().stat("control_plane.connected_state")) === 1;
}

/** All routes go. */
export async function deleteRoutes(session: Session, count: number): Promise<Figures> {
  const { writer, watch, side } = session;
  const indexes = Array.from({ length: count }, (_, index) => index);
  const last = routeName(count - 1);
  const { result, cost } = await session.measure(async () => {
    await inParallel(indexes, creators, (index) => writer.remove(route(routeName(index))));
    const removedMs = performance.now();
    await askUntil(last, isNotFound, isOk, { withinMs: loadTimeoutMs, everyMs: 20 });
    const goneMs = performance.now() - removedMs;
    if (side.writesStatuses)
      await until("attachedRoutes is 0", () => watch.attachedRoutes() === 0, { withinMs: loadTimeoutMs });
    return { goneMs, detachedMs: performance.now() - removedMs };
  });
  const { side: sideMemory } = await session.memory();
  return { ...result, ...costFigures(cost), sideMiB: sideMemory.residentMiB };
}

const spreadFigures = ({ p50, p95, max }: Spread): Figures => ({ p50Ms: p50, p95Ms: p95, maxMs: max });

const costFigures = (cost: Cost): Figures => ({
  sideCpuMs: cost.sideCpuMs,
  envoyCpuMs: cost.envoyCpuMs,
  apiServerCpuMs: cost.apiServerCpuMs,
  etcdCpuMs: cost.etcdCpuMs,
  bytes: cost.bytes,
  routeStatusWrites: cost.routeStatusWrites,
  gatewayStatusWrites: gatewayWrites(cost),
  ...(cost.computations !== undefined && { computations: cost.computations }),
  ...(cost.resources !== undefined && { resources: cost.resources }),
});

const gatewayWrites = ({ writes }: Cost): number =>
  Object.entries(writes).reduce((sum, [key, count]) => (key.endsWith(" gateways/status") ? sum + count : sum), 0);

const perChange = (cost: Cost, changes: number): Figures =>
  Object.fromEntries(Object.entries(costFigures(cost)).map(([name, value]) => [name, value / changes]));

const prefixed = (prefix: string, figures: Figures): Figures =>
  Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [`${prefix}${name[0]?.toUpperCase() ?? ""}${name.slice(1)}`, value]),
  );
