import assert from "node:assert/strict";
import { features } from "@gatewright/crd-types/gateway/features";
import { featuresWhere, supportedFeatures } from "./supported-features.ts";

describe("supportedFeatures", () => {
  it("are sorted, each once, and no more than the API keeps", () => {
    assert.deepEqual(supportedFeatures, [...new Set(supportedFeatures)].toSorted());
    assert.ok(supportedFeatures.length <= 64);
  });

  it("include all that an HTTP gateway must have", () => {
    const core = Object.values(features).filter(({ sets }) =>
      sets.some((set) => ["GatewayCoreFeatures", "HTTPRouteCoreFeatures", "ReferenceGrantCoreFeatures"].includes(set)),
    );
    assert.equal(core.length, 3);
    for (const { name } of core) assert.ok(supportedFeatures.includes(name), name);
  });
});

describe("featuresWhere()", () => {
  it("leaves out what needs a kind or a field that is not there, and nothing else", () => {
    assert.deepEqual(
      featuresWhere(() => false),
      supportedFeatures,
    );
    assert.deepEqual(
      featuresWhere((kind) => kind === "ClusterTrustBundle"),
      supportedFeatures.filter((feature) => feature !== "ClusterTrustBundle"),
    );
    assert.deepEqual(
      featuresWhere((field) => field === "Gateway.status.addresses.routability"),
      supportedFeatures.filter((feature) => !feature.startsWith("GatewayAddressRoutability")),
    );
    assert.deepEqual(
      featuresWhere((field) => field === "Gateway.spec.listeners.filters"),
      supportedFeatures.filter((feature) => feature !== "GatewayListenerFilters"),
    );
  });
});
