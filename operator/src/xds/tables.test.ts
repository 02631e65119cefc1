import assert from "node:assert/strict";
import fc from "fast-check";
import { arbitraryIr } from "../../../test/support/arbitrary-ir.ts";
import { createIrSources, type IrFragment } from "../../../test/support/ir-fragment.ts";
import { type Cluster, type Route, routeTableName, useKey, type VirtualHost } from "../ir/index.ts";
import { createGraph, Sensitive } from "../lib/index.ts";
import { resourceTypes } from "./resource.ts";
import { createXdsTables, type XdsTables } from "./tables.ts";

function open(fragment: IrFragment = {}) {
  const graph = createGraph();
  const { ir, apply } = createIrSources(graph);
  const tables = createXdsTables(graph, ir);
  const set = (next: IrFragment) => {
    apply(next);
    graph.settle();
  };
  set(fragment);
  return { graph, tables, set };
}

/** All that is in the tables, in an order of its own. */
function contents(tables: XdsTables): unknown {
  return [...resourceTypes, "problems" as const].map((type) => {
    const table = tables[type];
    return [type, [...table.keys()].sort().map((key) => [key, table.get(key)])];
  });
}

const proxies = ["infra/one", "infra/two"];

const route = (name: string, cluster: string, more: Partial<Route> = {}): Route => ({
  name,
  origin: { kind: "HTTPRoute", namespace: "team-a", name },
  match: { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] },
  action: { kind: "forward", backends: [{ cluster, weight: 1 }], mirrors: [] },
  extensions: [],
  ...more,
});

const host = (proxy: string, name: string, routes: readonly Route[]): VirtualHost => ({
  proxy,
  routeTable: `${proxy}|80`,
  host: name,
  routes,
});

const cluster = (name: string): Cluster => ({
  name,
  origin: { kind: "Service", namespace: "team-a", name },
  endpoints: { kind: "eds" },
  protocol: "http1",
  connectTimeoutMs: 10_000,
});

/** Two proxies that serve the same hosts from the same cluster. */
const twoProxies = (discovery: "inline" | "vhds", hosts: readonly string[]): Required<IrFragment> => ({
  listeners: proxies.map((proxy) => ({
    proxy,
    name: "http-80",
    port: 80,
    bind: { address: "127.0.0.1", port: 10_080 },
    filterChains: [
      { name: "http-80", serverNames: [], http: { routeTable: `${proxy}|80`, extensions: [], cors: false } },
    ],
  })),
  routeTables: proxies.map((proxy) => ({ proxy, discovery, name: routeTableName(`${proxy}|80`, discovery) })),
  virtualHosts: proxies.flatMap((proxy) => hosts.map((name) => host(proxy, name, [route("r", "team-a/app|80")]))),
  clusters: [cluster("team-a/app|80")],
  endpoints: [{ cluster: "team-a/app|80", addresses: [{ address: "192.0.2.1", port: 80 }] }],
  secrets: [],
});

const hosts = Array.from({ length: 50 }, (_, index) => `h${index}.example.com`);

describe("createXdsTables()", () => {
  it("encodes what proxies share once", () => {
    const { tables } = open(twoProxies("inline", hosts));
    for (const type of ["cluster", "endpoint"] as const) {
      const [one, two] = proxies.map((proxy) => tables[type].get(useKey(proxy, "team-a/app|80")));
      assert.ok(one !== undefined && two !== undefined);
      assert.equal(one.body, two.body);
      assert.deepEqual([one.proxy, two.proxy], proxies);
    }
  });

  for (const discovery of ["inline", "vhds"] as const) {
    it(`builds one virtual host again where one has changed (${discovery})`, () => {
      const before = twoProxies(discovery, hosts);
      const { graph, tables, set } = open(before);
      const bodies = new Map([...tables.virtualHost.keys()].map((key) => [key, tables.virtualHost.get(key)?.body]));
      const watches = resourceTypes.map((type) => [type, tables[type].watch()] as const);
      const computations = graph.computations();
      const virtualHosts = before.virtualHosts.with(
        3,
        host("infra/one", "h3.example.com", [route("new", "team-a/app|80")]),
      );
      set({ ...before, virtualHosts });
      // The host, and what it is in: its route table, which is put together anew, or its resource.
      const cost = graph.computations() - computations;
      assert.ok(cost <= 3, `${cost} computations`);
      const changed = watches
        .map(([type, watch]) => [type, [...watch.take()]] as const)
        .filter(([, keys]) => keys.length > 0);
      const name = routeTableName("infra/one|80", discovery);
      const resource = discovery === "vhds" ? `${name}/h3.example.com` : name;
      assert.deepEqual(changed, [[discovery === "vhds" ? "virtualHost" : "route", [`infra/one ${resource}`]]]);
      for (const [key, body] of bodies) {
        if (!key.endsWith("/h3.example.com")) assert.equal(tables.virtualHost.get(key)?.body, body, key);
      }
    });
  }

  it("changes nothing where translation says the same in other words", () => {
    const before = twoProxies("inline", hosts);
    const { tables, set } = open(before);
    const watches = resourceTypes.map((type) => tables[type].watch());
    // Another object of the same route: its origin is for people, and not for Envoy.
    const moved = route("r", "team-a/app|80", { origin: { kind: "HTTPRoute", namespace: "team-a", name: "other" } });
    set({ ...before, virtualHosts: before.virtualHosts.map((one) => ({ ...one, routes: [moved] })) });
    assert.deepEqual(
      watches.map((watch) => watch.take().size),
      resourceTypes.map(() => 0),
    );
  });

  it("sends addresses past everything else", () => {
    const before = twoProxies("inline", hosts);
    const { graph, tables, set } = open(before);
    const watches = resourceTypes.map((type) => [type, tables[type].watch()] as const);
    const computations = graph.computations();
    set({ ...before, endpoints: [{ cluster: "team-a/app|80", addresses: [{ address: "192.0.2.9", port: 80 }] }] });
    assert.equal(graph.computations() - computations, 1 + proxies.length);
    const changed = watches.filter(([, watch]) => watch.take().size > 0).map(([type]) => type);
    assert.deepEqual(changed, ["endpoint"]);
  });

  it("tells a cluster without addresses that it has none", () => {
    const { tables } = open({ ...twoProxies("inline", hosts), endpoints: [] });
    assert.ok(tables.endpoint.get(useKey("infra/one", "team-a/app|80")) !== undefined);
  });

  it("does not touch a listener when a certificate is exchanged", () => {
    const [listener] = twoProxies("inline", hosts).listeners;
    assert.ok(listener !== undefined);
    const [chain] = listener.filterChains;
    assert.ok(chain !== undefined);
    const secret = (text: string) => ({ name: "team-a/cert", certificateChain: text, privateKey: new Sensitive(text) });
    const fragment = {
      ...twoProxies("inline", hosts),
      listeners: [
        { ...listener, filterChains: [{ ...chain, tls: { certificates: ["team-a/cert"], alpnProtocols: [] } }] },
      ],
      secrets: [secret("a")],
    };
    const { graph, tables, set } = open(fragment);
    const version = tables.listener.get(useKey("infra/one", "http-80"))?.version;
    assert.ok(version !== undefined);
    const watch = tables.listener.watch();
    const computations = graph.computations();
    set({ ...fragment, secrets: [secret("b")] });
    // The secret, whether it is usable, and the resource.
    assert.equal(graph.computations() - computations, 3);
    assert.equal(watch.take().size, 0);
    set({ ...fragment, secrets: [] });
    assert.equal(tables.listener.get(useKey("infra/one", "http-80")), undefined);
  });

  it("says no less after edits than it would have from the start, and the same in any order", () => {
    const certificate = { name: "team-a/cert", certificateChain: "c", privateKey: new Sensitive("k") };
    const reversed = (fragment: IrFragment): IrFragment => ({
      ...fragment,
      virtualHosts: [...(fragment.virtualHosts ?? [])].reverse(),
      clusters: [...(fragment.clusters ?? [])].reverse(),
      listeners: [...(fragment.listeners ?? [])].reverse(),
    });
    fc.assert(
      fc.property(fc.array(arbitraryIr(certificate), { minLength: 1, maxLength: 3 }), (fragments) => {
        const incremental = open();
        for (const fragment of fragments) incremental.set(fragment);
        const last = fragments.at(-1) ?? {};
        const scratch = contents(open(last).tables);
        assert.deepEqual(contents(incremental.tables), scratch);
        assert.deepEqual(contents(open(reversed(last)).tables), scratch);
      }),
      { numRuns: 40 },
    );
  });
});
