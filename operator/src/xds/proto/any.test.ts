import assert from "node:assert/strict";
import { create } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { VirtualHostSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { RouterSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/router/v3/router_pb";
import { messageToJson, packAny, typeNameOf, typeUrl, unpackAny } from "./index.ts";

describe("packAny()", () => {
  it("packs a message and what one is made from alike", () => {
    const init = { suppressEnvoyHeaders: true };
    const packed = packAny(RouterSchema, init);
    assert.equal(packed.typeUrl, "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router");
    assert.deepEqual(packed, packAny(RouterSchema, create(RouterSchema, init)));
  });

  it("is undone by unpackAny()", () => {
    const unpacked = unpackAny(packAny(RouterSchema, { suppressEnvoyHeaders: true }));
    assert.ok(unpacked.kind === "message");
    assert.deepEqual(messageToJson(unpacked.desc, unpacked.message), { suppress_envoy_headers: true });
  });
});

describe("unpackAny()", () => {
  it("tells an unknown type from a malformed message", () => {
    const unknown = unpackAny(create(AnySchema, { typeUrl: "type.googleapis.com/does.not.Exist" }));
    assert.deepEqual(unknown, { kind: "unknown-type", typeName: "does.not.Exist" });
    const malformed = unpackAny(create(AnySchema, { typeUrl: typeUrl(RouterSchema), value: Uint8Array.of(0x0a) }));
    assert.equal(malformed.kind, "malformed");
  });

  it("looks only at what follows the last slash, as Envoy does", () => {
    assert.equal(typeNameOf("example.com/a/envoy.config.route.v3.Route"), "envoy.config.route.v3.Route");
  });
});

describe("messageToJson()", () => {
  it("prints extensions unpacked and names as Envoy's documentation spells them", () => {
    const host = create(VirtualHostSchema, {
      name: "h",
      domains: ["*"],
      typedPerFilterConfig: { router: packAny(RouterSchema, { strictCheckHeaders: ["x-envoy-max-retries"] }) },
    });
    assert.deepEqual(messageToJson(VirtualHostSchema, host), {
      name: "h",
      domains: ["*"],
      typed_per_filter_config: {
        router: {
          "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router",
          strict_check_headers: ["x-envoy-max-retries"],
        },
      },
    });
  });
});
