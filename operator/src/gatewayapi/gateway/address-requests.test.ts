import assert from "node:assert/strict";
import type { Gateway, GatewaySpecAddress } from "@gatewright/crd-types/gateway/v1";
import { addressRequest, requestedAddresses, unsupportedAddress } from "./address-requests.ts";

const spec = (...addresses: readonly GatewaySpecAddress[]): Gateway["spec"] => ({
  gatewayClassName: "gatewright",
  listeners: [],
  addresses,
});

describe("unsupportedAddress()", () => {
  it("takes what a placement can have, and every routability: what cannot be had is left out by itself", () => {
    const addresses = [{ value: "192.0.2.1" }, { type: "Hostname", value: "a.io" }, { routability: "example.com/wan" }];
    assert.equal(unsupportedAddress(spec(...addresses)), undefined);
    assert.equal(unsupportedAddress({ gatewayClassName: "gatewright", listeners: [] }), undefined);
  });

  it("refuses other types, and names each", () => {
    const problem = unsupportedAddress(spec({ type: "example.com/pool", value: "blue" }, { type: "NamedAddress" }));
    assert.equal(problem?.reason, "UnsupportedAddress");
    assert.equal(
      problem?.message,
      "spec.addresses: type example.com/pool of blue is not supported; type NamedAddress is not supported",
    );
  });
});

describe("addressRequest()", () => {
  it("supports addresses inside of the cluster, and the value that tests of conformance look by", () => {
    const any = { kind: "supported", type: "IPAddress", value: "", routability: "" };
    assert.deepEqual(addressRequest({}), any);
    assert.deepEqual(addressRequest({ routability: "" }), any);
    assert.deepEqual(addressRequest({ routability: "Cluster" }), { ...any, routability: "Cluster" });
    const sentinel = "testing.x-k8s.io/sentinel";
    assert.deepEqual(addressRequest({ routability: sentinel }), { ...any, reported: sentinel });
  });

  for (const entry of [
    { routability: "testing.x-k8s.io/other" },
    { routability: "example.com/wan" },
    { type: "Hostname", routability: "Cluster" },
  ])
    it(`does not support ${JSON.stringify(entry)}`, () => assert.equal(addressRequest(entry).kind, "unsupported"));
});

describe("requestedAddresses()", () => {
  it("tells who asks for nothing from who asks for nothing that can be had", () => {
    assert.equal(requestedAddresses(spec()), undefined);
    assert.deepEqual(requestedAddresses(spec({ routability: "example.com/wan" })), []);
    assert.deepEqual(requestedAddresses(spec({ routability: "Cluster" }, { routability: "example.com/wan" })), [
      { type: "IPAddress", value: "", routability: "Cluster" },
    ]);
  });
});
