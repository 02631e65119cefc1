// Every workload, in the order in which they run at each number of routes. A new one is a file of its own and a line here.
import type { Workload } from "./workload.ts";
import { badFilter } from "./bad-filter.ts";
import { churn } from "./churn.ts";
import { filterEdit } from "./filter-edit.ts";
import { fleet } from "./fleet.ts";
import { idle } from "./idle.ts";
import { poison } from "./poison.ts";
import { probeChange, probeEndpoints, probeNew } from "./probes.ts";
import { restart } from "./restart.ts";
import { rotation } from "./rotation.ts";
import { soak } from "./soak.ts";
import { changeUnderLoad } from "./under-load.ts";

const withStatuses: Workload["whyNot"] = ({ side }) =>
  side.writesStatuses ? undefined : "the floor knows one kind of route";

export const workloads: readonly Workload[] = [
  {
    name: "W2",
    title: "new routes, changed routes",
    run: async ({ session, routes, changes, record }) => {
      // The first ones pay for the start: code that is compiled, memory that is reached for.
      await probeNew(session, Math.min(5, changes("W2")));
      await record("W2 new route", await probeNew(session, changes("W2")));
      await record("W2 changed route", await probeChange(session, routes, changes("W2")));
    },
  },
  {
    name: "W3",
    title: "a route changes under load",
    whyNot: withStatuses,
    run: async ({ session, changes, record }) => record("W3", await changeUnderLoad(session, changes("W3"))),
  },
  {
    name: "W4",
    title: "endpoint changes",
    run: async ({ session, changes, record }) => record("W4", await probeEndpoints(session, changes("W4"))),
  },
  {
    name: "W5",
    title: "churn of routes, with new ones in between",
    run: async ({ session, routes, record }) => record("W5", await churn(session, routes, 10, 10)),
  },
  rotation,
  filterEdit,
  badFilter,
  poison,
  fleet,
  {
    name: "W12",
    title: "idling",
    run: async ({ session, changes, record }) => record("W12", await idle(session, changes("W12"))),
  },
  soak,
  {
    name: "W10",
    title: "restart, cold start",
    run: async ({ session, routes, record }) => record("W10", await restart(session, routes)),
  },
];
