import assert from "node:assert/strict";
import { createGraph } from "../../lib/index.ts";
import type { GatewayView, ListenerView } from "../views.ts";
import { createListenerHosts } from "./listener-hosts.ts";

type Stated = { readonly name: string; readonly hostname?: string; readonly port?: number; readonly broken?: boolean };

function hostsOf(protocol: "HTTP" | "HTTPS", ...listeners: readonly Stated[]) {
  const graph = createGraph();
  const gateways = graph.source<GatewayView>("gateways");
  const { reservedHosts, misdirectedHosts } = createListenerHosts(graph, gateways);
  gateways.set("infra/gw", {
    key: "infra/gw",
    proxy: "infra/gw",
    namespace: "infra",
    name: "gw",
    generation: 1,
    className: "gatewright",
    served: true,
    ports: [],
    conditions: [],
    listeners: listeners.map(
      ({ name, hostname, port = 443, broken = false }): ListenerView => ({
        name,
        port,
        protocol,
        ...(hostname !== undefined && { hostname }),
        programmable: !broken,
        accepted: true,
        certificates: [],
        supportedKinds: [],
        allowedNamespaces: { kind: "all" },
        routeTable: protocol === "HTTPS" ? `infra/gw|${port}|${name}` : `infra/gw|${port}`,
        conditions: [],
      }),
    ),
  });
  graph.settle();
  return { reserved: [...reservedHosts.keys()].toSorted(), misdirected: [...misdirectedHosts.keys()].toSorted() };
}

describe("createListenerHosts()", () => {
  it("reserves the hostname of each HTTP listener in the table that they share", () => {
    const { reserved, misdirected } = hostsOf(
      "HTTP",
      { name: "any" },
      { name: "wild", hostname: "*.example.com" },
      { name: "one", hostname: "a.example.com", port: 80 },
      { name: "broken", hostname: "b.example.com", broken: true },
    );
    assert.deepEqual(reserved, ["infra/gw|443/*.example.com", "infra/gw|80/a.example.com"]);
    assert.deepEqual(misdirected, []);
  });

  it("sends away at each HTTPS listener what the others of its port own", () => {
    const { reserved, misdirected } = hostsOf(
      "HTTPS",
      { name: "any" },
      { name: "wild", hostname: "*.example.com" },
      { name: "one", hostname: "a.example.com" },
      { name: "elsewhere", hostname: "c.example.com", port: 8443 },
      { name: "broken", hostname: "b.example.com", broken: true },
    );
    assert.deepEqual(reserved, [
      "infra/gw|443|one/a.example.com",
      "infra/gw|443|wild/*.example.com",
      "infra/gw|8443|elsewhere/c.example.com",
    ]);
    assert.deepEqual(misdirected, [
      "infra/gw|443|any/*.example.com",
      "infra/gw|443|any/a.example.com",
      "infra/gw|443|one/*",
      "infra/gw|443|one/*.example.com",
      "infra/gw|443|wild/*",
      "infra/gw|443|wild/a.example.com",
    ]);
  });
});
