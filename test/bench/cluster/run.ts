import { mkdir, rm } from "node:fs/promises";
import { openSession, type Session, sessionFolder } from "./session.ts";
import type { Side, SideName } from "./sides/side.ts";
import {
  changeUnderLoad,
  churn,
  deleteRoutes,
  type Figures,
  idle,
  loadRoutes,
  probeChange,
  probeEndpoints,
  probeNew,
  restart,
  type WorkloadName,
} from "./workloads.ts";

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
  readonly workloads: ReadonlySet<WorkloadName>;
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
      const outcome = async (workload: string, figures: Promise<Figures>) => {
        const startedMs = performance.now();
        await onOutcome({ side: side.name, round, routes, workload, figures: await figures });
        report(
          `round ${round}, ${side.name}, ${routes} routes, ${workload}: ${Math.round((performance.now() - startedMs) / 1000)} s`,
        );
      };
      await outcome("W1", loadRoutes(session, from, routes, options));
      from = routes;
      await each(session, routes, options, outcome);
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

async function each(
  session: Session,
  routes: number,
  { workloads, probes }: Pick<RunOptions, "workloads" | "probes">,
  outcome: (workload: string, figures: Promise<Figures>) => Promise<void>,
): Promise<void> {
  if (workloads.has("W2")) {
    // The first ones pay for the start: code that is compiled, memory that is reached for.
    await probeNew(session, 5);
    await outcome("W2 new route", probeNew(session, probes));
    await outcome("W2 changed route", probeChange(session, routes, probes));
  }
  if (workloads.has("W3") && session.side.writesStatuses) await outcome("W3", changeUnderLoad(session, 50));
  if (workloads.has("W4")) await outcome("W4", probeEndpoints(session, probes));
  if (workloads.has("W5")) await outcome("W5", churn(session, routes, 10, 15));
  if (workloads.has("W12")) await outcome("W12", idle(session, 15));
  if (workloads.has("W10")) await outcome("W10", restart(session, routes));
}
