import { isIPv4, isIPv6 } from "node:net";
import type { Endpoint, EndpointPort, EndpointSlice } from "@gatewright/crd-types/discovery/v1";
import type { EndpointAddress } from "../../ir/index.ts";
import type { EndpointsSource } from "./backend.ts";
import { isDraining, isReady } from "./readiness.ts";

/**
 * The addresses that serve a Service's port, each once, sorted. Ready ones; where there are none, those that drain and still
 * answer, so that a roll-out of a single pod loses no request.
 */
export function translateEndpoints(
  slices: readonly EndpointSlice[],
  source: EndpointsSource,
): readonly EndpointAddress[] {
  const ready = select(slices, source, isReady);
  return ready.length > 0 ? ready : select(slices, source, isDraining);
}

function select(
  slices: readonly EndpointSlice[],
  source: EndpointsSource,
  wanted: (endpoint: Endpoint) => boolean,
): readonly EndpointAddress[] {
  const preferred = slices.filter(({ addressType }) => addressType === source.preferredFamily);
  const found = collect(preferred, source, wanted);
  return found.length > 0 ? found : collect(slices, source, wanted);
}

function collect(
  slices: readonly EndpointSlice[],
  source: EndpointsSource,
  wanted: (endpoint: Endpoint) => boolean,
): readonly EndpointAddress[] {
  const byAddress = new Map<string, EndpointAddress>();
  for (const { addressType, endpoints = [], ports = [] } of slices) {
    const port = portOf(ports, source);
    const isAddress = addressType === "IPv4" ? isIPv4 : addressType === "IPv6" ? isIPv6 : () => false;
    if (port === undefined) continue;
    for (const endpoint of endpoints) {
      // Addresses beyond the first have no meaning, says the API.
      const [address = ""] = endpoint.addresses;
      if (!wanted(endpoint) || !isAddress(address)) continue;
      const { zone } = endpoint;
      byAddress.set(`${address} ${port}`, { address, port, ...(zone !== undefined && { zone }) });
    }
  }
  return [...byAddress.values()].toSorted(byAddressAndPort);
}

/** Ports go by the Service port's name. A slice written by hand often leaves the name out: then the number tells. */
function portOf(
  ports: readonly EndpointPort[],
  { portName, targetPort, protocol: wanted }: EndpointsSource,
): number | undefined {
  const usable = ports.filter(({ protocol = "TCP", port = 0 }) => protocol === wanted && port >= 1 && port <= 65_535);
  const named = usable.find(({ name }) => (name ?? "") === portName);
  const numbered = usable.find(({ name, port }) => (name ?? "") === "" && port === targetPort);
  return (named ?? numbered)?.port;
}

function byAddressAndPort(left: EndpointAddress, right: EndpointAddress): number {
  if (left.address === right.address) return left.port - right.port;
  return left.address < right.address ? -1 : 1;
}
