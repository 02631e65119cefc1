import { readFile } from "node:fs/promises";
import path from "node:path";
import { spread } from "../statistics.ts";
import { startChild } from "./fleet-child.ts";
import type { ClientCalls, FleetTotals } from "./fleet-clients.ts";
import type { FleetTarget } from "./fleet-proxy.ts";
import { gatewayName, namespace, route, routeName } from "./objects.ts";
import type { Session } from "./session.ts";
import type { Figures, Workload } from "./workload.ts";

const patienceMs = 120_000;
const adsPort = 18_000;

export const fleet: Workload = {
  name: "W9",
  title: "a change for 1, 10, 100 and 1,000 proxies",
  whyNot: ({ side }) => (side.name === "ours" ? undefined : "how its proxies prove who they are is its own"),
  run: async ({ session, routes, changes, record }) => {
    for (const clients of [1, 10, 100, 1_000].filter((count) => count <= 10 || routes <= 1_000))
      await record(`W9 ${clients}`, await changeForFleet(session, { clients, routes, changes: changes("W9") }));
  },
};

type Size = { readonly clients: number; readonly routes: number; readonly changes: number };

/** Proxies connect with what the Envoy of the session proves itself with, beside it. */
async function changeForFleet(session: Session, { clients, routes, changes }: Size): Promise<Figures> {
  const child = startChild<ClientCalls>(path.join(import.meta.dirname, "fleet-clients.ts"));
  try {
    const target = await targetOf(session);
    const before = (await session.memory()).side;
    const beganMs = Date.now();
    const { result: storm, cost } = await session.measure(async () => {
      await child.call("connect", { target, count: clients, manner: "good", prefix: "fleet" });
      return child.call("complete", { hosts: routes, withinMs: patienceMs });
    });
    const missing = await child.call("missing", undefined);
    if (missing.length > 0) throw new Error(`references lead nowhere: ${missing.join(", ")}`);
    const atRest = (await session.memory()).side;
    const bytesBefore = bytesOf(await child.call("totals", undefined));
    const times: number[] = [];
    const change = await session.measure(async () => {
      for (let edition = 0; edition < changes; edition++) {
        await child.call("arm", undefined);
        const sinceMs = Date.now();
        await session.writer.merge(route(routeName(0), { version: `fleet-${edition}` }));
        times.push((await child.call("answered", { withinMs: patienceMs })).lastAtMs - sinceMs);
      }
    });
    return {
      connectMs: storm.lastAtMs - beganMs,
      connectCpuMs: cost.sideCpuMs,
      kibPerClient: ((atRest.residentMiB - before.residentMiB) * 1024) / clients,
      peakMiB: (await session.memory()).side.peakMiB,
      lastAckP50Ms: spread(times).p50,
      lastAckMaxMs: spread(times).max,
      cpuMs: change.cost.sideCpuMs / changes,
      bytesPerClient: (bytesOf(await child.call("totals", undefined)) - bytesBefore) / changes / clients,
    };
  } finally {
    await child.stop();
    await session.quiet();
  }
}

async function targetOf({ bed }: Session): Promise<FleetTarget> {
  const read = (file: string) => readFile(path.join(bed.folder, "proxy-identity", file), "utf8");
  return {
    host: "127.0.0.1",
    port: adsPort,
    serverName: "localhost",
    cluster: `${namespace}/${gatewayName}`,
    proof: {
      authority: await read("ca.crt"),
      certificate: await read("tls.crt"),
      privateKey: await read("tls.key"),
    },
  };
}

const bytesOf = ({ types }: FleetTotals): number => Object.values(types).reduce((total, { bytes }) => total + bytes, 0);
