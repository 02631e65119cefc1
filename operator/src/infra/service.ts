import { isIP } from "node:net";
import type { ServiceSpec } from "@gatewright/crd-types/core/v1";
import type { Proxy, ProxyPort } from "../ir/index.ts";
import { selectorLabels } from "./metadata.ts";

/** A Service must have a port, and one without Service loses its address: nothing listens here. */
const placeholder: ProxyPort = { port: 65_535, protocol: "TCP" };

export function serviceSpec(proxy: Proxy): ServiceSpec {
  const { type = "LoadBalancer", loadBalancerClass, externalTrafficPolicy } = proxy.deployment.service ?? {};
  const ports = proxy.ports.length === 0 ? [placeholder] : proxy.ports;
  const [wanted] = wantedAddresses(proxy);
  return {
    type,
    selector: selectorLabels(proxy),
    // A proxy listens on the port that the Gateway states: see `sysctls` of the pods.
    ports: ports.map(({ port, protocol }) => ({
      name: `${protocol.toLowerCase()}-${port}`,
      port,
      targetPort: port,
      protocol,
    })),
    ...(type === "LoadBalancer" && loadBalancerClass !== undefined && { loadBalancerClass }),
    ...(type !== "ClusterIP" && externalTrafficPolicy !== undefined && { externalTrafficPolicy }),
    // Not `externalIPs`: those would let who may write a Gateway take traffic for addresses of others (CVE-2020-8554).
    ...(wanted !== undefined && (type === "LoadBalancer" ? { loadBalancerIP: wanted } : { clusterIP: wanted })),
  };
}

const wantedAddresses = ({ addresses }: Proxy): readonly string[] =>
  addresses.flatMap(({ type, value }) => (type === "IPAddress" && isIP(value) !== 0 ? [value] : []));

/** Addresses that a Gateway asks for and that its Service cannot ask for, with the reason in words. */
export function unusableAddresses(proxy: Proxy): ReadonlyMap<string, string> {
  const [first, ...others] = wantedAddresses(proxy);
  return new Map(others.map((address) => [address, `a Service can ask for one address, which is ${first}`]));
}
