import { askUntil, isNotFound, isOk } from "./asking.ts";
import { perChange } from "./figures.ts";
import { hostOf, httpPort, route, services, versionHeader } from "./objects.ts";
import type { Cost, Session } from "./session.ts";
import { startSteadyLoad } from "./steady-load.ts";
import type { Figures } from "./workload.ts";

const name = "under-load";

/**
 * While a client asks all the time, a route's backend and header change, and after that the order of its rules. Nothing but 200 may come back.
 *
 * @param changes of each of the two kinds
 */
export async function changeUnderLoad(session: Session, changes: number): Promise<Figures> {
  const { writer } = session;
  const edition = (at: number, isReordered: boolean) =>
    route(name, {
      version: `v${at}`,
      backend: services[isReordered ? 0 : at % services.length] ?? "app-a",
      extraFirst: isReordered && at % 2 === 1,
    });
  await writer.create(edition(0, false));
  await askUntil(name, isOk, isNotFound);
  const load = startSteadyLoad({ port: httpPort, host: hostOf(name) }, { connections: 4, perSecond: 500 });
  let cost: Cost;
  try {
    // Envoy is quiet only when nobody asks.
    ({ cost } = await session.measure(async () => {
      for (let at = 1; at <= 2 * changes; at++) {
        await writer.merge(edition(at, at > changes));
        await askUntil(name, ({ headers }) => headers[versionHeader] === `v${at}`, isOk, { withinMs: 30_000 });
      }
    }, load.stop));
  } finally {
    await load.stop();
    await writer.remove(route(name));
    await askUntil(name, isNotFound, isOk);
    await session.quiet();
  }
  const answers = await load.stop();
  const all = [...answers.values()].reduce((sum, count) => sum + count, 0);
  const wrong = all - (answers.get("200") ?? 0);
  return { answers: all, answersPerSecond: all / (cost.wallMs / 1000), wrong, ...perChange(cost, 2 * changes) };
}
