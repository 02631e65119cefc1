import assert from "node:assert/strict";
import fc from "fast-check";
import { beginning, type Edit, histories, make, subjectOf } from "../../../test/support/translation-edits.ts";
import { dumpTable, dumpTranslation } from "../../../test/support/translation-dump.ts";
import { createWorld, type Manifest } from "../../../test/support/translation.ts";
import { createTranslation, type Translation } from "./translate.ts";

const dump = (world: Translation) => ({
  ...dumpTranslation(world),
  gateways: dumpTable(world.gateways),
  attachments: dumpTable(world.attachments),
});

describe("createTranslation()", () => {
  it("comes to the same whatever the way there", function () {
    this.timeout(120_000);
    fc.assert(
      fc.property(histories, (history) => {
        const lived = createWorld(createTranslation);
        make(lived, beginning);
        lived.graph.settle();
        const last = new Map<string, Edit>(beginning.map((edit) => [subjectOf(edit), edit]));
        for (const batch of history) {
          make(lived, batch);
          lived.graph.settle();
          for (const edit of batch) last.set(subjectOf(edit), edit);
        }

        const fresh = createWorld(createTranslation);
        const sorted = [...last].toSorted(([left], [right]) => (left < right ? 1 : -1)).map(([, edit]) => edit);
        make(fresh, sorted);
        fresh.graph.settle();
        assert.deepEqual(dump(lived), dump(fresh));
      }),
      { numRuns: 300 },
    );
  });

  it("costs what changes, however much stands beside it", () => {
    const few = costs(10);
    const many = costs(1000);
    assert.deepEqual(many, few);
    for (const [change, computations] of Object.entries(many))
      assert.ok(computations <= 20, `${change}: ${computations}`);
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
  spec: { gatewayClassName: "gatewright", listeners: [{ name: "web", port: 80, protocol: "HTTP" }] },
});

/** How many functions run for a change of each sort, where a Gateway has `size` routes. */
function costs(size: number): Readonly<Record<string, number>> {
  const world = createWorld(createTranslation);
  const all = Array.from({ length: size }, (_, index) => index);
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
    ...all.map((index) => service(index)),
    ...all.map((index) => httpRoute(index, "/")),
  ]);
  world.place("infra/gw");
  const costOf = (change: () => void): number => {
    const before = world.graph.computations();
    change();
    return world.graph.computations() - before;
  };
  return {
    "another path": costOf(() => world.apply([httpRoute(3, "/edited", 2)])),
    "a route that goes": costOf(() => world.remove("HTTPRoute infra/r4")),
    "a route that comes": costOf(() => world.apply([httpRoute(size, "/")])),
    "a Service that goes": costOf(() => world.remove("Service infra/app5")),
    "an annotation of the Gateway": costOf(() => world.apply([gateway(1, "x")])),
    "a generation of the Gateway": costOf(() => world.apply([gateway(2, "x")])),
    "an Envoy that is not ready": costOf(() => {
      world.proxyStates.set("infra/gw", { kind: "pending", message: "wait" });
      world.graph.settle();
    }),
    "another address": costOf(() => world.place("infra/gw", { addresses: [] })),
  };
}
