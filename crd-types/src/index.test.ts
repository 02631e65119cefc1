import assert from "node:assert/strict";
import { features, SupportHTTPRoute } from "./generated/api/gateway/features.ts";
import { type HTTPRoute, HTTPRouteFilterExtensionRef, RouteReasonAccepted } from "./generated/api/gateway/v1.ts";
import { schemas } from "./generated/api/schemas.ts";
import { type KindMap, kinds } from "./index.ts";

describe("the table of kinds", () => {
  it("has all kinds of the Gateway API and ours", () => {
    const names = (source: string) =>
      Object.values(kinds)
        .filter((kind) => kind.source === source)
        .map((kind) => kind.kind)
        .toSorted();
    assert.deepEqual(names("gatewright"), ["HTTPFilter", "MeshConfig"]);
    assert.deepEqual(names("gateway"), [
      "BackendTLSPolicy",
      "GRPCRoute",
      "Gateway",
      "GatewayClass",
      "HTTPRoute",
      "ListenerSet",
      "ReferenceGrant",
      "TCPRoute",
      "TLSRoute",
      "UDPRoute",
      "XBackend",
      "XBackendTrafficPolicy",
      "XMesh",
      "XTelemetryPolicy",
    ]);
  });

  it("says how the API server knows a kind", () => {
    assert.deepEqual(kinds.GatewayClass.shortNames, ["gc"]);
    assert.equal(kinds.GatewayClass.scope, "Cluster");
    assert.equal(kinds.ClusterTrustBundle.scope, "Cluster");
    assert.equal(kinds.Namespace.scope, "Cluster");
    assert.equal(kinds.BackendTLSPolicy.plural, "backendtlspolicies");
    assert.equal(kinds.Deployment.apiVersion, "apps/v1");
    assert.equal(kinds.Service.apiVersion, "v1");
    assert.equal(kinds.XMesh.channel, "experimental");
    assert.deepEqual(
      kinds.ReferenceGrant.versions.map(({ name, storage }) => ({ name, storage })),
      [
        { name: "v1", storage: false },
        { name: "v1beta1", storage: true },
      ],
    );
  });
});

describe("generated types", () => {
  it("take an object as a user writes it", () => {
    const route: HTTPRoute = {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "HTTPRoute",
      metadata: { name: "r", namespace: "n" },
      spec: {
        parentRefs: [{ name: "g" }],
        rules: [
          {
            matches: [{ path: { type: "PathPrefix", value: "/" } }],
            filters: [
              {
                type: HTTPRouteFilterExtensionRef,
                extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name: "f" },
              },
            ],
            backendRefs: [{ name: "s", port: 80 }],
          },
        ],
      },
    };
    const same: KindMap["HTTPRoute"] = route;
    assert.equal(same.spec.rules?.[0]?.filters?.[0]?.type, "ExtensionRef");
  });

  it("refuse what is misspelled", () => {
    const filter: KindMap["HTTPFilter"]["spec"] = {
      filter: "f",
      typedConfig: { "@type": "type.googleapis.com/f", anything: { goes: true } },
      // @ts-expect-error -- no such scope
      scope: "listener",
    };
    // @ts-expect-error -- nothing can be written
    filter.filter = "g";
    assert.equal(filter.filter, "g");
  });

  it("come with Go's constants and the features by channel", () => {
    assert.equal(RouteReasonAccepted, "Accepted");
    assert.equal(features[SupportHTTPRoute].channel, "standard");
    assert.deepEqual(features.HTTPRoute.sets, ["HTTPRouteCoreFeatures"]);
    assert.equal(features.ClusterTrustBundle.channel, "experimental");
  });
});

describe("schemas", () => {
  it("are there for every kind that is read from files", () => {
    for (const kind of Object.values(kinds)) {
      if (kind.source !== "kubernetes") assert.ok(kind.kind in schemas, kind.kind);
    }
    for (const name of [
      "Namespace",
      "Service",
      "Secret",
      "ConfigMap",
      "EndpointSlice",
      "ClusterTrustBundle",
    ] as const) {
      assert.equal(schemas[name].type, "object");
    }
  });

  it("have defaults, list keys and rules", () => {
    const ports = schemas.Service.properties?.["spec"]?.properties?.["ports"];
    assert.deepEqual(ports?.["x-kubernetes-list-map-keys"], ["port", "protocol"]);
    assert.equal(ports?.items?.properties?.["protocol"]?.default, "TCP");
    const filter = schemas.HTTPFilter.properties?.["spec"];
    assert.equal(filter?.properties?.["scope"]?.default, "route");
    assert.equal(filter?.["x-kubernetes-validations"]?.length, 3);
    assert.equal(filter?.properties?.["typedConfig"]?.["x-kubernetes-preserve-unknown-fields"], true);
    assert.deepEqual(schemas.EndpointSlice.properties?.["addressType"]?.enum, ["FQDN", "IPv4", "IPv6"]);
  });

  it("are of the experimental channel", () => {
    assert.ok(schemas.HTTPRoute.properties?.["spec"]?.properties?.["useDefaultGateways"]);
  });
});
