import { spread } from "../statistics.ts";
import { askUntil, isOk } from "./asking.ts";
import { perChange, spreadFigures } from "./figures.ts";
import { route } from "./objects.ts";
import { betweenMs } from "./probes.ts";
import { pause } from "./program.ts";
import { listenerChanges } from "./rotation.ts";
import type { Session } from "./session.ts";
import type { Figures, Workload } from "./workload.ts";

const name = "filtered";
const header = "x-filtered";
const withinMs = 30_000;

export const filterEdit: Workload = {
  name: "W7",
  title: "edits of a filter of Envoy's that a route names",
  whyNot: ({ side }) => (side.headerFilter === undefined ? "it has no equal of an HTTPFilter" : undefined),
  run: async ({ session, changes, record }) => record("W7", await editFilter(session, changes("W7"))),
};

async function editFilter(session: Session, changes: number): Promise<Figures> {
  const { writer, side } = session;
  const filter = side.headerFilter;
  if (filter === undefined) throw new Error(`${side.name} has no filter of this kind`);
  const value = (at: number) => filter.object(name, header, `v${at}`);
  const isSeen = (at: number) => (answer: { readonly headers: Readonly<Record<string, unknown>> }) =>
    answer.headers[header] === `v${at}`;
  await writer.create(value(0));
  await writer.create(route(name, filter.extension === undefined ? {} : { extension: filter.extension }));
  try {
    // Whoever sees the route before the filter answers otherwise for a moment.
    await askUntil(name, isSeen(0), () => true, { withinMs });
    await session.quiet();
    const times: number[] = [];
    let wrong = 0;
    const before = await listenerChanges(session);
    const { cost } = await session.measure(async () => {
      for (let at = 1; at <= changes; at++) {
        const sinceMs = performance.now();
        const written = writer.merge(value(at));
        const asked = await askUntil(name, isSeen(at), isOk, { sinceMs, withinMs });
        await written;
        times.push(asked.ms);
        wrong += asked.wrong;
        await pause(betweenMs);
      }
    });
    const listeners = (await listenerChanges(session)) - before;
    return { ...spreadFigures(spread(times)), wrong, listeners, ...perChange(cost, changes) };
  } finally {
    await writer.remove(route(name));
    await writer.remove(value(0));
    await session.quiet();
  }
}
