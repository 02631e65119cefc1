import { isIP } from "node:net";
import type { Service } from "@gatewright/crd-types/core/v1";
import type { Placement } from "../../gatewayapi/index.ts";

/**
 * Where the proxies of a Gateway are reached, as their Service says it. They bind the ports that the Gateway states, before it has an
 * address: whoever learns the address is served at once. `unavailablePorts` are those that a proxy needs for itself.
 */
export function placementOf(service: Service | undefined, unavailablePorts: ReadonlyMap<number, string>): Placement {
  const [family] = service?.spec?.ipFamilies ?? [];
  const address = family === "IPv6" ? "::" : "0.0.0.0";
  return {
    addresses: service === undefined ? [] : addressesOf(service),
    bind: (port) => ({ address, port }),
    unavailablePorts,
  };
}

function addressesOf({ spec, status }: Service): Placement["addresses"] {
  if (spec?.type === "LoadBalancer")
    return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip = "", hostname = "" }) => [
      ...(ip === "" ? [] : [{ type: "IPAddress", value: ip } as const]),
      ...(hostname === "" ? [] : [{ type: "Hostname", value: hostname } as const]),
    ]);
  // The nodes of a NodePort are not ours to list.
  const own = spec?.clusterIPs ?? [spec?.clusterIP ?? ""];
  return own.filter((ip) => isIP(ip) !== 0).map((ip) => ({ type: "IPAddress", value: ip }));
}
