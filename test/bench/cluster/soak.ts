// Whether anything grows while nothing does: routes and endpoints change for a long time, and none is more than before.
import { endpointSlice, route, routeName } from "./objects.ts";
import { pause } from "./program.ts";
import type { Session } from "./session.ts";
import { type Slope, slopeOf } from "./slope.ts";
import type { Figures, Workload } from "./workload.ts";

/** Of each of the two kinds. */
const changesPerSecond = 10;
const samples = 40;
/** Of the time, before what is sampled counts: caches fill, code is compiled. */
const warmUp = 0.25;

export const soak: Workload = {
  name: "W13",
  title: "the soak: routes and endpoints change, 10 a second each, for a long time",
  run: async ({ session, routes, soakMs, report, record }) =>
    record("W13", await changeForLong(session, routes, soakMs, report)),
};

type Sample = {
  readonly hours: number;
  readonly residentMiB: number;
  readonly envoyMiB: number;
  readonly cpuMs: number;
  readonly heapMiB: number | undefined;
};

async function changeForLong(
  session: Session,
  routes: number,
  soakMs: number,
  report: (line: string) => void,
): Promise<Figures> {
  const { writer, backends } = session;
  const beganMs = performance.now();
  const endMs = beganMs + soakMs;
  const taken: Sample[] = [];
  const sample = async () => {
    // Before the collection, which is work that nobody else asks for.
    const cpuMs = await session.sideCpuMs();
    const memory = await session.memory();
    taken.push({
      hours: (performance.now() - beganMs) / 3_600_000,
      residentMiB: memory.side.residentMiB,
      envoyMiB: memory.envoy.residentMiB,
      cpuMs,
      heapMiB: await session.heapMiB(),
    });
  };
  const steadily = async (change: (at: number) => Promise<void>) => {
    let at = 0;
    for (; performance.now() < endMs; at++) {
      await change(at);
      const dueMs = beganMs + ((at + 1) * 1000) / changesPerSecond;
      if (dueMs > performance.now()) await pause(dueMs - performance.now());
    }
    return at;
  };
  const sampling = async () => {
    for (let at = 0; at < samples; at++) {
      await pause(Math.max(0, beganMs + ((at + 1) * soakMs) / samples - performance.now()));
      await sample();
      if (at % 10 === 9) report(`${session.side.name}, W13: ${Math.round((100 * (at + 1)) / samples)} %`);
    }
  };
  const [edits, moves] = await Promise.all([
    steadily((at) => writer.merge(route(routeName((at * 7919) % routes), { version: `s${at}` }))),
    steadily((at) => writer.merge(endpointSlice("app-a", backends[at % 2 === 0 ? 1 : 0].port))),
    sampling(),
  ]);
  await writer.merge(endpointSlice("app-a", backends[0].port));
  await session.quiet();
  const counted = taken.slice(Math.floor(warmUp * taken.length));
  const over = (figure: (sample: Sample) => number | undefined): Slope | undefined =>
    slopeOf(counted.flatMap((one) => (figure(one) === undefined ? [] : [{ x: one.hours, y: figure(one) ?? 0 }])));
  return {
    minutes: soakMs / 60_000,
    edits,
    moves,
    cpuMsPerSecond: ((counted.at(-1)?.cpuMs ?? 0) - (counted[0]?.cpuMs ?? 0)) / secondsOf(counted),
    ...slopeFigures(
      "heap",
      over(({ heapMiB }) => heapMiB),
    ),
    ...slopeFigures(
      "resident",
      over(({ residentMiB }) => residentMiB),
    ),
    ...slopeFigures(
      "envoy",
      over(({ envoyMiB }) => envoyMiB),
    ),
  };
}

const secondsOf = (all: readonly Sample[]): number => ((all.at(-1)?.hours ?? 0) - (all[0]?.hours ?? 0)) * 3600;

const slopeFigures = (name: string, slope: Slope | undefined): Figures =>
  slope === undefined
    ? {}
    : {
        [`${name}MiB`]: slope.mean,
        [`${name}MiBPerHour`]: slope.slope,
        [`${name}MiBPerHourNoise`]: slope.noise,
      };
