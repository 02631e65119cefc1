import { askUntil, isNotFound } from "./asking.ts";
import { route } from "./objects.ts";
import { probeNew } from "./probes.ts";
import type { Session } from "./session.ts";
import type { Figures, Workload } from "./workload.ts";

const name = "poisoned";

export const badFilter: Workload = {
  name: "W8-checked",
  title: "new routes beside one whose filter the implementation's own checks refuse",
  whyNot: ({ side }) => (side.headerFilter === undefined ? "it has no equal of an HTTPFilter" : undefined),
  run: async ({ session, changes, record }) => record("W8 checked", await besideBad(session, changes("W2"))),
};

/** `sent` is what came to Envoy for the one that is refused, in bytes; the other figures are those of new routes meanwhile. */
async function besideBad(session: Session, changes: number): Promise<Figures> {
  const { writer, side } = session;
  const filter = side.headerFilter;
  if (filter === undefined) throw new Error(`${side.name} has no filter of this kind`);
  const broken = filter.broken(name);
  try {
    const { cost } = await session.measure(async () => {
      await writer.create(broken);
      await writer.create(route(name, filter.extension === undefined ? {} : { extension: filter.extension }));
      // Whoever sees the route before the policy answers 200 for a moment.
      await askUntil(name, isRefused, () => true, { withinMs: 30_000 });
    });
    const before = await refused(session);
    const figures = await probeNew(session, changes);
    return { ...figures, sent: cost.bytes, refused: (await refused(session)) - before };
  } finally {
    await writer.remove(route(name));
    await writer.remove(broken);
    await askUntil(name, isNotFound, () => true);
    await session.quiet();
  }
}

/** As the Gateway API wants it for a filter that cannot be applied. */
const isRefused = ({ status }: { readonly status: number }): boolean => status === 500;

/** Answers of Envoy that it does not take something, of all kinds that a control plane sends. */
async function refused(session: Session): Promise<number> {
  const text = await session.envoy().admin("/stats?filter=update_rejected$");
  return [...text.matchAll(/: (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}
