// One change after the other, each seen through Envoy before the next.
import { spread } from "../statistics.ts";
import { askUntil, isNotFound, isOk } from "./asking.ts";
import { perChange, prefixed, spreadFigures } from "./figures.ts";
import { endpointSlice, route, routeName, versionHeader } from "./objects.ts";
import { pause } from "./program.ts";
import type { Session } from "./session.ts";
import type { Figures } from "./workload.ts";

/** Between one change and the next: each is to be one of its own. */
export const betweenMs = 100;

/** Makes a route, and asks until its first 200. */
export async function probeRoute({ writer }: Session, name: string): Promise<Awaited<ReturnType<typeof askUntil>>> {
  const sinceMs = performance.now();
  const created = writer.create(route(name));
  const asked = await askUntil(name, isOk, isNotFound, { sinceMs });
  await created;
  return asked;
}

/** New routes, one after the other: from the request that makes it until the first 200. */
export async function probeNew(session: Session, probes: number): Promise<Figures> {
  const { writer } = session;
  const times: number[] = [];
  let wrong = 0;
  const names = Array.from({ length: probes }, (_, at) => `probe-${at}`);
  const { cost } = await session.measure(async () => {
    for (const name of names) {
      const asked = await probeRoute(session, name);
      times.push(asked.ms);
      wrong += asked.wrong;
      await pause(betweenMs);
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
    await pause(betweenMs);
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
      await pause(betweenMs);
    }
  });
  await writer.merge(endpointSlice("app-a", backends[0].port));
  await session.quiet();
  return { ...spreadFigures(spread(times)), wrong, ...perChange(cost, changes) };
}
