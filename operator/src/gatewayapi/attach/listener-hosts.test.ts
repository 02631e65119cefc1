import assert from "node:assert/strict";
import { createGraph } from "../../lib/index.ts";
import type { ListenerGroup, ListenerView } from "../views.ts";
import { createListenerHosts } from "./listener-hosts.ts";
import { createServedHosts } from "./served-hosts.ts";

type Stated = { readonly name: string; readonly hostname?: string; readonly port?: number; readonly broken?: boolean };

function hostsOf(protocol: "HTTP" | "HTTPS", ...listeners: readonly Stated[]) {
  const graph = createGraph();
  const groups = graph.source<ListenerGroup>("groups");
  const { reservedHosts, misdirectedHosts } = createListenerHosts(graph, groups, createServedHosts(graph, groups));
  const put = (parent: string, of: readonly Stated[]) =>
    groups.set(parent, {
      gateway: "infra/gw",
      proxy: "infra/gw",
      namespace: "infra",
      ports: [],
      listeners: of.map((stated) => viewOf(protocol, stated)),
    });
  // Who states a listener makes no difference.
  put(
    "infra/gw",
    listeners.filter((_, index) => index % 2 === 0),
  );
  put(
    "ListenerSet apps/set",
    listeners.filter((_, index) => index % 2 === 1),
  );
  graph.settle();
  return { reserved: [...reservedHosts.keys()].toSorted(), misdirected: [...misdirectedHosts.keys()].toSorted() };
}

const viewOf = (protocol: "HTTP" | "HTTPS", { name, hostname, port = 443, broken = false }: Stated): ListenerView => ({
  name,
  id: name,
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
});

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

  it("lists no more than many others, and sends away everything instead", () => {
    const many = Array.from({ length: 70 }, (_, index) => ({ name: `l${index}`, hostname: `h${index}.example.com` }));
    const { misdirected } = hostsOf("HTTPS", { name: "wild", hostname: "*.example.com" }, ...many);
    // The wildcard's own hosts that others have, and everything else; each of the others everything else.
    assert.equal(misdirected.length, 70 + 1 + 70);
    assert.ok(misdirected.includes("infra/gw|443|wild/h3.example.com"));
    assert.ok(misdirected.includes("infra/gw|443|l3/*"));
    assert.ok(!misdirected.includes("infra/gw|443|l3/h4.example.com"));
  });
});
