import assert from "node:assert/strict";
import { createWorld, type Manifest } from "../../../test/support/translation.ts";
import { createTranslation } from "./translate.ts";

describe("createTranslation()", () => {
  it("costs what changes, however much stands beside it", () => {
    const few = costs(10);
    const many = costs(1000);
    assert.deepEqual(many, few);
    for (const [change, computations] of Object.entries(many))
      assert.ok(computations <= 20, `${change}: ${computations}`);
  });

  it("costs what a ListenerSet has to say where its proxy changes, and no route", () => {
    const [few, many] = [proxyCosts(10, 10), proxyCosts(1000, 10)];
    assert.deepEqual(many, few);
    for (const [change, computations] of Object.entries(many))
      assert.ok(computations <= 10 + 3 * 10, `${change}: ${computations}`);
  });
});

const group = "gateway.networking.k8s.io";

const httpRoute = (index: number, path: string, generation = 1): Manifest => ({
  apiVersion: `${group}/v1`,
  kind: "HTTPRoute",
  metadata: { name: `r${index}`, namespace: "infra", generation },
  spec: {
    parentRefs: [{ name: "gw" }],
    hostnames: [`h${index}.example.com`],
    rules: [{ matches: [{ path: { value: path } }], backendRefs: [{ name: `app${index}`, port: 80 }] }],
  },
});

const service = (index: number): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: `app${index}`, namespace: "infra" },
  spec: { ports: [{ port: 80 }] },
});

const gateway = (generation: number, annotation = ""): Manifest => ({
  apiVersion: `${group}/v1`,
  kind: "Gateway",
  metadata: { name: "gw", namespace: "infra", generation, ...(annotation && { annotations: { annotation } }) },
  spec: {
    gatewayClassName: "gatewright",
    listeners: [{ name: "web", port: 80, protocol: "HTTP" }],
    allowedListeners: { namespaces: { from: "All" } },
  },
});

/** Its listener shares a port with those of all others. */
const listenerSet = (index: number, hostname = `s${index}.example.org`, generation = 1): Manifest => ({
  apiVersion: `${group}/v1`,
  kind: "ListenerSet",
  metadata: { name: `s${index}`, namespace: "apps", generation },
  spec: {
    parentRef: { name: "gw", namespace: "infra" },
    listeners: [{ name: "web", port: 81, protocol: "HTTP", hostname }],
  },
});

/** A Gateway with `size` routes and `sets` ListenerSets. */
function openWorld(size: number, sets: number) {
  const world = createWorld(createTranslation);
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
  world.apply([
    {
      apiVersion: `${group}/v1`,
      kind: "GatewayClass",
      metadata: { name: "gatewright" },
      spec: { controllerName: "gatewright.dev/gateway-controller" },
    },
    // Above and below the number of hosts from which on they come one by one, the table is made the same way.
    {
      apiVersion: "config.aether.io/v1",
      kind: "MeshConfig",
      metadata: { name: "mesh", namespace: "gatewright-system" },
      spec: { virtualHostDiscovery: { threshold: 5 } },
    },
    gateway(1),
    ...upTo(size).map((index) => service(index)),
    ...upTo(size).map((index) => httpRoute(index, "/")),
    ...upTo(sets).map((index) => listenerSet(index)),
  ]);
  world.place("infra/gw");
  return {
    ...world,
    costOf: (change: () => void): number => {
      const before = world.graph.computations();
      change();
      return world.graph.computations() - before;
    },
  };
}

/** How many functions run for a change of each sort. */
function costs(size: number): Readonly<Record<string, number>> {
  const { costOf, apply, remove } = openWorld(size, size);
  return {
    "another path": costOf(() => apply([httpRoute(3, "/edited", 2)])),
    "a route that goes": costOf(() => remove("HTTPRoute infra/r4")),
    "a route that comes": costOf(() => apply([httpRoute(size, "/")])),
    "a Service that goes": costOf(() => remove("Service infra/app5")),
    "an annotation of the Gateway": costOf(() => apply([gateway(1, "x")])),
    "a generation of the Gateway": costOf(() => apply([gateway(2, "x")])),
    "a hostname of a ListenerSet": costOf(() => apply([listenerSet(3, "edited.example.org", 2)])),
    "a hostname of a ListenerSet that another has": costOf(() => apply([listenerSet(3, "s2.example.org", 3)])),
    "a ListenerSet that comes": costOf(() => apply([listenerSet(size)])),
    "a ListenerSet that goes": costOf(() => remove("ListenerSet apps/s4")),
  };
}

function proxyCosts(size: number, sets: number): Readonly<Record<string, number>> {
  const { costOf, graph, place, proxyStates } = openWorld(size, sets);
  return {
    "an Envoy that is not ready": costOf(() => {
      proxyStates.set("infra/gw", { kind: "pending", message: "wait" });
      graph.settle();
    }),
    "another address": costOf(() => place("infra/gw", { addresses: [] })),
  };
}
