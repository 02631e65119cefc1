import { isIP } from "node:net";
import { create } from "@bufbuild/protobuf";
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from "@gatewright/crd-types/proto/envoy/config/endpoint/v3/endpoint_pb";
import type { LbEndpointSchema } from "@gatewright/crd-types/proto/envoy/config/endpoint/v3/endpoint_components_pb";
import type { EndpointAddress, Endpoints } from "../ir/index.ts";
import { type Build, encodeChecked } from "./resource.ts";
import type { Init } from "./init.ts";

/** The addresses of a cluster. One that is no IP address is left out: Envoy would refuse the whole cluster for it. */
export function buildEndpoints({ cluster, addresses }: Endpoints): Build {
  const about = { type: "endpoint", resource: cluster } as const;
  const usable = addresses.filter(isUsable);
  const build = encodeChecked(ClusterLoadAssignmentSchema, loadAssignment(cluster, usable), about);
  const unusable = addresses.filter((address) => !isUsable(address));
  if (unusable.length === 0) return build;
  const violations = unusable.map(({ address, port }) => ({
    path: "",
    message: `${address}:${port} is no IP address and port`,
  }));
  return { ...build, problems: [...build.problems, { ...about, effect: "left-out", violations }] };
}

const isUsable = ({ address, port }: EndpointAddress) => isIP(address) !== 0 && port > 0 && port < 65_536;

export function loadAssignment(cluster: string, addresses: readonly EndpointAddress[]): ClusterLoadAssignment {
  const zones = new Map<string, Init<typeof LbEndpointSchema>[]>();
  for (const { address, port, zone = "", weight } of addresses) {
    const members = zones.get(zone) ?? [];
    zones.set(zone, members);
    const socketAddress = { address, portSpecifier: { case: "portValue", value: port } } as const;
    members.push({
      hostIdentifier: {
        case: "endpoint",
        value: { address: { address: { case: "socketAddress", value: socketAddress } } },
      },
      ...(weight !== undefined && { loadBalancingWeight: weight }),
    });
  }
  return create(ClusterLoadAssignmentSchema, {
    clusterName: cluster,
    endpoints: [...zones.keys()].toSorted().map((zone) => ({
      ...(zone === "" ? {} : { locality: { zone } }),
      lbEndpoints: zones.get(zone) ?? [],
    })),
  });
}
