import { spread } from "../statistics.ts";
import { perChange, spreadFigures } from "./figures.ts";
import { route, routeName } from "./objects.ts";
import { probeRoute } from "./probes.ts";
import { pause } from "./program.ts";
import type { Session } from "./session.ts";
import type { Figures } from "./workload.ts";

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
        const asked = await probeRoute(session, name);
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
