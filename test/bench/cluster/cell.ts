// One implementation at one number of routes, once: a cluster of its own that begins with the routes there, and what is measured in it.
import { access, mkdir, rm } from "node:fs/promises";
import { loadavg } from "node:os";
import path from "node:path";
import { ask, isOk, NotSeen } from "./asking.ts";
import { watchForeignCpu } from "./foreign-cpu.ts";
import { deleteRoutes, loadRoutes } from "./load.ts";
import { routeName } from "./objects.ts";
import { isCreated, type Plan } from "./plan.ts";
import { endPrograms, until } from "./program.ts";
import { openSession, type Session } from "./session.ts";
import type { Side, SideName } from "./sides/side.ts";
import { workloads as known } from "./workload-list.ts";
import type { Figures } from "./workload.ts";

/** What one workload came to. */
export type Outcome = { readonly workload: string; readonly figures: Figures };

export type Cell = {
  readonly side: SideName;
  readonly version: string;
  readonly round: number;
  readonly routes: number;
  readonly date: string;
  readonly seconds: number;
  /** Processes that wanted to run when it began, on average over a minute. */
  readonly loadAtBegin: number;
  /** Share of all processors that went to others meanwhile, between 0 and 1. */
  readonly foreignShare: number;
  readonly outcomes: readonly Outcome[];
  /** What the side does not do, and why or how that was seen. */
  readonly left: Readonly<Record<string, string>>;
  /** Why it ended before its end. */
  readonly failure?: string;
};

export type CellOptions = {
  readonly side: Side;
  readonly routes: number;
  readonly round: number;
  readonly plan: Plan;
  readonly soakMs: number;
  /** Of files that nobody needs afterwards. */
  readonly workFolder: string;
  /** Where states of clusters are kept. Left out: every cell loads its routes by itself and goes on. */
  readonly snapshots?: string;
  readonly report: (line: string) => void;
};

/** Before the first measurement of a cell, and before each other. */
const firstCalmMs = 5_000;
const calmMs = 1_600;
const startTimeoutMs = 600_000;

/** Never throws: what fails is told in the cell, beside all that was measured before. */
export async function measureCell(options: CellOptions): Promise<Cell> {
  const { side, routes, round, workFolder, report } = options;
  await mkdir(workFolder, { recursive: true });
  const beganMs = performance.now();
  const common = {
    side: side.name,
    version: side.version,
    round,
    routes,
    date: new Date().toISOString(),
    loadAtBegin: loadavg()[0] ?? 0,
  };
  const outcomes: Outcome[] = [];
  const left: Record<string, string> = {};
  const foreignShare = await watchForeignCpu();
  let failure: string | undefined;
  try {
    await measureInto(options, outcomes, left);
    await rm(workFolder, { recursive: true, force: true });
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
    report(`${side.name}, ${routes} routes: ${failure}; logs are in ${workFolder}`);
    await endPrograms();
  }
  return {
    ...common,
    seconds: Math.round((performance.now() - beganMs) / 1000),
    foreignShare: await foreignShare(),
    outcomes,
    left,
    ...(failure !== undefined && { failure }),
  };
}

async function measureInto(options: CellOptions, outcomes: Outcome[], left: Record<string, string>): Promise<void> {
  const { side, routes, plan, workFolder, snapshots, report } = options;
  const record = (workload: string, figures: Figures) => {
    outcomes.push({ workload, figures });
    return Promise.resolve();
  };
  const snapshot = snapshots === undefined ? undefined : path.join(snapshots, `${side.name}-${routes}`);
  const isThere = snapshot !== undefined && (await exists(snapshot));
  const loadsAnew = plan.workloads.includes("W1") && isCreated(side.name, routes);
  if (snapshot === undefined || !isThere || loadsAnew) {
    const session = await openSession(side, { folder: path.join(workFolder, "load"), report });
    try {
      await load(session, options, record);
      if (snapshot === undefined) {
        await measureLoaded(session, options, record, left);
        return;
      }
    } finally {
      await session.close();
    }
    if (!isThere) {
      await mkdir(path.dirname(snapshot), { recursive: true });
      await session.bed.keep(snapshot);
    }
  }
  if (plan.workloads.every((name) => name === "W1")) return;
  const session = await openSession(side, { folder: path.join(workFolder, "measured"), snapshot, report });
  try {
    await session.startSide();
    await session.startEnvoy();
    const last = routeName(routes - 1);
    await until("the last route answers", () => ask(last).then(isOk, () => false), { withinMs: startTimeoutMs });
    await measureLoaded(session, options, record, left);
  } finally {
    await session.close();
  }
}

type Recorder = (workload: string, figures: Figures) => Promise<void>;

async function load(session: Session, { side, routes, plan }: CellOptions, record: Recorder): Promise<void> {
  await session.startSide();
  await session.startEnvoy();
  await session.quiet(firstCalmMs);
  if (isCreated(side.name, routes)) {
    const figures = await loadRoutes(session, { from: 0, to: routes, isSeeded: false });
    if (plan.workloads.includes("W1")) await record("W1", figures);
  } else {
    // The status of the first is the implementation's own, and the others get the same: all are alike.
    await loadRoutes(session, { from: 0, to: 1, isSeeded: false });
    await loadRoutes(session, { from: 1, to: routes, isSeeded: true });
  }
}

async function measureLoaded(
  session: Session,
  { side, routes, plan, soakMs, report }: CellOptions,
  record: Recorder,
  left: Record<string, string>,
): Promise<void> {
  let wantedMs = firstCalmMs;
  for (const workload of known) {
    if (!plan.workloads.includes(workload.name)) continue;
    const reason = workload.whyNot?.(session);
    if (reason !== undefined) {
      left[workload.name] = reason;
      continue;
    }
    await session.quiet(wantedMs);
    wantedMs = calmMs;
    const beganMs = performance.now();
    try {
      await workload.run({ session, routes, changes: plan.changes, soakMs, report, record });
    } catch (error) {
      // That it does not do this at all is an outcome too; the others are measured all the same.
      if (!(error instanceof NotSeen)) throw error;
      left[workload.name] = error.message;
    }
    report(`${side.name}, ${routes} routes, ${workload.name}: ${Math.round((performance.now() - beganMs) / 1000)} s`);
  }
  if (plan.workloads.includes("W11")) {
    await session.quiet(wantedMs);
    await record("W11", await deleteRoutes(session, routes));
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
