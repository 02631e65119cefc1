import assert from "node:assert/strict";
import { create, type DescMessage, fromJson, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { BackoffStrategySchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/backoff_pb";
import { HeaderValueSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/base_pb";
import { ExtensionConfigSourceSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/config_source_pb";
import { PermissionSchema } from "@gatewright/crd-types/proto/envoy/config/rbac/v3/rbac_pb";
import { RouteSchema, VirtualHostSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { ConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb";
import { packAny, protoRegistry } from "../proto/index.ts";
import { validateMessage } from "./index.ts";

/** What is wrong with a message, one line a violation. */
function problems<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): readonly string[] {
  const result = validateMessage(schema, create(schema, init));
  return result.kind === "valid" ? [] : result.violations.map(({ path, rule }) => `${path} ${rule}`);
}

function problemsOfJson(typeName: string, json: JsonValue): readonly string[] {
  const desc = protoRegistry().getMessage(typeName);
  assert.ok(desc !== undefined);
  const result = validateMessage(desc, fromJson(desc, json, { registry: protoRegistry() }));
  return result.kind === "valid" ? [] : result.violations.map(({ path, rule }) => `${path} ${rule}`);
}

describe("validateMessage()", () => {
  it("reports all that is wrong, at any depth", () => {
    assert.deepEqual(problems(VirtualHostSchema, { name: "", domains: [], routes: [{}, { match: {} }] }), [
      "name string.min_len",
      "domains repeated.min_items",
      "routes[0].match required",
      "routes[0] oneof.required",
      "routes[1].match oneof.required",
      "routes[1] oneof.required",
    ]);
  });

  it("takes a good message", () => {
    const route = create(RouteSchema, {
      match: { pathSpecifier: { case: "prefix", value: "/" } },
      action: { case: "route", value: { clusterSpecifier: { case: "cluster", value: "c" } } },
    });
    assert.deepEqual(problems(VirtualHostSchema, { name: "h", domains: ["*"], routes: [route] }), []);
  });

  it("lets a header name that need not be strict be anything without NUL, CR and LF, as Envoy does", () => {
    const good = ["x-a", "a b", "é", ":path"].flatMap((key) => problems(HeaderValueSchema, { key }));
    assert.deepEqual(good, []);
    for (const key of ["a\0", "a\r", "a\n"])
      assert.deepEqual(problems(HeaderValueSchema, { key }), ["key string.header"]);
    // The empty name is refused by the rule for its length alone.
    assert.deepEqual(problems(HeaderValueSchema, { key: "" }), ["key string.min_len"]);
  });

  it("does not ask for every message of a oneof that is marked as required", () => {
    assert.deepEqual(problems(PermissionSchema, { rule: { case: "any", value: true } }), []);
  });

  it("asks for a message that carries a rule for Any, and does not look into it", () => {
    const typeUrls = ["type.googleapis.com/a.B"];
    assert.deepEqual(problems(ExtensionConfigSourceSchema, { typeUrls }), ["config_source required"]);
    assert.deepEqual(problems(ExtensionConfigSourceSchema, { typeUrls, configSource: {} }), []);
  });

  it("looks into recursive messages, to any depth", () => {
    const bad = { rule: { case: undefined } } as const;
    const nest = (rules: MessageInitShape<typeof PermissionSchema>[]) =>
      ({ rule: { case: "andRules", value: { rules } } }) as const;
    assert.deepEqual(problems(PermissionSchema, nest([nest([{ rule: { case: "any", value: true } }, nest([bad])])])), [
      "and_rules.rules[0].and_rules.rules[1].and_rules.rules[0] oneof.required",
    ]);
    assert.deepEqual(problems(PermissionSchema, nest([nest([])])), [
      "and_rules.rules[0].and_rules.rules repeated.min_items",
    ]);
  });

  it("checks durations against their rules and their range", () => {
    assert.deepEqual(problems(BackoffStrategySchema, {}), ["base_interval required"]);
    assert.deepEqual(problems(BackoffStrategySchema, { baseInterval: { nanos: 999_999 } }), [
      "base_interval duration.gte",
    ]);
    assert.deepEqual(problems(BackoffStrategySchema, { baseInterval: { nanos: 1_000_000 } }), []);
    for (const baseInterval of [
      { seconds: 1n, nanos: 1_000_000_000 },
      { seconds: 1n, nanos: -1 },
      { seconds: 315_576_000_001n },
    ]) {
      assert.deepEqual(problems(BackoffStrategySchema, { baseInterval }), ["base_interval duration.range"]);
    }
  });

  it("validates what is packed into a message, and what is packed into that", () => {
    const config = packAny(ConfigSchema, { requestRules: [{ header: "a\n", onHeaderPresent: { key: "" } }] });
    const host = { name: "h", domains: ["*"], typedPerFilterConfig: { f: config } };
    assert.deepEqual(problems(VirtualHostSchema, host), [
      'typed_per_filter_config["f"].request_rules[0].header string.header',
      'typed_per_filter_config["f"].request_rules[0].on_header_present.key string.min_len',
    ]);
    const inner = packAny(VirtualHostSchema, host);
    assert.deepEqual(
      problems(VirtualHostSchema, { name: "o", domains: ["*"], typedPerFilterConfig: { g: inner } })[0],
      'typed_per_filter_config["g"].typed_per_filter_config["f"].request_rules[0].header string.header',
    );
  });

  it("reports a packed message that cannot be read, and leaves unknown types alone", () => {
    const broken = create(AnySchema, { typeUrl: packAny(ConfigSchema, {}).typeUrl, value: Uint8Array.of(0x0a) });
    const unknown = create(AnySchema, { typeUrl: "type.googleapis.com/does.not.Exist" });
    const host = { name: "h", domains: ["*"], typedPerFilterConfig: { broken, unknown } };
    assert.deepEqual(problems(VirtualHostSchema, host), ['typed_per_filter_config["broken"] any.value']);
  });

  it("knows types for which no TypeScript is generated", () => {
    const type = "envoy.extensions.filters.http.bandwidth_limit.v3.BandwidthLimit";
    assert.deepEqual(problemsOfJson(type, { statPrefix: "a", fillInterval: "2s", limitKbps: "0" }), [
      "limit_kbps uint64.gte",
      "fill_interval duration.gte_lte",
    ]);
    assert.deepEqual(problemsOfJson(type, { statPrefix: "a", fillInterval: "0.5s", limitKbps: "1" }), []);
  });

  it("throws for a type that is not Envoy's", () => {
    const alien = { ...VirtualHostSchema, typeName: "does.not.Exist" };
    assert.throws(() => validateMessage(alien, create(VirtualHostSchema, {})), TypeError);
  });
});
