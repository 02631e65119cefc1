import assert from "node:assert/strict";
import { createIrSources } from "../../../test/support/ir-fragment.ts";
import type { Cluster, Listener } from "../ir/index.ts";
import { createGraph } from "../lib/index.ts";
import { createXdsTables } from "./tables.ts";
import { trustBundleName } from "./trust-bundle.ts";

const cluster = (name: string, pem: string): Cluster => ({
  name,
  origin: { kind: "Service", namespace: "team-a", name: "app" },
  endpoints: { kind: "eds" },
  protocol: "http1",
  connectTimeoutMs: 5_000,
  tls: {
    serverName: "app.example.com",
    authorities: { kind: "bundle", pem },
    subjectAltNames: [{ kind: "dns", value: "app.example.com" }],
  },
});

/** Sends connections of a port to clusters. */
const listener = (proxy: string, port: number, clusters: readonly string[], clients?: string): Listener => ({
  proxy,
  name: `tls-${port}`,
  port,
  bind: { address: "::", port },
  filterChains: [
    {
      name: "chain",
      serverNames: [],
      tcp: { backends: clusters.map((name) => ({ cluster: name, weight: 1 })), failingWeight: 0 },
      ...(clients !== undefined && {
        tls: { certificates: [], alpnProtocols: [], clients: { authorities: clients, accept: "valid" } },
      }),
    },
  ],
});

describe("certificates of authorities", () => {
  it("are one resource for each proxy that trusts them, named after what is in them", () => {
    const graph = createGraph();
    const { ir, apply } = createIrSources(graph);
    const { secret } = createXdsTables(graph, ir);
    const secrets = () => [...secret.keys()].sort();
    const names = Array.from({ length: 50 }, (_, index) => `team-a/app-${index}|443|tls`);
    const serve = (pem: string, clients: string) => {
      apply({
        clusters: names.map((name) => cluster(name, pem)),
        listeners: [listener("infra/one", 443, names), listener("infra/two", 444, names.slice(0, 1), clients)],
      });
      graph.settle();
    };
    serve("A", "A");
    assert.deepEqual(secrets(), [`infra/one ${trustBundleName("A")}`, `infra/two ${trustBundleName("A")}`]);
    serve("B", "C");
    const [b, c] = [trustBundleName("B"), trustBundleName("C")];
    assert.deepEqual(secrets(), [`infra/one ${b}`, `infra/two ${b}`, `infra/two ${c}`].sort());
    apply({});
    graph.settle();
    assert.deepEqual(secrets(), []);
  });

  it("have no name that a Secret could have", () => assert.match(trustBundleName("A"), /^trust\|[\w-]{43}$/));
});
