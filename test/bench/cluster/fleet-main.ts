// `npm run bench -- fleet`: one control plane and a fleet of proxies, without a cluster.
import { parseArgs } from "node:util";
import path from "node:path";
import { cpuMs, memory } from "../process-usage.ts";
import { round, spread } from "../statistics.ts";
import { startChild } from "./fleet-child.ts";
import type { ClientCalls, FleetTotals } from "./fleet-clients.ts";
import type { ControlPlaneCalls } from "./fleet-control-plane.ts";
import type { FleetTarget } from "./fleet-proxy.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "1,10,100,1000" },
    n: { type: "string", default: "100,1000" },
    refuse: { type: "boolean", default: false },
    "node-flags": { type: "string", default: "" },
  },
});
const file = (name: string) => path.join(import.meta.dirname, name);
const patienceMs = 180_000;

async function measure(clientCount: number, routes: number): Promise<void> {
  const plane = startChild<ControlPlaneCalls>(file("fleet-control-plane.ts"), [
    "--expose-gc",
    ...values["node-flags"].split(" ").filter(Boolean),
  ]);
  const clients = startChild<ClientCalls>(file("fleet-clients.ts"));
  const figures: Record<string, number> = {};
  const note = (name: string, value: number) => {
    figures[name] = round(value, 2);
    console.error(`${clientCount} clients, ${routes} routes: ${name} ${figures[name]}`);
  };
  try {
    const target: FleetTarget = await plane.call("start", undefined);
    await plane.call("load", { from: 0, to: routes });
    const base = await plane.call("held", { collect: true });
    note("baseRssMiB", base.rssMiB);
    let cpu = await cpuMs(plane.pid);
    const stepCpu = async () => {
      const now = await cpuMs(plane.pid);
      const used = now - cpu;
      cpu = now;
      return used;
    };

    // The storm.
    let began = performance.timeOrigin + performance.now();
    await clients.call("connect", { target, count: clientCount, manner: "good", prefix: "proxy" });
    const storm = await clients.call("complete", { hosts: routes, withinMs: patienceMs });
    note("stormMs", storm.lastAtMs - began);
    note("stormCpuMs", await stepCpu());
    note("stormPeakMiB", (await memory(plane.pid)).peakMiB);
    const totals = await clients.call("totals", undefined);
    note("stormBytes", sum(totals, "bytes"));
    const missing = await clients.call("missing", undefined);
    if (missing.length > 0) throw new Error(`references lead nowhere: ${missing.join(", ")}`);
    let held = await plane.call("held", { collect: false });
    note("stormDelayMaxMs", held.delayMaxMs);
    held = await plane.call("held", { collect: true });
    note("restRssMiB", held.rssMiB);
    note("kibPerClient", ((held.rssMiB - base.rssMiB) * 1024) / clientCount);
    note("heapKibPerClient", ((held.heapMiB - base.heapMiB) * 1024) / clientCount);

    // One change, some times over.
    const times: number[] = [];
    const cpus: number[] = [];
    const delays: number[] = [];
    const before = sum(await clients.call("totals", undefined), "bytes");
    const changes = 7;
    for (let edition = 0; edition < changes; edition++) {
      await stepCpu();
      await plane.call("held", { collect: false });
      await clients.call("arm", undefined);
      began = performance.timeOrigin + performance.now();
      await plane.call("change", { edition: `c${edition}` });
      times.push((await clients.call("answered", { withinMs: patienceMs })).lastAtMs - began);
      await clients.call("totals", undefined);
      cpus.push(await stepCpu());
      delays.push((await plane.call("held", { collect: false })).delayMaxMs);
    }
    note("changeMs", spread(times).p50);
    note("changeMaxMs", Math.max(...times));
    note("changeCpuMs", spread(cpus).p50);
    note("changeDelayMaxMs", Math.max(...delays));
    note(
      "changeBytesPerClient",
      (sum(await clients.call("totals", undefined), "bytes") - before) / changes / clientCount,
    );

    // All routes at once.
    await stepCpu();
    await clients.call("arm", undefined);
    began = performance.timeOrigin + performance.now();
    await plane.call("change", { edition: "all", count: routes });
    const all = await clients.call("answered", { withinMs: patienceMs });
    note("allMs", all.lastAtMs - began);
    note("allCpuMs", await stepCpu());
    held = await plane.call("held", { collect: false });
    note("allDelayMaxMs", held.delayMaxMs);
    note("peakMiB", (await memory(plane.pid)).peakMiB);

    // All come back with all.
    await clients.call("disconnect", undefined);
    for (let streams = clientCount; streams > 0; ) streams = (await plane.call("held", { collect: true })).streams;
    const gone = await plane.call("held", { collect: true });
    note("goneRssMiB", gone.rssMiB);
    await stepCpu();
    const beforeReturn = sum(await clients.call("totals", undefined), "messages");
    began = performance.timeOrigin + performance.now();
    await clients.call("reconnect", { target });
    await untilStreams(plane, clientCount);
    note("returnMs", performance.timeOrigin + performance.now() - began);
    await clients.call("arm", undefined);
    await plane.call("change", { edition: "after" });
    await clients.call("answered", { withinMs: patienceMs });
    note("returnCpuMs", await stepCpu());
    const last = await plane.call("held", { collect: false });
    note("returnDelayMaxMs", last.delayMaxMs);
    // One for the change; all else was known.
    note(
      "returnMessagesPerClient",
      (sum(await clients.call("totals", undefined), "messages") - beforeReturn) / clientCount - 1,
    );
    note("finalPeakMiB", (await memory(plane.pid)).peakMiB);
  } finally {
    console.log(JSON.stringify({ clients: clientCount, routes, ...figures }));
    await clients.stop();
    await plane.stop();
  }
}

/** One of so many changes is refused by all: how often it is sent to each. */
async function measureRefusal(clientCount: number, routes: number): Promise<void> {
  const plane = startChild<ControlPlaneCalls>(file("fleet-control-plane.ts"));
  const clients = startChild<ClientCalls>(file("fleet-clients.ts"));
  try {
    const target = await plane.call("start", undefined);
    await plane.call("load", { from: 0, to: routes });
    await clients.call("connect", { target, count: clientCount, manner: "good", prefix: "proxy", refused: mark });
    await clients.call("complete", { hosts: routes, withinMs: patienceMs });
    for (const count of [1, 32]) {
      const before = await clients.call("refusals", undefined);
      const cpuBefore = await cpuMs(plane.pid);
      await clients.call("arm", undefined);
      const began = performance.timeOrigin + performance.now();
      await plane.call("change", { edition: `${count}`, count, refused: mark });
      // One more, after which all have answered to what was before.
      if (count === 1) await plane.call("change", { edition: "good", count: 2, from: 1 });
      const { lastAtMs } = await clients.call("answered", { withinMs: patienceMs });
      const after = await clients.call("refusals", undefined);
      const sends = after.total - before.total;
      const cpu = (await cpuMs(plane.pid)) - cpuBefore;
      console.log(
        JSON.stringify({
          clients: clientCount,
          routes,
          changedTogether: count,
          refusedSends: sends,
          mostPerClient: after.most,
          cpuMs: round(cpu),
          othersTakenMs: round(lastAtMs - began),
        }),
      );
    }
  } finally {
    await clients.stop();
    await plane.stop();
  }
}

async function untilStreams(plane: ReturnType<typeof startChild<ControlPlaneCalls>>, count: number): Promise<void> {
  const end = performance.now() + patienceMs;
  while ((await plane.call("held", { collect: false })).streams < count) {
    if (performance.now() > end) throw new Error("not all have come back");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const sum = ({ types }: FleetTotals, what: "bytes" | "messages"): number =>
  Object.values(types).reduce((total, counts) => total + counts[what], 0);

/** A value that the proxies refuse. */
const mark = "refuse-me";

for (const routes of values.n.split(",").map(Number))
  for (const count of values.clients.split(",").map(Number))
    await (values.refuse ? measureRefusal : measure)(count, routes);
