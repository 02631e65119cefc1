import { isIP } from "node:net";
import type { Service } from "@gatewright/crd-types/core/v1";
import type { PlacedAddress, Placement } from "../../gatewayapi/index.ts";

export type ProxyPlace = {
  readonly services: readonly Service[];
  /** Addresses of the nodes, by their names, where a Service opens a port on each. */
  readonly nodeAddresses: ReadonlyMap<string, readonly string[]>;
  /** Names of the nodes with a proxy that is ready. */
  readonly proxyNodes: ReadonlySet<string>;
  /** Ports that a proxy needs for itself, with the reason in words. */
  readonly reservedPorts: ReadonlyMap<number, string>;
};

/**
 * Where the proxies of a Gateway are reached, as their Services say it. They bind the ports that the Gateway states, before it has an
 * address: whoever learns the address is served at once.
 */
export function placementOf({ services, reservedPorts, ...nodes }: ProxyPlace): Placement {
  const hasIPv6 = services.some(({ spec }) => spec?.ipFamilies?.includes("IPv6") === true);
  const isOuter = !services.every(isInner);
  // What is there for the sake of an address inside of the cluster goes before what has such a one besides, the Gateway's own Service first.
  const inner = [...services.filter(isInner), ...services.filter((service) => !isInner(service))].flatMap(
    clusterAddresses,
  );
  const outer = services.flatMap((service) => outerAddresses(service, nodes));
  return {
    addresses: distinct(isOuter ? outer : inner),
    ...(isOuter && inner.length > 0 && { furtherAddresses: distinct(inner) }),
    // Where Services have addresses of IPv6, pods have such too. Elsewhere a socket for both families may not be had.
    bind: (port) => (hasIPv6 ? { address: "::", port, ipv4Compat: true } : { address: "0.0.0.0", port }),
    unavailablePorts: reservedPorts,
  };
}

const isInner = ({ spec }: Service): boolean => spec?.type !== "LoadBalancer" && spec?.type !== "NodePort";

function clusterAddresses({ spec }: Service): readonly PlacedAddress[] {
  const own = spec?.clusterIPs ?? [spec?.clusterIP ?? ""];
  return own.filter((ip) => isIP(ip) !== 0).map((value) => ({ type: "IPAddress", value, routability: "Cluster" }));
}

type Nodes = Pick<ProxyPlace, "nodeAddresses" | "proxyNodes">;

function outerAddresses({ spec, status }: Service, nodes: Nodes): readonly PlacedAddress[] {
  if (spec?.type === "LoadBalancer")
    return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "", hostname = "" }): readonly PlacedAddress[] => [
      ...(ip === "" ? [] : [{ type: "IPAddress", value: ip } as const]),
      ...(hostname === "" ? [] : [{ type: "Hostname", value: hostname } as const]),
    ]);
  return spec?.type === "NodePort" ? addressesOfNodes(spec, nodes) : [];
}

/** Those where somebody answers, of the families that the Service has. */
function addressesOfNodes(
  { ipFamilies = ["IPv4"], externalTrafficPolicy }: NonNullable<Service["spec"]>,
  { nodeAddresses, proxyNodes }: Nodes,
): readonly PlacedAddress[] {
  return [...nodeAddresses]
    .filter(([name]) => externalTrafficPolicy !== "Local" || proxyNodes.has(name))
    .flatMap(([, addresses]) => addresses)
    .filter((ip) => ipFamilies.includes(isIP(ip) === 6 ? "IPv6" : "IPv4"))
    .map((value) => ({ type: "IPAddress", value }));
}

/** Two Services may share the address of a load balancer. */
const distinct = (addresses: readonly PlacedAddress[]): readonly PlacedAddress[] => [
  ...new Map(addresses.map((address) => [`${address.type} ${address.value}`, address])).values(),
];
