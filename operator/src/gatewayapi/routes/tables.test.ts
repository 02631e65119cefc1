import assert from "node:assert/strict";
import type { ExtensionFilters, MeshConfigSpec } from "@gatewright/crd-types/config/v1";
import type { HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import {
  createRouteFixture,
  endpointSlice,
  gatewayKey,
  httpFilter,
  httpRoute,
  httpService,
  webTable,
} from "../../../../test/support/route-side.ts";
import { routeTableKey, useKey, virtualHostKey } from "../../ir/index.ts";

const extension = (name: string): HTTPRouteRule["filters"] => [
  { type: "ExtensionRef", extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name } },
];

const to = (service: string, filters: HTTPRouteRule["filters"] = []): HTTPRouteRule => ({
  backendRefs: [{ name: service, port: 80 }],
  filters,
});

function fixture() {
  const it = createRouteFixture();
  it.putService(httpService("app"));
  it.putService(httpService("other"));
  for (const name of ["a", "b", "c"])
    it.putFilter(httpFilter(name, { filter: `f.${name}`, typedConfig: { "@type": "t" } }));
  const configure = (spec: MeshConfigSpec) =>
    it.classes.set("gatewright", {
      conditions: [],
      accepted: true,
      isInEffect: true,
      mesh: {
        apiVersion: "config.aether.io/v1",
        kind: "MeshConfig",
        metadata: { name: "mesh", namespace: "gatewright-system" },
        spec,
      },
    });
  return {
    ...it,
    configure,
    order: (order: NonNullable<ExtensionFilters["order"]>) => configure({ extensionFilters: { order } }),
    features: (routeTable = webTable) => {
      it.graph.settle();
      return it.tableFeatures.get(routeTable);
    },
    table: () => {
      it.graph.settle();
      return it.routeTables.get(webTable);
    },
  };
}

describe("route tables", () => {
  it("exist for listeners without routes", () => {
    const { table, features } = fixture();
    assert.deepEqual(table(), { proxy: gatewayKey, discovery: "vhds", name: `${webTable}+vhds` });
    assert.deepEqual(features(), { extensions: [], cors: false });
  });

  it("stay what they are however many hosts come and go", () => {
    const { put, table, attachments } = fixture();
    const empty = table();
    for (let index = 0; index < 200; index++) {
      put(httpRoute(`r${index}`, [to("app")], { hostnames: [`h${index}.example.com`] }));
      assert.equal(table(), empty, `${index + 1} hosts`);
    }
    for (let index = 0; index < 200; index++) attachments.set(`team-a/r${index}`, undefined);
    assert.equal(table(), empty);
  });

  it("fetch virtual hosts one by one from a number on, under another name, where the class says so", () => {
    const { put, table, configure, attachments } = fixture();
    configure({ virtualHostDiscovery: { threshold: 3 } });
    for (let index = 0; index < 2; index++)
      put(httpRoute(`r${index}`, [to("app")], { hostnames: [`h${index}.example.com`] }));
    assert.deepEqual(table(), { proxy: gatewayKey, discovery: "inline", name: webTable });
    put(httpRoute("r2", [to("app")], { hostnames: ["h2.example.com"] }));
    assert.deepEqual(table(), { proxy: gatewayKey, discovery: "vhds", name: `${webTable}+vhds` });
    configure({ virtualHostDiscovery: { threshold: 4 } });
    assert.equal(table()?.discovery, "inline");
    configure({ virtualHostDiscovery: { threshold: 3 } });
    assert.equal(table()?.discovery, "vhds");
    attachments.set("team-a/r0", undefined);
    assert.equal(table()?.discovery, "inline");
  });

  it("know their virtual hosts", () => {
    const { put, graph, virtualHostsOf } = fixture();
    put(httpRoute("r", [to("app")], { hostnames: ["a.example.com", "b.example.com"] }));
    graph.settle();
    assert.deepEqual(
      virtualHostsOf.get(webTable),
      new Set([virtualHostKey(webTable, "a.example.com"), virtualHostKey(webTable, "b.example.com")]),
    );
  });

  it("say which clusters a proxy uses, mirrors included", () => {
    const { put, graph, clusterUses } = fixture();
    const mirror = { type: "RequestMirror", requestMirror: { backendRef: { name: "other", port: 80 } } } as const;
    put(httpRoute("r", [to("app", [mirror])], { hostnames: ["a.example.com"] }));
    graph.settle();
    const user = new Set([virtualHostKey(webTable, "a.example.com")]);
    assert.deepEqual(clusterUses.get(useKey(gatewayKey, "team-a/app|80")), user);
    assert.deepEqual(clusterUses.get(useKey(gatewayKey, "team-a/other|80")), user);
    put(httpRoute("r", [to("app")], { hostnames: ["a.example.com"] }));
    graph.settle();
    assert.equal(clusterUses.get(useKey(gatewayKey, "team-a/other|80")), undefined);
  });

  it("need extensions as long as a route uses them, each once, in the order of their names", () => {
    const { put, features } = fixture();
    put(httpRoute("one", [to("app", extension("b"))], { hostnames: ["a.example.com"] }));
    put(httpRoute("two", [to("app", extension("b")), to("app", extension("a"))], { hostnames: ["b.example.com"] }));
    assert.deepEqual(features()?.extensions, ["f.a", "f.b"]);
    put(httpRoute("two", [to("app")], { hostnames: ["b.example.com"] }));
    assert.deepEqual(features()?.extensions, ["f.b"]);
    put(httpRoute("one", [to("app", extension("missing"))], { hostnames: ["a.example.com"] }));
    assert.deepEqual(features()?.extensions, []);
  });

  it("order extensions as the administrator does, the others after", () => {
    const { put, features, order } = fixture();
    put(
      httpRoute(
        "r",
        ["c", "b", "a"].map((name) => to("app", extension(name))),
      ),
    );
    order(["f.c", "f.unused", "f.b"]);
    assert.deepEqual(features()?.extensions, ["f.c", "f.b", "f.a"]);
    order([]);
    assert.deepEqual(features()?.extensions, ["f.a", "f.b", "f.c"]);
  });

  it("need extensions and CORS only where routes that use them are attached", () => {
    const second = routeTableKey(gatewayKey, 81);
    const { put, features, serve, attach } = fixture();
    serve(webTable, second);
    put(httpRoute("plain", [to("app")]));
    put(httpRoute("rich", [to("app", [...(extension("a") ?? []), { type: "CORS", cors: {} }])]));
    attach("team-a/rich", { routeTable: second });
    assert.deepEqual(features(), { extensions: [], cors: false });
    assert.deepEqual(features(second), { extensions: ["f.a"], cors: true });
  });
});

describe("the cost of a change", () => {
  const count = 1000;

  /** A thousand routes, each with a host and a filter of its own, all to one Service. */
  function many() {
    const it = fixture();
    it.putSlice(endpointSlice("app", "192.0.2.1"));
    for (let index = 0; index < count; index++) {
      it.putFilter(httpFilter(`own-${index}`, { filter: "f.own", typedConfig: { "@type": "t" } }));
      it.put(httpRoute(`r${index}`, [to("app", extension(`own-${index}`))], { hostnames: [`h${index}.example.com`] }));
    }
    it.graph.settle();
    const { graph } = it;
    return {
      ...it,
      costOf: (change: () => void) => {
        const before = graph.computations();
        change();
        graph.settle();
        return graph.computations() - before;
      },
    };
  }

  it("is that of the change, not of a thousand routes", () => {
    const it = many();
    const changed = it.virtualHosts.watch();
    const edited = httpRoute("r7", [{ ...to("app", extension("own-7")), timeouts: { request: "1s" } }], {
      hostnames: ["h7.example.com"],
    });
    // The route's backends, its rules, its clusters, its one virtual host.
    assert.equal(
      it.costOf(() => it.put(edited)),
      4,
    );
    assert.deepEqual([...changed.take()], [virtualHostKey(webTable, "h7.example.com")]);
    // An edit that says the same of what is translated ends at the rules.
    const labelled = { ...edited, metadata: { ...edited.metadata, labels: { team: "a" } } };
    assert.equal(
      it.costOf(() => it.put(labelled)),
      2,
    );
    assert.equal(
      it.costOf(() => it.put(structuredClone(labelled))),
      0,
    );
    assert.equal(changed.take().size, 0);
    // The filter, the rules and the host of the one route that takes it.
    assert.equal(
      it.costOf(() => it.putFilter(httpFilter("own-7", { filter: "f.own", typedConfig: { "@type": "u" } }))),
      4,
    );
    // Endpoints go past all routes.
    assert.equal(
      it.costOf(() => it.putSlice(endpointSlice("app", "192.0.2.2"))),
      1,
    );
    // A Service whose port says the same wakes no route.
    assert.equal(
      it.costOf(() => it.putService(httpService("app", {}, { labels: { a: "b" } }))),
      1,
    );
  });

  it("of a new host or the last use of a filter is a few steps more", () => {
    const it = many();
    const cost = it.costOf(() => {
      it.put(httpRoute("new", [to("other", extension("a"))], { hostnames: ["new.example.com"] }));
    });
    // Backends, backend, rules, cluster, endpoints, host, route table, features.
    assert.ok(cost <= 10, `${cost} computations`);
    assert.deepEqual(it.features()?.extensions, ["f.a", "f.own"]);
  });
});
