import assert from "node:assert/strict";
import { kinds } from "@gatewright/crd-types";
import { Testing } from "cdk8s";
import { BackendTlsPolicy } from "./generated/cluster-trust-bundle-ref/index.ts";
import * as constructs from "./index.ts";

describe("constructs", () => {
  it("synthesize what they are given, with the identity of their kind", () => {
    // GIVEN
    const chart = Testing.chart();
    // WHEN
    const gateway = new constructs.Gateway(chart, "web", {
      spec: { gatewayClassName: "gatewright", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
    });
    new constructs.HttpRoute(chart, "app", {
      metadata: { name: "app", labels: { team: "a" } },
      spec: { parentRefs: [{ name: gateway.name }], rules: [{ backendRefs: [{ name: "app", port: 80 }] }] },
    });
    // THEN
    assert.deepEqual(Testing.synth(chart), [
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "Gateway",
        metadata: { name: gateway.name },
        spec: { gatewayClassName: "gatewright", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] },
      },
      {
        apiVersion: "gateway.networking.k8s.io/v1",
        kind: "HTTPRoute",
        metadata: { name: "app", labels: { team: "a" } },
        spec: { parentRefs: [{ name: gateway.name }], rules: [{ backendRefs: [{ name: "app", port: 80 }] }] },
      },
    ]);
  });

  it("take kinds without a spec, and manifests without a tree", () => {
    const chart = Testing.chart();
    new constructs.ConfigMap(chart, "settings", { data: { mode: "fast" } });
    assert.deepEqual(Testing.synth(chart)[0].data, { mode: "fast" });
    assert.deepEqual(constructs.Secret.manifest({ metadata: { name: "s" }, stringData: { a: "b" } }), {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      stringData: { a: "b" },
    });
  });

  it("are there for every kind of the table, in the version that it names", () => {
    const byKind = new Map(
      Object.values(constructs).flatMap((construct) =>
        "kind" in construct ? [[construct.kind, construct.apiVersion] as const] : [],
      ),
    );
    assert.deepEqual(byKind, new Map(Object.values(kinds).map(({ kind, apiVersion }) => [kind, apiVersion])));
  });
});

describe("constructs of the overlay", () => {
  it("take the field that it adds, and are otherwise the same", () => {
    const chart = Testing.chart();
    const spec = {
      targetRefs: [{ group: "", kind: "Service", name: "db" }],
      validation: { hostname: "db.example.com", clusterTrustBundleRef: { name: "example.com:internal:v1" } },
    };
    new BackendTlsPolicy(chart, "db", { metadata: { name: "db" }, spec });
    assert.deepEqual(Testing.synth(chart), [
      { apiVersion: "gateway.networking.k8s.io/v1", kind: "BackendTLSPolicy", metadata: { name: "db" }, spec },
    ]);
    assert.equal(BackendTlsPolicy.apiVersion, constructs.BackendTlsPolicy.apiVersion);
    const { validation, ...others } = spec;
    const [hostname, clusterTrustBundleRef] = [validation.hostname, validation.clusterTrustBundleRef];
    // @ts-expect-error as released, a policy has no such field
    constructs.BackendTlsPolicy.manifest({ spec: { ...others, validation: { hostname, clusterTrustBundleRef } } });
  });
});
