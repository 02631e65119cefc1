import type { GatewaySpecAddress } from "@gatewright/crd-types/gateway/v1";
import { addressRequest, type Placement } from "../gatewayapi/index.ts";
import { requestKey } from "../ir/index.ts";
import { isAnyAddress } from "../lib/index.ts";
import type { Host } from "./host.ts";

/** A Gateway that wants to stand somewhere. */
export type Want = {
  /** `namespace/name`. */
  readonly key: string;
  /** The ports that its listeners state. */
  readonly ports: readonly number[];
  /** `spec.addresses`. */
  readonly requested: readonly GatewaySpecAddress[];
};

export type Spot =
  | {
      readonly kind: "placed";
      readonly address: string;
      /** By the port that the Gateway states. */
      readonly ports: ReadonlyMap<number, PortSpot>;
      readonly unusable: UnusableAddresses;
    }
  | { readonly kind: "unplaced"; readonly reason: string; readonly unusable: UnusableAddresses };

/** What a Gateway asks for and cannot have here, by `requestKey`, with the reason in words. */
type UnusableAddresses = ReadonlyMap<string, string>;

export type PortSpot =
  | {
      readonly kind: "bound";
      readonly port: number;
      /** Why it is not the port that the Gateway states. */
      readonly note?: string;
    }
  | { readonly kind: "unavailable"; readonly reason: string };

export type PlanInput = {
  readonly wants: readonly Want[];
  /** The plan so far: what stands stays where it is. */
  readonly previous: ReadonlyMap<string, Spot>;
  readonly host: Host;
  /** Where Gateways stand that ask for no address. */
  readonly bindAddress: string;
  /** Sockets (`socketKey`) that cannot be bound, with the reason: most often, another process has them. */
  readonly busy: ReadonlyMap<string, string>;
};

export const socketKey = (address: string, port: number): string => `${address} ${port}`;

/** How far a port that this user may not bind is moved. */
const lowPortShift = 10_000;

/**
 * Says where each Gateway stands. A Gateway has one address; the first takes the default one, another that wants the same port takes the next
 * loopback address where the host has many, and the next port where it has not. Whoever stands already is not moved by others.
 */
export function planPlacements({ wants, previous, host, bindAddress, busy }: PlanInput): ReadonlyMap<string, Spot> {
  const owners = new Map<string, string>();
  const addresses = new Map<string, string>();
  const bound = new Map<string, Map<number, PortSpot>>();
  const plan = new Map<string, Spot>();
  const sorted = wants.toSorted((left, right) => (left.key < right.key ? -1 : 1));

  const preferredPort = (port: number): number => (port < host.firstFreePort ? port + lowPortShift : port);
  const ownerOf = (address: string, port: number): string | undefined =>
    owners.get(socketKey(address, port)) ?? [...owners].find(([key]) => overlaps(key, address, port))?.[1];

  const claim = (want: Want, address: string, stated: number, spot: PortSpot): void => {
    bound.get(want.key)?.set(stated, spot);
    if (spot.kind === "bound") owners.set(socketKey(address, spot.port), want.key);
  };

  // First those who stand: they keep their address and the ports that they still want.
  for (const want of sorted) {
    const before = previous.get(want.key);
    const requested = requestedAddress(want, host);
    if (requested.kind === "unusable") {
      plan.set(want.key, { kind: "unplaced", reason: requested.reason, unusable: whyUnusable(want, host) });
      continue;
    }
    if (before?.kind !== "placed" || (requested.kind === "address" && requested.address !== before.address)) continue;
    addresses.set(want.key, before.address);
    bound.set(want.key, new Map());
    for (const port of want.ports) {
      const spot = before.ports.get(port);
      if (spot?.kind === "bound" && !busy.has(socketKey(before.address, spot.port)))
        claim(want, before.address, port, spot);
    }
  }

  // Then those who are new choose an address, and all their ports with it.
  for (const want of sorted) {
    if (plan.has(want.key)) continue;
    const requested = requestedAddress(want, host);
    const fixed = requested.kind === "address" ? requested.address : undefined;
    const address = addresses.get(want.key) ?? fixed ?? chooseAddress(want);
    addresses.set(want.key, address);
    const spots = bound.get(want.key) ?? new Map<number, PortSpot>();
    bound.set(want.key, spots);
    // Ports that need no shift come first: a shifted one must not take the place of one that the Gateway states.
    const byPreference = want.ports.toSorted(
      (left, right) => preferredPort(left) - left - (preferredPort(right) - right) || left - right,
    );
    for (const port of byPreference)
      if (!spots.has(port)) claim(want, address, port, choosePort(address, port, fixed !== undefined));
    plan.set(want.key, { kind: "placed", address, ports: spots, unusable: whyUnusable(want, host) });
  }
  return plan;

  function chooseAddress(want: Want): string {
    const isFree = (address: string) => want.ports.every((port) => ownerOf(address, preferredPort(port)) === undefined);
    if (!host.wholeLoopback || bindAddress !== "127.0.0.1" || isFree(bindAddress)) return bindAddress;
    for (let last = 2; last < 255; last++) if (isFree(`127.0.0.${last}`)) return `127.0.0.${last}`;
    return bindAddress;
  }

  function choosePort(address: string, stated: number, isFixed: boolean): PortSpot {
    const preferred = preferredPort(stated);
    const shift = preferred === stated ? undefined : `port ${stated} needs privileges`;
    const problem = busy.get(socketKey(address, preferred));
    if (problem !== undefined) return { kind: "unavailable", reason: problem };
    const owner = ownerOf(address, preferred);
    if (owner === undefined)
      return shift === undefined ? { kind: "bound", port: preferred } : { kind: "bound", port: preferred, note: shift };
    if (isFixed) return { kind: "unavailable", reason: `port ${preferred} of ${address} is used by Gateway ${owner}` };
    for (let port = preferred + 1; port < 65_536; port++) {
      if (ownerOf(address, port) === undefined && !busy.has(socketKey(address, port)))
        return { kind: "bound", port, note: `port ${preferred} is used by Gateway ${owner}` };
    }
    return { kind: "unavailable", reason: `no port is left on ${address}` };
  }
}

/** Whether the socket of `key` takes `port` of `address` too: one that binds all addresses does. */
function overlaps(key: string, address: string, port: number): boolean {
  const [otherAddress = "", otherPort] = key.split(" ");
  return (
    Number(otherPort) === port && (otherAddress === address || isAnyAddress(otherAddress) || isAnyAddress(address))
  );
}

function requestedAddress(
  { requested }: Want,
  host: Host,
):
  | { readonly kind: "none" }
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "unusable"; readonly reason: string } {
  if (requested.length === 0) return { kind: "none" };
  const possible = requested.filter((entry) => problemOf(entry) === undefined);
  if (possible.length === 0) return { kind: "unusable", reason: requested.flatMap(formatProblem).join("; ") };
  // An entry without a value asks for any address of its type.
  const values = possible.filter(({ value = "" }) => value !== "");
  if (values.length === 0) return { kind: "none" };
  const usable = values.find(({ type = "IPAddress", value = "" }) => type === "IPAddress" && host.hasAddress(value));
  if (usable?.value !== undefined) return { kind: "address", address: usable.value };
  return { kind: "unusable", reason: `${values.map(({ value }) => value).join(", ")} is no address of this host` };
}

/** Why there can be no such address outside of a cluster. */
function problemOf(entry: GatewaySpecAddress): string | undefined {
  const request = addressRequest(entry);
  if (request.kind === "unsupported") return request.why;
  return request.routability === "Cluster" ? "there is no cluster here" : undefined;
}

function formatProblem(entry: GatewaySpecAddress): readonly string[] {
  const why = problemOf(entry);
  return why === undefined ? [] : [`an address of routability ${entry.routability} cannot be had: ${why}`];
}

/** Of the rest, one may be had: a Gateway has one address here. */
const whyUnusable = ({ requested }: Want, host: Host): UnusableAddresses =>
  new Map(
    requested.map((entry) => {
      const { type = "IPAddress", value = "" } = entry;
      const isForeign = type === "IPAddress" && value !== "" && !host.hasAddress(value);
      const other = isForeign ? "it is no address of this host" : "a Gateway has one address here";
      return [requestKey(entry), problemOf(entry) ?? other];
    }),
  );

/** The plan for one Gateway in the words of translation. One without a place has no address, which its status then says. */
export function placementOf(spot: Spot, host: Host): Placement {
  const { unusable: unusableAddresses } = spot;
  if (spot.kind === "unplaced")
    return { addresses: [], unusableAddresses, bind: (port) => ({ address: "127.0.0.1", port }) };
  const { address, ports } = spot;
  const unavailable = [...ports].flatMap(([port, at]): [number, string][] =>
    at.kind === "unavailable" ? [[port, at.reason]] : [],
  );
  return {
    addresses: [{ type: "IPAddress", value: isAnyAddress(address) ? host.mainAddress : address }],
    bind: (port) => {
      const at = ports.get(port);
      return { address, port: at?.kind === "bound" ? at.port : port };
    },
    unusableAddresses,
    unavailablePorts: new Map(unavailable),
  };
}
