import assert from "node:assert/strict";
import { fromBinary } from "@bufbuild/protobuf";
import { ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import { createIrSources } from "../../../test/support/ir-fragment.ts";
import { type FilterChain, type Listener, routeTableName, useKey } from "../ir/index.ts";
import { createGraph } from "../lib/index.ts";
import { createXdsTables } from "./tables.ts";

const proxy = "infra/gw";
const table = `${proxy}|80`;

const chain = (name: string, serverName = `${name}.example.com`): FilterChain => ({
  name,
  serverNames: [serverName],
  passthrough: true,
  http: { routeTable: table, extensions: ["extension"], cors: false },
});

const listener = (filterChains: readonly FilterChain[], accessLog?: Listener["accessLog"]): Listener => ({
  proxy,
  name: "tls-443",
  port: 443,
  bind: { address: "127.0.0.1", port: 10_443 },
  filterChains,
  ...(accessLog && { accessLog }),
});

/** Counts how often a chain is built: each has an extension filter, which is asked for. */
function open(filterChains: readonly FilterChain[]) {
  let builds = 0;
  const graph = createGraph();
  const { ir, apply } = createIrSources(graph);
  const tables = createXdsTables(graph, ir, {
    neutralConfig: () => {
      builds++;
      return undefined;
    },
  });
  const set = (next: Listener) => {
    builds = 0;
    apply({ listeners: [next] });
    graph.settle();
    return builds;
  };
  apply({ routeTables: [{ proxy, discovery: "inline", name: routeTableName(table, "inline") }] });
  set(listener(filterChains));
  const served = () => {
    const resource = tables.listener.get(useKey(proxy, "tls-443"));
    return resource && fromBinary(ListenerSchema, resource.body).filterChains.map(({ name }) => name);
  };
  return { set, served, problems: () => [...tables.problems.keys()].map((key) => tables.problems.get(key)) };
}

describe("createFilterChains()", () => {
  const names = Array.from({ length: 300 }, (_, index) => `c${String(index).padStart(3, "0")}`);
  const all = names.map((name) => chain(name));

  it("builds the chain that changed, however many a listener has", () => {
    const { set, served } = open(all);
    const one = open(all.slice(0, 1)).set(listener([chain("c000", "other.example.com")]));
    assert.ok(one > 0);
    assert.equal(set(listener(all.with(150, chain("c150", "other.example.com")))), one);
    assert.deepEqual(served(), names);
    assert.equal(set(listener(all.toSpliced(150, 1))), 0);
    assert.deepEqual(served(), names.toSpliced(150, 1));
  });

  it("builds all anew where their listener changes what they have of it", () => {
    const { set } = open(all);
    assert.ok(set(listener(all, { path: "stdout" })) >= all.length);
  });

  it("leaves out the second of two that take the same, until the first goes", () => {
    const rivals = [chain("a", "same.example.com"), chain("b", "SAME.example.com"), chain("c")];
    const { set, served, problems } = open(rivals);
    assert.deepEqual(served(), ["a", "c"]);
    assert.match(JSON.stringify(problems()), /another filter chain takes TLS for same\.example\.com already/);
    set(listener(rivals.slice(1)));
    assert.deepEqual(served(), ["b", "c"]);
  });
});
