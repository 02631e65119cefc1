import assert from "node:assert/strict";
import type { Gateway, GatewaySpecAddress } from "@gatewright/crd-types/gateway/v1";
import { requestKey } from "../../ir/index.ts";
import type { Placement } from "../inputs.ts";
import { addressOutcome } from "./addresses.ts";

const spec = (...addresses: readonly GatewaySpecAddress[]): Gateway["spec"] => ({
  gatewayClassName: "gatewright",
  listeners: [],
  addresses,
});

const bind: Placement["bind"] = (port) => ({ address: "0.0.0.0", port });
const outer = { type: "IPAddress", value: "192.0.2.1" } as const;
const named = { type: "Hostname", value: "gw.example.com" } as const;
const inner = { type: "IPAddress", value: "198.51.100.1", routability: "Cluster" } as const;

/** Reached from outside, and by another address inside of the cluster. */
const balanced: Placement = { addresses: [outer, named], furtherAddresses: [inner], bind };
const inside: Placement = { addresses: [inner], bind };
const waiting: Placement = { addresses: [], furtherAddresses: [inner], bind };

type Case = {
  readonly title: string;
  readonly wanted: readonly GatewaySpecAddress[];
  readonly placement: Placement;
  /** `value routability` of what is reported. */
  readonly reported: readonly string[];
  readonly condition: string;
  readonly problem?: string;
};

const assigned = "True AddressesAssigned";
const partly = "False PartiallyAssigned";
const none = { condition: "False NotAssigned", problem: "AddressNotAssigned", reported: [] } as const;
const cluster = { routability: "Cluster" };
const sentinel = "testing.x-k8s.io/sentinel";
const other = { ...outer, value: "192.0.2.2" };
const second = { ...inner, value: "198.51.100.2" };

const cases: readonly Case[] = [
  {
    title: "all that are wanted",
    wanted: [{ value: outer.value }, { type: "Hostname", value: named.value }],
    placement: balanced,
    reported: ["192.0.2.1 ", "gw.example.com "],
    condition: assigned,
  },
  {
    title: "any of a type, and no other address",
    wanted: [{}],
    placement: balanced,
    reported: ["192.0.2.1 "],
    condition: assigned,
  },
  {
    title: "one from outside and one inside of the cluster",
    wanted: [{}, cluster],
    placement: balanced,
    reported: ["192.0.2.1 ", "198.51.100.1 Cluster"],
    condition: assigned,
  },
  {
    title: "the same in the other order",
    wanted: [cluster, {}],
    placement: balanced,
    reported: ["198.51.100.1 Cluster", "192.0.2.1 "],
    condition: assigned,
  },
  {
    title: "only one inside of the cluster",
    wanted: [cluster],
    placement: balanced,
    reported: ["198.51.100.1 Cluster"],
    condition: assigned,
  },
  {
    title: "a static one inside of the cluster",
    wanted: [{ ...cluster, value: inner.value }],
    placement: balanced,
    reported: ["198.51.100.1 Cluster"],
    condition: assigned,
  },
  {
    title: "any, where there is none but inside of the cluster",
    wanted: [{}],
    placement: inside,
    reported: ["198.51.100.1 Cluster"],
    condition: assigned,
  },
  {
    title: "any, before there is one from outside: the one inside does not stand for it",
    wanted: [{}],
    placement: waiting,
    ...none,
  },
  {
    title: "one inside of the cluster, where there is none",
    wanted: [cluster],
    placement: { addresses: [outer], bind },
    ...none,
  },
  {
    title: "the value of conformance tests, reported as it was asked for",
    wanted: [{ routability: sentinel }],
    placement: balanced,
    reported: [`192.0.2.1 ${sentinel}`],
    condition: assigned,
  },
  {
    title: "two of a kind, an address each",
    wanted: [{}, {}, cluster, { ...cluster, value: second.value }],
    placement: { addresses: [outer, other], furtherAddresses: [inner, second], bind },
    reported: ["192.0.2.1 ", "192.0.2.2 ", "198.51.100.1 Cluster", "198.51.100.2 Cluster"],
    condition: assigned,
  },
  {
    title: "any, and the very one that any could be",
    wanted: [{}, { value: outer.value }],
    placement: { addresses: [outer, other], bind },
    reported: ["192.0.2.2 ", "192.0.2.1 "],
    condition: assigned,
  },
  {
    title: "the same address twice",
    wanted: [cluster, cluster],
    placement: balanced,
    reported: ["198.51.100.1 Cluster"],
    condition: partly,
  },
  {
    title: "an address as another type",
    wanted: [{ type: "Hostname", value: outer.value }],
    placement: balanced,
    ...none,
  },
  {
    title: "some, and a static one that the placement has not",
    wanted: [{ value: outer.value }, { value: other.value }],
    placement: balanced,
    reported: ["192.0.2.1 "],
    condition: partly,
    problem: "AddressNotUsable",
  },
  {
    title: "some, and a static one that may still come",
    wanted: [cluster, { value: other.value }],
    placement: waiting,
    reported: ["198.51.100.1 Cluster"],
    condition: partly,
  },
  {
    title: "some, and a static one inside of the cluster that is refused",
    wanted: [{}, { ...cluster, value: "203.0.113.9" }],
    placement: balanced,
    reported: ["192.0.2.1 "],
    condition: partly,
  },
  {
    title: "only a routability that there is not",
    wanted: [{ routability: "example.com/wan" }],
    placement: balanced,
    ...none,
  },
  {
    title: "some, and a routability that there is not",
    wanted: [{ routability: "example.com/wan" }, {}],
    placement: balanced,
    reported: ["192.0.2.1 "],
    condition: partly,
  },
  {
    title: "a host name inside of the cluster",
    wanted: [{ ...cluster, type: "Hostname" }],
    placement: balanced,
    ...none,
  },
  { title: "a type that the placement has none of", wanted: [{ type: "Hostname" }], placement: inside, ...none },
];

describe("addressOutcome()", () => {
  for (const { title, wanted, placement, reported, condition, problem } of cases)
    it(`${title}: ${condition}`, () => {
      const outcome = addressOutcome(spec(...wanted), placement);
      assert.equal(outcome.condition?.type, "AddressesAssigned");
      assert.equal(`${outcome.condition.status} ${outcome.condition.reason}`, condition);
      assert.deepEqual(
        outcome.addresses.map(({ value, routability }) => `${value} ${routability}`),
        reported,
      );
      assert.equal(outcome.problem?.reason, problem);
    });

  it("gives a Gateway that asks for none all that are usual, with their routability", () => {
    const { addresses, condition } = addressOutcome(spec(), balanced);
    assert.deepEqual(addresses, [
      { ...outer, routability: "" },
      { ...named, routability: "" },
    ]);
    assert.equal(condition?.reason, "AddressesAssigned");
    assert.deepEqual(addressOutcome(spec(), inside).addresses, [inner]);
  });

  it("says nothing before there is anything to say", () => {
    assert.deepEqual(addressOutcome(spec(), undefined), { addresses: [] });
    assert.deepEqual(addressOutcome(spec({}), undefined), { addresses: [] });
    assert.deepEqual(addressOutcome(spec(), waiting), { addresses: [] });
  });

  it("names each that is missing, with the reason where there is one", () => {
    const refused = { ...cluster, value: "203.0.113.9" };
    const wanted = [refused, { type: "Hostname" }, { routability: "example.com/wan" }, { value: "192.0.2.9" }];
    const unusableAddresses = new Map([[requestKey(refused), "not of the cluster"]]);
    const { condition } = addressOutcome(spec(...wanted), { ...inside, unusableAddresses });
    assert.equal(
      condition?.message,
      "not assigned: 203.0.113.9 of routability Cluster (not of the cluster); any Hostname; any IPAddress of routability example.com/wan (this routability is not supported); 192.0.2.9",
    );
  });
});
