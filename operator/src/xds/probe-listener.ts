import { durationFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ClusterSchema,
  Cluster_DiscoveryType,
} from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import type { AddressSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import type { ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import type { RouteSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { RouterSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/router/v3/router_pb";
import { HttpConnectionManagerSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import type { Init } from "./init.ts";
import { packAny } from "./proto/index.ts";

const adminCluster = "gatewright-admin";
const name = "gatewright-probes";

/** What others may ask of the admin interface, which can do much more than that. */
const openPaths = ["/ready", "/stats/prometheus"];

/** Answers probes and the collectors of metrics, on all addresses. It takes no part in draining: probes are asked until the end. */
export function probeListener(port: number): Init<typeof ListenerSchema> {
  const route = (path: string): Init<typeof RouteSchema> => ({
    match: { pathSpecifier: { case: "path", value: path } },
    action: { case: "route", value: { clusterSpecifier: { case: "cluster", value: adminCluster } } },
  });
  const manager = packAny(HttpConnectionManagerSchema, {
    statPrefix: name,
    // The admin interface knows nothing of these.
    generateRequestId: false,
    routeSpecifier: {
      case: "routeConfig",
      value: {
        name,
        virtualHosts: [{ name, domains: ["*"], routes: openPaths.map(route) }],
      },
    },
    httpFilters: [
      {
        name: "envoy.filters.http.router",
        configType: { case: "typedConfig", value: packAny(RouterSchema, { suppressEnvoyHeaders: true }) },
      },
    ],
  });
  return {
    name,
    // Not "::": where IPv6 is off it cannot be bound.
    address: {
      address: {
        case: "socketAddress",
        value: { address: "0.0.0.0", portSpecifier: { case: "portValue", value: port } },
      },
    },
    // Connections of clients may be many; a probe is answered all the same.
    ignoreGlobalConnLimit: true,
    filterChains: [
      {
        filters: [
          {
            name: "envoy.filters.network.http_connection_manager",
            configType: { case: "typedConfig", value: manager },
          },
        ],
      },
    ],
  };
}

export function adminUpstream(address: Init<typeof AddressSchema>): Init<typeof ClusterSchema> {
  return {
    name: adminCluster,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
    connectTimeout: durationFromMs(1_000),
    loadAssignment: {
      clusterName: adminCluster,
      endpoints: [{ lbEndpoints: [{ hostIdentifier: { case: "endpoint", value: { address } } }] }],
    },
  };
}
