import assert from "node:assert/strict";
import { RouteConfigurationSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_pb";
import { protoRegistry } from "./index.ts";

describe("protoRegistry()", () => {
  it("knows all of Envoy's messages, and those that they use", () => {
    const messages = [...protoRegistry()].filter((type) => type.kind === "message");
    const names = new Set(messages.map(({ typeName }) => typeName));
    assert.ok(messages.length > 2_100, `${messages.length} messages`);
    for (const name of [
      "envoy.extensions.filters.http.dynamic_modules.v3.DynamicModuleFilter",
      "envoy.extensions.filters.http.header_to_metadata.v3.Config",
      "envoy.extensions.matching.input_matchers.ip.v3.Ip",
      "xds.type.matcher.v3.Matcher",
      "cel.expr.CheckedExpr",
      "google.rpc.Status",
    ]) {
      assert.ok(names.has(name), name);
    }
  });

  it("describes a type as its generated schema does", () => {
    const desc = protoRegistry().getMessage(RouteConfigurationSchema.typeName);
    assert.deepEqual(
      desc?.fields.map((field) => [field.number, field.localName]),
      RouteConfigurationSchema.fields.map((field) => [field.number, field.localName]),
    );
  });

  it("finds types that stand within others, and none that is not there", () => {
    const registry = protoRegistry();
    assert.equal(
      registry.getMessage("envoy.config.route.v3.RouteMatch.GrpcRouteMatchOptions")?.name,
      "GrpcRouteMatchOptions",
    );
    assert.equal(registry.getEnum("envoy.config.cluster.v3.Cluster.DiscoveryType")?.name, "DiscoveryType");
    assert.equal(registry.getExtension("validate.rules")?.number, 1071);
    for (const name of [
      "",
      ".",
      "nothing",
      "envoy.config.route.v3",
      "google.protobuf.FileDescriptorSet.",
      "google.protobuf.Any.Other",
    ])
      assert.equal(registry.getMessage(name), undefined, name);
  });

  it("finds extensions by what they extend", () => {
    const options = protoRegistry().getMessage("google.protobuf.FieldOptions");
    assert.ok(options !== undefined);
    assert.equal(protoRegistry().getExtensionFor(options, 1071)?.typeName, "validate.rules");
  });

  it("builds a file once, whoever asks for it first", () => {
    const action = protoRegistry().getMessage("envoy.config.route.v3.RouteAction");
    const route = protoRegistry().getMessage("envoy.config.route.v3.Route");
    assert.equal(route?.field["route"]?.message, action);
  });

  it("is loaded once", () => {
    assert.equal(protoRegistry(), protoRegistry());
  });
});
