import assert from "node:assert/strict";
import { create, toBinary } from "@bufbuild/protobuf";
import { ConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb";
import { createIrSources, type IrFragment } from "../../../test/support/ir-fragment.ts";
import { type RequestFilter, routeTableKey, routeTableName } from "../ir/index.ts";
import { createGraph, Sensitive } from "../lib/index.ts";
import { resourceTypes } from "./resource.ts";
import { dumpByType, staticConfig } from "./static-config.ts";
import { createXdsTables } from "./tables.ts";

const proxy = "infra/gw";
const routeTable = routeTableKey(proxy, 443, "a");

const fragment = (discovery: "inline" | "vhds"): IrFragment => ({
  listeners: [proxy, "infra/other"].map((of) => ({
    proxy: of,
    name: "https-443",
    port: 443,
    bind: { address: "127.0.0.1", port: 10_443 },
    filterChains: [
      {
        name: "a",
        serverNames: ["a.example.com"],
        tls: { certificates: ["team-a/cert"], alpnProtocols: ["h2"] },
        http: { routeTable, extensions: ["envoy.filters.http.header_mutation"], cors: false },
      },
    ],
  })),
  routeTables: [{ proxy, discovery, name: routeTableName(routeTable, discovery) }],
  virtualHosts: [
    {
      proxy,
      routeTable,
      host: "a.example.com",
      routes: [
        {
          name: "r",
          origin: { kind: "HTTPRoute", namespace: "team-a", name: "r" },
          match: { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] },
          action: { kind: "forward", backends: [{ cluster: "team-a/app|80", weight: 1 }], mirrors: [] },
          extensions: [],
        },
      ],
    },
  ],
  clusters: [
    {
      name: "team-a/app|80",
      origin: { kind: "Service", namespace: "team-a", name: "app" },
      endpoints: { kind: "eds" },
      protocol: "http1",
      connectTimeoutMs: 10_000,
    },
  ],
  endpoints: [{ cluster: "team-a/app|80", addresses: [{ address: "192.0.2.1", port: 80 }] }],
  secrets: [{ name: "team-a/cert", certificateChain: "CHAIN", privateKey: new Sensitive("KEY") }],
});

function tablesOf(given: IrFragment) {
  const graph = createGraph();
  const { ir, apply } = createIrSources(graph);
  const tables = createXdsTables(graph, ir);
  apply(given);
  graph.settle();
  return tables;
}

describe("staticConfig()", () => {
  for (const discovery of ["inline", "vhds"] as const) {
    it(`puts everything where it is referred to (${discovery})`, () => {
      const config = staticConfig(tablesOf(fragment(discovery)), proxy);
      const text: string = JSON.stringify(config);
      for (const discovered of ['"ads"', '"rds"', '"vhds"', "config_discovery", "eds_cluster_config", 'sds_config":'])
        assert.ok(!text.includes(discovered), discovered);
      for (const inlined of ["192.0.2.1", '"domains":["a.example.com"]', '"private_key":{"inline_string":"KEY"}'])
        assert.ok(text.includes(inlined), inlined);
      assert.deepEqual(Object.keys(config).sort(), [
        "deferred_stat_options",
        "layered_runtime",
        "static_resources",
        "stats_config",
      ]);
    });
  }
});

it("staticConfig() puts what filters of listeners come to where Envoy chooses them, by the host or without looking", () => {
  const filter = (name: string): RequestFilter => ({
    kind: "extension",
    filter: "envoy.filters.http.header_to_metadata",
    origin: { kind: "HTTPFilter", namespace: "infra", name },
    config: {
      typeUrl: "type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config",
      value: toBinary(ConfigSchema, create(ConfigSchema, { requestRules: [{ header: name }] })),
    },
  });
  const given = fragment("inline");
  const [listener] = given.listeners ?? [];
  const [chain] = listener?.filterChains ?? [];
  assert.ok(listener && chain?.http);
  for (const hostname of [undefined, "a.example.com"]) {
    const requestFilters = [{ ...(hostname && { hostname }), filters: [filter("x-first"), filter("x-second")] }];
    const filterChains = [{ ...chain, http: { ...chain.http, requestFilters } }];
    const text: string = JSON.stringify(
      staticConfig(tablesOf({ ...given, listeners: [{ ...listener, filterChains }] }), proxy),
    );
    assert.ok(!text.includes('"ads"') && !text.includes("dynamic_config"));
    assert.ok(text.indexOf('"x-first"') > 0 && text.indexOf('"x-first"') < text.indexOf('"x-second"'));
    assert.equal(text.includes(":authority"), hostname !== undefined);
  }
});

describe("dumpByType()", () => {
  it("shows each resource as the proxy gets it, under its type, and no private key", () => {
    const tables = tablesOf(fragment("vhds"));
    for (const type of resourceTypes) {
      const dump = dumpByType(tables, proxy, type);
      assert.equal(dump.length, 1, type);
      const [resource] = dump;
      assert.equal(Object.keys(resource ?? {})[0], "@type");
      assert.ok(!JSON.stringify(dump).includes('"KEY"'));
    }
    assert.ok(JSON.stringify(dumpByType(tables, proxy, "listener")).includes('"rds"'));
    assert.deepEqual(dumpByType(tables, "infra/gone", "listener"), []);
  });
});
