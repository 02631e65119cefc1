// All routes come, all routes go.
import { ask, askUntil, isNotFound, isOk } from "./asking.ts";
import { inParallel, objectPath } from "./cluster-writer.ts";
import { costFigures } from "./figures.ts";
import { route, routeName } from "./objects.ts";
import { until } from "./program.ts";
import { seedRoutes } from "./seed.ts";
import type { Session } from "./session.ts";
import type { Figures } from "./workload.ts";

const creators = 8;
/** Ten times what the slowest needs. */
const timeoutMs = (routes: number): number => 60_000 + 200 * routes;

export type Load = {
  /** Routes that are there. */
  readonly from: number;
  readonly to: number;
  /** Put where the API server keeps them, with the status of the first one; left alone, they come as users bring them. */
  readonly isSeeded: boolean;
};

/** Brings the routes, and tells how long until the last one answers and all statuses stand. */
export async function loadRoutes(session: Session, { from, to, isSeeded }: Load): Promise<Figures> {
  const { writer, watch, side } = session;
  const indexes = Array.from({ length: to - from }, (_, at) => from + at);
  const last = routeName(to - 1);
  const withinMs = timeoutMs(to);
  const state = () =>
    `${watch.routes()} routes seen, ${watch.withStatus()} with a status, ${watch.attachedRoutes()} attached`;
  const status = isSeeded && side.writesStatuses ? await statusOf(session, routeName(0)) : undefined;
  const { result, cost } = await session.measure(async () => {
    const beganMs = performance.now();
    if (isSeeded)
      await seedRoutes(
        indexes.map((index) => route(routeName(index))),
        status,
      );
    else await inParallel(indexes, creators, (index) => writer.create(route(routeName(index))));
    const createdMs = performance.now();
    const done: Record<string, number> = { createMs: createdMs - beganMs };
    const since = async (name: string, isSo: () => Promise<boolean> | boolean) => {
      await until(name, isSo, { withinMs, state });
      done[name] = performance.now() - createdMs;
    };
    await Promise.all([
      since("lastRouteMs", () => ask(last).then(isOk, () => false)),
      ...(side.writesStatuses
        ? [
            since("attachedMs", () => watch.attachedRoutes() === to),
            since("statusesMs", () => watch.withStatus() === to),
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

/** All routes go. */
export async function deleteRoutes(session: Session, count: number): Promise<Figures> {
  const { writer, watch, side } = session;
  const indexes = Array.from({ length: count }, (_, index) => index);
  const last = routeName(count - 1);
  const { result, cost } = await session.measure(async () => {
    await inParallel(indexes, creators, (index) => writer.remove(route(routeName(index))));
    const removedMs = performance.now();
    await askUntil(last, isNotFound, isOk, { withinMs: timeoutMs(count), everyMs: 20 });
    const goneMs = performance.now() - removedMs;
    if (side.writesStatuses)
      await until("attachedRoutes is 0", () => watch.attachedRoutes() === 0, { withinMs: timeoutMs(count) });
    return { goneMs, detachedMs: performance.now() - removedMs };
  });
  const { side: sideMemory } = await session.memory();
  return { ...result, ...costFigures(cost), sideMiB: sideMemory.residentMiB };
}
