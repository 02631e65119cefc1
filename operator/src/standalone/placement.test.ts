import assert from "node:assert/strict";
import type { Host } from "./host.ts";
import { requestKey } from "../ir/index.ts";
import { placementOf, planPlacements, socketKey, type Spot, type Want } from "./placement.ts";

const linux: Host = {
  wholeLoopback: true,
  firstFreePort: 1024,
  hasAddress: (address) => address.startsWith("127.") || address === "192.0.2.7" || address === "0.0.0.0",
  mainAddress: "192.0.2.7",
};
const mac: Host = { ...linux, wholeLoopback: false };

const want = (key: string, ports: number[], requested: Want["requested"] = []): Want => ({ key, ports, requested });

function plan(
  wants: readonly Want[],
  {
    previous = new Map(),
    host = linux,
    bindAddress = "127.0.0.1",
    busy = [],
  }: {
    previous?: ReadonlyMap<string, Spot>;
    host?: Host;
    bindAddress?: string;
    busy?: readonly [string, number][];
  } = {},
): ReadonlyMap<string, Spot> {
  const taken = new Map(busy.map(([address, port]) => [socketKey(address, port), `port ${port} is taken`]));
  return planPlacements({ wants, previous, host, bindAddress, busy: taken });
}

/** Where a Gateway stands, short: `address stated->bound …`. */
function show(spots: ReadonlyMap<string, Spot>, key: string): string {
  const spot = spots.get(key);
  if (spot === undefined) return "none";
  if (spot.kind === "unplaced") return spot.reason;
  const ports = [...spot.ports]
    .toSorted(([left], [right]) => left - right)
    .map(([stated, at]) => `${stated}->${at.kind === "bound" ? at.port : "unavailable"}`);
  return [spot.address, ...ports].join(" ");
}

describe("planPlacements()", () => {
  it("gives Gateways with different ports the same address", () => {
    const spots = plan([want("a/one", [8080, 8443]), want("a/two", [9090])]);
    assert.equal(show(spots, "a/one"), "127.0.0.1 8080->8080 8443->8443");
    assert.equal(show(spots, "a/two"), "127.0.0.1 9090->9090");
  });

  it("gives the next loopback address to a Gateway that wants the same port", () => {
    const spots = plan([want("b/two", [8080]), want("a/one", [8080]), want("c/three", [8080, 9090])]);
    assert.equal(show(spots, "a/one"), "127.0.0.1 8080->8080");
    assert.equal(show(spots, "b/two"), "127.0.0.2 8080->8080");
    assert.equal(show(spots, "c/three"), "127.0.0.3 8080->8080 9090->9090");
  });

  it("gives the next port where the host has one loopback address", () => {
    const spots = plan([want("a/one", [8080]), want("b/two", [8080])], { host: mac });
    assert.equal(show(spots, "b/two"), "127.0.0.1 8080->8081");
  });

  it("moves ports that this user may not bind", () => {
    assert.equal(show(plan([want("a/one", [80, 443])]), "a/one"), "127.0.0.1 80->10080 443->10443");
    assert.equal(
      show(plan([want("a/one", [80])], { host: { ...linux, firstFreePort: 0 } }), "a/one"),
      "127.0.0.1 80->80",
    );
  });

  it("keeps a stated port when a moved one would take it", () => {
    assert.equal(show(plan([want("a/one", [80, 10080])]), "a/one"), "127.0.0.1 80->10081 10080->10080");
  });

  it("leaves what stands where it is when another Gateway comes, even one that sorts first", () => {
    const previous = plan([want("b/two", [8080])]);
    const spots = plan([want("a/one", [8080]), want("b/two", [8080])], { previous });
    assert.equal(show(spots, "b/two"), "127.0.0.1 8080->8080");
    assert.equal(show(spots, "a/one"), "127.0.0.2 8080->8080");
  });

  it("does not move a Gateway back when the one before it goes", () => {
    const previous = plan([want("a/one", [8080]), want("b/two", [8080])]);
    assert.equal(show(plan([want("b/two", [8080])], { previous }), "b/two"), "127.0.0.2 8080->8080");
  });

  it("keeps the address of a Gateway that adds a port, and moves that port where it is taken", () => {
    const previous = plan([want("a/one", [8080]), want("b/two", [9090])]);
    const spots = plan([want("a/one", [8080]), want("b/two", [9090, 8080])], { previous });
    assert.equal(show(spots, "a/one"), "127.0.0.1 8080->8080");
    assert.equal(show(spots, "b/two"), "127.0.0.1 8080->8081 9090->9090");
  });

  it("leaves out a port that another process has, and takes it when it is free", () => {
    const wants = [want("a/one", [8080, 9090]), want("b/two", [7070])];
    const spots = plan(wants, { busy: [["127.0.0.1", 8080]] });
    assert.equal(show(spots, "a/one"), "127.0.0.1 8080->unavailable 9090->9090");
    assert.equal(show(spots, "b/two"), "127.0.0.1 7070->7070");
    assert.equal(show(plan(wants, { previous: spots }), "a/one"), "127.0.0.1 8080->8080 9090->9090");
  });

  it("stands where spec.addresses says, if it is an address of this host", () => {
    const asked = [{ type: "IPAddress", value: "192.0.2.7" }];
    assert.equal(show(plan([want("a/one", [8080], asked)]), "a/one"), "192.0.2.7 8080->8080");
    const foreign = plan([want("a/one", [8080], [{ value: "198.51.100.1" }]), want("b/two", [8080])]);
    assert.equal(show(foreign, "a/one"), "198.51.100.1 is no address of this host");
    assert.equal(show(foreign, "b/two"), "127.0.0.1 8080->8080");
  });

  it("gives nothing in place of an address of a cluster, and stands all the same where another is asked for", () => {
    const inside = { routability: "Cluster" };
    assert.equal(
      show(plan([want("a/one", [8080], [inside])]), "a/one"),
      "an address of routability Cluster cannot be had: there is no cluster here",
    );
    assert.equal(
      show(plan([want("a/one", [8080], [{ routability: "example.com/wan" }])]), "a/one"),
      "an address of routability example.com/wan cannot be had: this routability is not supported",
    );
    const both = plan([want("a/one", [8080], [{ ...inside, value: "192.0.2.7" }, {}])]);
    assert.equal(show(both, "a/one"), "127.0.0.1 8080->8080");
  });

  it("never moves a port of a Gateway that asked for its address", () => {
    const asked = [{ type: "IPAddress", value: "192.0.2.7" }];
    const spots = plan([want("a/one", [8080], asked), want("b/two", [8080], asked)]);
    assert.equal(show(spots, "b/two"), "192.0.2.7 8080->unavailable");
  });

  it("knows that a socket on all addresses takes the port of each", () => {
    const spots = plan([want("a/one", [8080]), want("b/two", [8080])], { bindAddress: "0.0.0.0" });
    assert.equal(show(spots, "a/one"), "0.0.0.0 8080->8080");
    assert.equal(show(spots, "b/two"), "0.0.0.0 8080->8081");
    const mixed = plan([want("a/one", [8080], [{ value: "0.0.0.0" }]), want("b/two", [8080])]);
    assert.equal(show(mixed, "b/two"), "127.0.0.1 8080->8081");
  });
});

describe("placementOf()", () => {
  it("tells translation where to bind and what is not to be had", () => {
    const [spot] = plan([want("a/one", [80, 8080])], { busy: [["127.0.0.1", 8080]] }).values();
    assert(spot !== undefined);
    const placement = placementOf(spot, linux);
    assert.deepEqual(placement.addresses, [{ type: "IPAddress", value: "127.0.0.1" }]);
    assert.deepEqual(placement.bind(80), { address: "127.0.0.1", port: 10080 });
    assert.deepEqual([...(placement.unavailablePorts ?? [])], [[8080, "port 8080 is taken"]]);
  });

  it("says of each address that is asked for why it may not be had", () => {
    const asked = [
      { routability: "Cluster" },
      { value: "198.51.100.1" },
      { value: "192.0.2.7" },
      { value: "127.0.0.1" },
    ];
    for (const entries of [asked, asked.slice(0, 1)]) {
      const [spot] = plan([want("a/one", [8080], entries)]).values();
      assert(spot !== undefined);
      const { unusableAddresses } = placementOf(spot, linux);
      const why = entries.map((entry) => unusableAddresses?.get(requestKey(entry)));
      const words = [
        "there is no cluster here",
        "it is no address of this host",
        "a Gateway has one address here",
        "a Gateway has one address here",
      ];
      assert.deepEqual(why, words.slice(0, entries.length));
    }
  });

  it("names an address that others can reach where all are bound", () => {
    const [spot] = plan([want("a/one", [8080])], { bindAddress: "0.0.0.0" }).values();
    assert(spot !== undefined);
    assert.deepEqual(placementOf(spot, linux).addresses, [{ type: "IPAddress", value: "192.0.2.7" }]);
  });
});
