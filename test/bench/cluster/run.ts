import path from "node:path";
import { type Cell, type CellOptions, measureCell } from "./cell.ts";
import { type PlanOptions, planOf } from "./plan.ts";
import type { ResultFolder } from "./results.ts";
import type { Side } from "./sides/side.ts";

export type RunOptions = PlanOptions & {
  readonly sides: readonly Side[];
  readonly counts: readonly number[];
  readonly rounds: number;
  /** How often a cell is measured anew that others have disturbed. */
  readonly repeats: number;
  readonly soakMs: number;
  readonly results: ResultFolder;
  readonly workFolder: string;
  readonly snapshots?: string;
  readonly report: (line: string) => void;
  readonly onCell?: (cell: Cell) => void;
  /** How a cell is measured. */
  readonly measure?: (options: CellOptions) => Promise<Cell>;
};

/** Share of all processors that may go to others before figures are not to be relied on. */
export const mostForeign = 0.15;

/**
 * In each round, at each number of routes, every side in turn: what befalls the machine befalls all of them, and only one is alive at a
 * time. Tells how many cells could not be measured.
 */
export async function runRounds(options: RunOptions): Promise<number> {
  const { sides, counts, rounds, results, report } = options;
  const cells = Array.from({ length: rounds }, (_, at) => at + 1).flatMap((round) =>
    counts
      .toSorted((a, b) => a - b)
      .flatMap((routes) =>
        sides.flatMap((side) => {
          const plan = planOf(side.name, routes, round, options);
          return plan.workloads.length === 0 ? [] : [{ side, routes, round, plan }];
        }),
      ),
  );
  const clock = createClock(cells.map(({ plan }) => plan.seconds));
  let failed = 0;
  for (const [at, { side, routes, round, plan }] of cells.entries()) {
    const kept = await results.kept({ side: side.name, routes, round });
    if (kept !== undefined && kept.failure === undefined) continue;
    report(`round ${round}, ${routes} routes, ${side.name} (${at + 1} of ${cells.length}, ${clock.left(at)} left)`);
    const cell = await leastDisturbed(options, { side, routes, round, plan });
    clock.took(at, cell.seconds);
    if (cell.failure !== undefined) failed++;
    await results.keep(cell);
    options.onCell?.(cell);
  }
  return failed;
}

async function leastDisturbed(
  { repeats, snapshots, soakMs, workFolder, report, measure = measureCell }: RunOptions,
  what: Pick<CellOptions, "side" | "routes" | "round" | "plan">,
): Promise<Cell> {
  let best: Cell | undefined;
  for (let attempt = 1; attempt <= 1 + repeats; attempt++) {
    const folder = path.join(workFolder, `${what.side.name}-${what.routes}-${what.round}-${attempt}`);
    const cell = await measure({
      ...what,
      workFolder: folder,
      soakMs,
      report,
      ...(snapshots !== undefined && { snapshots }),
    });
    const isBetter =
      best === undefined ||
      best.failure !== undefined ||
      (cell.failure === undefined && cell.foreignShare < best.foreignShare);
    if (isBetter) best = cell;
    if (cell.failure === undefined && cell.foreignShare <= mostForeign) break;
    // One that failed may fail for ever.
    if (cell.failure !== undefined && attempt > 1) break;
    const percent = Math.round(100 * cell.foreignShare);
    report(
      `${cell.failure === undefined ? `others had ${percent} % of the processors` : "it failed"}, attempt ${attempt}`,
    );
  }
  if (best === undefined) throw new Error("nothing was measured");
  return best;
}

/** Tells how long it will take still, from how long it took so far. */
function createClock(expected: readonly number[]) {
  let done = 0;
  let doneExpected = 0;
  return {
    took: (at: number, seconds: number) => {
      done += seconds;
      doneExpected += expected[at] ?? 0;
    },
    left: (from: number): string => {
      const rest = expected.slice(from).reduce((sum, seconds) => sum + seconds, 0);
      const seconds = rest * (doneExpected === 0 ? 1 : done / doneExpected);
      return `${Math.ceil(seconds / 60)} minutes`;
    },
  };
}
