import assert from "node:assert/strict";
import { fromJson } from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { type Bootstrap, BootstrapSchema } from "@gatewright/crd-types/proto/envoy/config/bootstrap/v3/bootstrap_pb";
import { Cluster_DiscoveryType } from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import { ApiConfigSource_ApiType } from "@gatewright/crd-types/proto/envoy/config/core/v3/config_source_pb";
import { maxRegexProgramSize } from "../ir/index.ts";
import { type BootstrapOptions, buildBootstrap } from "./bootstrap.ts";
import { protoRegistry } from "./proto/index.ts";
import { violationsOf } from "./resource.ts";

const bootstrap = (more: Partial<BootstrapOptions> = {}): Bootstrap =>
  fromJson(
    BootstrapSchema,
    buildBootstrap({
      nodeId: "pod-1",
      nodeCluster: "infra/gw",
      ads: { path: "/run/ads.sock" },
      admin: { path: "/run/admin.sock" },
      ...more,
    }),
    { registry: protoRegistry() },
  );

const adsType = (ads: BootstrapOptions["ads"]) =>
  bootstrap({ ads }).staticResources?.clusters[0]?.clusterDiscoveryType.value;

describe("buildBootstrap()", () => {
  it("keeps Envoy's rules", () => {
    for (const more of [
      {},
      { probePort: 19_001, drain: { path: "/drain", seconds: 30 } },
      { maxHeapBytes: 2 ** 30, maxConnections: 10, ads: { address: "gatewright", port: 18_000 } },
      { probePort: 19_001, identity: { secretFolder: "/s", configFolder: "/c", serverName: "gatewright.test" } },
    ]) {
      assert.deepEqual(violationsOf(BootstrapSchema, bootstrap(more)), []);
    }
  });

  it("says who the Envoy is, and asks for changes only, from the one place that it knows", () => {
    const { node, dynamicResources, staticResources } = bootstrap();
    assert.deepEqual([node?.id, node?.cluster], ["pod-1", "infra/gw"]);
    const { adsConfig, cdsConfig, ldsConfig } = dynamicResources ?? {};
    assert.equal(adsConfig?.apiType, ApiConfigSource_ApiType.DELTA_GRPC);
    const target = adsConfig.grpcServices[0]?.targetSpecifier;
    assert.ok(target?.case === "envoyGrpc");
    assert.deepEqual(
      staticResources?.clusters.map(({ name }) => name),
      [target.value.clusterName],
    );
    for (const source of [cdsConfig, ldsConfig]) {
      assert.equal(source?.configSourceSpecifier.case, "ads");
      assert.equal(source.initialFetchTimeout?.seconds, 0n);
    }
  });

  it("comes back soon to an operator that was away, and waits for one to whom all come at once", () => {
    const { dynamicResources, staticResources } = bootstrap();
    const target = dynamicResources?.adsConfig?.grpcServices[0]?.targetSpecifier;
    assert.ok(target?.case === "envoyGrpc");
    const { baseInterval, maxInterval } = target.value.retryPolicy?.retryBackOff ?? {};
    assert.ok(baseInterval !== undefined && durationMs(baseInterval) < 1_000);
    assert.ok(maxInterval !== undefined && durationMs(maxInterval) <= 5_000);
    const timeout = staticResources?.clusters[0]?.connectTimeout;
    assert.ok(timeout !== undefined && durationMs(timeout) >= 5_000);
  });

  it("is asked whether it is ready at the family of addresses that pods have first", () => {
    const addressOf = (options: Partial<BootstrapOptions>) => {
      const [listener] = bootstrap({ probePort: 19_001, ...options }).staticResources?.listeners ?? [];
      const address = listener?.address?.address;
      return address?.case === "socketAddress" ? `${address.value.address} ${address.value.ipv4Compat}` : undefined;
    };
    assert.equal(addressOf({}), "0.0.0.0 false");
    assert.equal(addressOf({ prefersIPv6: true }), ":: true");
  });

  it("resolves a name of the operator, and takes an address as it is", () => {
    assert.equal(
      adsType({ address: "gatewright.gatewright-system.svc", port: 18_000 }),
      Cluster_DiscoveryType.STRICT_DNS,
    );
    for (const address of ["192.0.2.1", "2001:db8::1"]) {
      assert.equal(adsType({ address, port: 18_000 }), Cluster_DiscoveryType.STATIC);
    }
    assert.equal(adsType({ path: "/run/ads.sock" }), Cluster_DiscoveryType.STATIC);
  });

  it("raises the limit of expressions to what translation allows", () => {
    const layer = bootstrap().layeredRuntime?.layers[0]?.layerSpecifier;
    assert.ok(layer?.case === "staticLayer");
    assert.equal(layer.value["re2.max_program_size.error_level"], maxRegexProgramSize);
  });

  it("watches the heap only where it has a size", () => {
    const monitors = (more: Partial<BootstrapOptions>) =>
      bootstrap(more).overloadManager?.resourceMonitors.map(({ name }) => name.replace("envoy.resource_monitors.", ""));
    assert.deepEqual(monitors({}), ["global_downstream_max_connections"]);
    assert.deepEqual(monitors({ maxHeapBytes: 2 ** 30 }), ["global_downstream_max_connections", "fixed_heap"]);
  });
});
