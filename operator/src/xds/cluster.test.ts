import assert from "node:assert/strict";
import { fromBinary } from "@bufbuild/protobuf";
import { Cluster_DiscoveryType, ClusterSchema } from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import type { Cluster } from "../ir/index.ts";
import { buildCluster } from "./cluster.ts";
import { violationsOf } from "./resource.ts";

const cluster = (more: Partial<Cluster>): Cluster => ({
  name: "team-a/app|80",
  origin: { kind: "Service", namespace: "team-a", name: "app" },
  endpoints: { kind: "eds" },
  protocol: "http1",
  connectTimeoutMs: 10_000,
  ...more,
});

const context = { hasSecret: () => true };
const dns = { kind: "dns", hostname: "db.example.org", port: 443 } as const;

describe("buildCluster()", () => {
  for (const protocol of ["http1", "http2", "websocket"] as const) {
    for (const endpoints of [{ kind: "eds" } as const, dns]) {
      it(`makes one valid message of what is its own and what clusters share (${endpoints.kind}, ${protocol})`, () => {
        const { encoded, problems } = buildCluster(cluster({ endpoints, protocol }), context);
        assert.ok(encoded !== undefined);
        const message = fromBinary(ClusterSchema, encoded.body);
        assert.deepEqual([problems, violationsOf(ClusterSchema, message)], [[], []]);
        assert.equal(message.name, "team-a/app|80");
        assert.equal(message.ignoreHealthOnHostRemoval, true);
        const type = endpoints.kind === "eds" ? Cluster_DiscoveryType.EDS : Cluster_DiscoveryType.LOGICAL_DNS;
        assert.deepEqual(message.clusterDiscoveryType, { case: "type", value: type });
        assert.equal(message.edsClusterConfig !== undefined, endpoints.kind === "eds");
      });
    }
  }

  it("leaves out one that Envoy would refuse, and says whose it is", () => {
    const { encoded, problems } = buildCluster(
      cluster({ connectTimeoutMs: 0, endpoints: { ...dns, hostname: "" } }),
      context,
    );
    assert.equal(encoded, undefined);
    const [problem] = problems;
    assert.deepEqual(problem?.origin, { kind: "Service", namespace: "team-a", name: "app" });
    const paths = problem?.violations.map(({ path }) => path).sort();
    const address = "load_assignment.endpoints[0].lb_endpoints[0].endpoint.address.socket_address.address";
    assert.deepEqual(paths, ["connect_timeout", address]);
  });
});
