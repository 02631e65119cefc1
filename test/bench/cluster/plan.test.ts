import assert from "node:assert/strict";
import { planOf } from "./plan.ts";
import { growthGroups, otherGroups } from "./report-rows.ts";
import { sideNames } from "./sides/side.ts";
import { workloads } from "./workload-list.ts";

const counts = [1, 100, 1_000, 5_000, 10_000];
const planned = (side: (typeof sideNames)[number], round: number) =>
  new Set(counts.flatMap((routes) => planOf(side, routes, round, { mostChanges: 50 }).workloads));

describe("the plan of a run", () => {
  it("measures all that the page shows, but for the soak", () => {
    // `W6 certificate` is a part of W6; `W8 checked` is all of W8-checked.
    const shown = [...growthGroups, ...otherGroups].flatMap(({ rows }) =>
      rows.map(({ workload }) => (workload === "W8 checked" ? "W8-checked" : (workload.split(" ")[0] ?? ""))),
    );
    const missing = [...new Set(shown)].filter((name) => !planned("ours", 1).has(name));
    assert.deepEqual(missing, ["W13"]);
  });

  it("has nothing that there is not", () => {
    const known = new Set(["W1", "W11", ...workloads.map(({ name }) => name)]);
    for (const side of sideNames) for (const name of planned(side, 1)) assert.ok(known.has(name), name);
  });

  it("measures the peer as it measures ours", () => {
    assert.deepEqual(planned("envoy-gateway", 2), planned("ours", 2));
  });

  it("never has more changes than were asked for", () => {
    for (const side of sideNames)
      for (const routes of counts)
        for (const { name } of workloads) {
          const changes = planOf(side, routes, 1, { mostChanges: 3 }).changes(name);
          assert.ok(changes >= 1 && changes <= 3, name);
        }
  });
});
