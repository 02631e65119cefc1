import assert from "node:assert/strict";
import type { Gateway, GatewaySpecAddress } from "@gatewright/crd-types/gateway/v1";
import type { Placement } from "../inputs.ts";
import { addressOutcome, unsupportedAddress } from "./addresses.ts";

const spec = (...addresses: readonly GatewaySpecAddress[]): Gateway["spec"] => ({
  gatewayClassName: "gatewright",
  listeners: [],
  addresses,
});

const placement: Placement = {
  addresses: [
    { type: "IPAddress", value: "192.0.2.1" },
    { type: "Hostname", value: "gw.example.com" },
  ],
  bind: (port) => ({ address: "0.0.0.0", port }),
};

describe("unsupportedAddress()", () => {
  it("takes what a placement can have", () => {
    assert.equal(unsupportedAddress(spec({ value: "192.0.2.1" }, { type: "Hostname", value: "a.io" })), undefined);
    assert.equal(unsupportedAddress({ gatewayClassName: "gatewright", listeners: [] }), undefined);
  });

  it("refuses other types and reaches, and names each", () => {
    const problem = unsupportedAddress(spec({ type: "example.com/pool", value: "blue" }, { routability: "Cluster" }));
    assert.equal(problem?.reason, "UnsupportedAddress");
    assert.equal(
      problem?.message,
      "spec.addresses: type example.com/pool of blue is not supported; routability Cluster is not supported",
    );
  });
});

describe("addressOutcome()", () => {
  const cases: readonly {
    readonly title: string;
    readonly wanted: readonly GatewaySpecAddress[];
    readonly placement?: Placement;
    readonly condition: string;
    readonly problem?: string;
  }[] = [
    {
      title: "all that are wanted",
      wanted: [{ value: "192.0.2.1" }, { type: "Hostname", value: "gw.example.com" }],
      placement,
      condition: "True AddressesAssigned",
    },
    {
      title: "any of a type",
      wanted: [{}, { type: "Hostname" }],
      placement,
      condition: "True AddressesAssigned",
    },
    {
      title: "an address as another type",
      wanted: [{ type: "Hostname", value: "192.0.2.1" }],
      placement,
      condition: "False NotAssigned",
      problem: "AddressNotUsable",
    },
    {
      title: "some of them",
      wanted: [{ value: "192.0.2.1" }, { value: "192.0.2.2" }],
      placement,
      condition: "False PartiallyAssigned",
      problem: "AddressNotUsable",
    },
    {
      title: "a type that the placement has none of",
      wanted: [{ type: "Hostname" }],
      placement: { ...placement, addresses: [{ type: "IPAddress", value: "192.0.2.1" }] },
      condition: "False NotAssigned",
      problem: "AddressNotAssigned",
    },
    {
      title: "one before there is a placement",
      wanted: [{ value: "192.0.2.1" }],
      condition: "False NotAssigned",
      problem: "AddressNotAssigned",
    },
    {
      title: "one that may still come",
      wanted: [{ value: "192.0.2.1" }],
      placement: { ...placement, addresses: [] },
      condition: "False NotAssigned",
      problem: "AddressNotAssigned",
    },
    {
      title: "one that will never come",
      wanted: [{ value: "192.0.2.1" }, { value: "192.0.2.9" }],
      placement: { ...placement, addresses: [], unusableAddresses: new Map([["192.0.2.9", "is taken"]]) },
      condition: "False NotAssigned",
      problem: "AddressNotUsable",
    },
  ];
  for (const { title, wanted, placement: at, condition, problem } of cases)
    it(`${title}: ${condition}`, () => {
      const outcome = addressOutcome(spec(...wanted), at);
      assert.ok(outcome);
      assert.equal(outcome.condition.type, "AddressesAssigned");
      assert.equal(`${outcome.condition.status} ${outcome.condition.reason}`, condition);
      assert.equal(outcome.problem?.reason, problem);
    });

  it("says nothing where none is wanted", () => assert.equal(addressOutcome(spec(), placement), undefined));
});
