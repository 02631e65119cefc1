// What a fleet costs, counted: a change goes to each proxy once, proxies that come back with all are sent nothing, and what they refuse
// they are sent once.
import assert from "node:assert/strict";
import path from "node:path";
import { resourceTypes } from "../../operator/src/ads/index.ts";
import { type Child, startChild } from "./cluster/fleet-child.ts";
import type { ClientCalls } from "./cluster/fleet-clients.ts";
import type { ControlPlaneCalls } from "./cluster/fleet-control-plane.ts";
import type { FleetTarget } from "./cluster/fleet-proxy.ts";

const file = (name: string) => path.join(import.meta.dirname, "cluster", name);
const proxies = 20;
const routes = 100;
const withinMs = 60_000;
const mark = "refuse-me";

describe("a fleet", function () {
  this.timeout(180_000);
  let plane: Child<ControlPlaneCalls>;
  let clients: Child<ClientCalls>;
  let target: FleetTarget;

  before(async () => {
    plane = startChild(file("fleet-control-plane.ts"));
    clients = startChild(file("fleet-clients.ts"));
    target = await plane.call("start", undefined);
    await plane.call("load", { from: 0, to: routes });
    await clients.call("connect", { target, count: proxies, manner: "good", prefix: "proxy", refused: mark });
    await clients.call("complete", { hosts: routes, withinMs });
  });
  after(async () => {
    await clients?.stop();
    await plane?.stop();
  });

  /** What all proxies got from the work, by type. */
  async function sent(what: "messages" | "resources", work: () => Promise<void>): Promise<Record<string, number>> {
    const before = (await clients.call("totals", undefined)).types;
    await work();
    const after = (await clients.call("totals", undefined)).types;
    return Object.fromEntries(
      resourceTypes
        .map((type) => [type, after[type][what] - before[type][what]] as const)
        .filter(([, count]) => count > 0),
    );
  }

  async function change(input: ControlPlaneCalls["change"][0]): Promise<void> {
    await clients.call("arm", undefined);
    await plane.call("change", input);
    await clients.call("answered", { withinMs });
  }

  it("has all that its configuration refers to", async () => {
    assert.deepEqual(await clients.call("missing", undefined), []);
  });

  it("is sent a change once each", async () => {
    assert.deepEqual(await sent("messages", () => change({ edition: "a" })), { virtualHost: proxies });
    assert.deepEqual(await sent("resources", () => change({ edition: "b", count: routes })), {
      virtualHost: proxies * routes,
    });
  });

  it("is sent nothing when it comes back with all", async () => {
    // A table without hosts is said to be empty again, which is a message without resources.
    const resources = await sent("resources", async () => {
      await clients.call("disconnect", undefined);
      await clients.call("reconnect", { target });
      while ((await plane.call("held", { collect: false })).streams < proxies);
      await change({ edition: "after" });
    });
    assert.deepEqual(resources, { virtualHost: proxies });
  });

  it("is sent what it refuses once each", async () => {
    await plane.call("change", { edition: "bad", refused: mark });
    await change({ edition: "good", from: 1 });
    const { total, most } = await clients.call("refusals", undefined);
    assert.deepEqual([total, most], [proxies, 1]);
  });
});
