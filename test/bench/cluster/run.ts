import { mkdir, rm } from "node:fs/promises";
import { openSession, sessionFolder } from "./session.ts";
import type { Side, SideName } from "./sides/side.ts";
import type { Figures } from "./workload.ts";
import { workloads as known } from "./workload-list.ts";
import { deleteRoutes, loadRoutes } from "./workloads.ts";

/** What one workload came to. */
export type Outcome = {
  readonly side: SideName;
  readonly round: number;
  readonly routes: number;
  readonly workload: string;
  readonly figures: Figures;
};

export type RunOptions = {
  readonly sides: readonly Side[];
  readonly counts: readonly number[];
  readonly rounds: number;
  readonly workloads: ReadonlySet<string>;
  /** Changes of each kind that are measured one after the other. */
  readonly probes: number;
  /** Routes that are not made through the API server come with a status, as if they had been there before. */
  readonly withStatuses: boolean;
  readonly folder: string;
  readonly report: (line: string) => void;
  readonly onOutcome: (outcome: Outcome) => Promise<void>;
};

/** Every side in turn, as often as there are rounds: what befalls the machine befalls all of them. */
export async function runRounds(options: RunOptions): Promise<void> {
  for (let round = 1; round <= options.rounds; round++)
    for (const side of options.sides) await runSide(side, round, options);
}

async function runSide(side: Side, round: number, options: RunOptions): Promise<void> {
  const { counts, workloads, report, onOutcome } = options;
  const folder = sessionFolder(options.folder, side, round);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  report(`round ${round}, ${side.name}: starting`);
  const session = await openSession(side, folder, report);
  try {
    await session.startSide();
    await session.startEnvoy();
    let from = 0;
    for (const routes of counts.toSorted((a, b) => a - b)) {
      const record = (workload: string, figures: Figures) =>
        onOutcome({ side: side.name, round, routes, workload, figures });
      await record("W1", await loadRoutes(session, from, routes, options));
      from = routes;
      for (const workload of known) {
        if (!workloads.has(workload.name) || workload.whyNot?.(session) !== undefined) continue;
        const startedMs = performance.now();
        await workload.run({ session, routes, probes: options.probes, soakMs: 60_000, report, record });
        const seconds = Math.round((performance.now() - startedMs) / 1000);
        report(`round ${round}, ${side.name}, ${routes} routes, ${workload.name}: ${seconds} s`);
      }
    }
    if (workloads.has("W11"))
      await onOutcome({
        side: side.name,
        round,
        routes: from,
        workload: "W11",
        figures: await deleteRoutes(session, from),
      });
  } finally {
    await session.close();
  }
}
