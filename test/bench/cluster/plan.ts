// What is measured where, so that a run of everything ends within the hour: what takes seconds a change is changed less often, and what
// does not depend on the number of routes is measured at one of them.
import type { SideName } from "./sides/side.ts";

export type Plan = {
  /** Names of workloads; W1 and W11 stand for what comes before and after the others. */
  readonly workloads: readonly string[];
  /** How many changes are measured one after the other; of W12, how many seconds. */
  readonly changes: (workload: string) => number;
  /** How long it took where this was written. Only the proportions count. */
  readonly seconds: number;
};

export type PlanOptions = {
  /** In place of those of the plan. */
  readonly workloads?: readonly string[];
  /** At most so many changes of a kind. */
  readonly mostChanges: number;
};

/** The number of routes at which everything is measured that is not measured at all of them. */
const allAt = 1_000;
/** Routes that are made through the API server, as users do. More than these are put where it keeps them. */
const mostCreated = 5_000;

/** Of workloads that have as many for every side at any number of routes. */
const own: Readonly<Record<string, number>> = { W3: 50, W6: 20, W12: 10 };

export function planOf(side: SideName, routes: number, round: number, { workloads, mostChanges }: PlanOptions): Plan {
  const changes = (workload: string) => Math.min(mostChanges, own[workload] ?? probesOf(side, routes));
  return {
    workloads: workloads ?? usual(side, routes, round),
    changes,
    seconds: secondsOf(side, routes),
  };
}

/** Whether its routes are made through the API server, which costs a minute at ten thousand. */
export const isCreated = (side: SideName, routes: number): boolean => routes <= (side === "null" ? allAt : mostCreated);

function usual(side: SideName, routes: number, round: number): readonly string[] {
  // Its other name differs in how fast statuses are written.
  if (side === "envoy-gateway-qps-500") return routes >= allAt && isCreated(side, routes) && round === 1 ? ["W1"] : [];
  const always = round === 1 && isCreated(side, routes) ? ["W1", "W2", "W4"] : ["W2", "W4"];
  if (side === "null") return always;
  if (routes === allAt) return [...always, "W3", "W5", "W6", "W7", "W8-checked", "W12", "W10", "W11"];
  return routes === 1 || routes > mostCreated ? [...always, "W12", "W10"] : always;
}

function probesOf(side: SideName, routes: number): number {
  if (side === "ours") return 20;
  if (side === "null") return 12;
  return routes > mostCreated ? 6 : routes > allAt ? 8 : routes > 100 ? 12 : 20;
}

function secondsOf(side: SideName, routes: number): number {
  const perRoute: Readonly<Record<SideName, number>> = {
    ours: 0.004,
    null: 0.002,
    "envoy-gateway": 0.013,
    "envoy-gateway-qps-500": 0.01,
  };
  return 30 + routes * perRoute[side] + (routes === allAt ? 60 : 0);
}
