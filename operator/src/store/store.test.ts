import assert from "node:assert/strict";
import type { HTTPRoute, RouteParentStatus } from "@gatewright/crd-types/gateway/v1";
import { createGraph } from "../lib/index.ts";
import { createStore } from "./store.ts";

const route = (resourceVersion: string, more: Partial<HTTPRoute> = {}): HTTPRoute => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { namespace: "apps", name: "shop", generation: 1, resourceVersion },
  spec: { hostnames: ["shop.example.com"] },
  ...more,
});

const status = (
  ...parents: readonly { readonly name: string; readonly conditions?: RouteParentStatus["conditions"] }[]
) => ({
  status: {
    parents: parents.map(({ name, conditions = [] }) => ({
      parentRef: { name },
      controllerName: "example.com/us",
      conditions,
    })),
  },
});

const condition = (observedGeneration: number) => ({
  type: "Accepted",
  status: "True" as const,
  reason: "Accepted",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  observedGeneration,
});

describe("createStore()", () => {
  it("wakes nobody for the words of a status, and has them all the same", () => {
    const graph = createGraph();
    const store = createStore(graph);
    const { HTTPRoute: routes } = store.objects;
    graph.derive("hosts", { keysOf: [routes], compute: (key) => routes.get(key)?.spec.hostnames?.[0] });
    const watch = routes.watch();
    /** How often something was computed from it. */
    const apply = (object: HTTPRoute) => {
      const before = graph.computations();
      store.apply([{ kind: "HTTPRoute", key: "apps/shop", object }]);
      graph.settle();
      assert.deepEqual([...watch.take()], ["apps/shop"]);
      assert.equal(routes.get("apps/shop"), object);
      return graph.computations() - before;
    };
    assert.equal(apply(route("1")), 1);
    assert.equal(apply(route("2")), 0);
    assert.equal(apply(route("3", status({ name: "gw", conditions: [condition(1)] }))), 1);
    assert.equal(apply(route("4", status({ name: "gw", conditions: [condition(2)] }))), 0);
    // Whatever else differs may matter.
    assert.equal(apply(route("5", status({ name: "gw" }, { name: "other" }))), 1);
    assert.equal(apply(route("6")), 1);
    assert.equal(apply(route("7", { metadata: { ...route("7").metadata, labels: { team: "a" } } })), 1);
    assert.equal(apply(route("8", { spec: { hostnames: ["b.example.com"] } })), 1);
  });
});
