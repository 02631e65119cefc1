import { durationFromMs } from "@bufbuild/protobuf/wkt";
import {
  type ClusterSchema,
  Cluster_DiscoveryType,
} from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import type { AddressSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import type { ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import type { RouteSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { HTTPFaultSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/fault/v3/fault_pb";
import { LuaPerRouteSchema, LuaSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/lua/v3/lua_pb";
import { RouterSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/router/v3/router_pb";
import { HttpConnectionManagerSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import { boundAddress } from "./bound-address.ts";
import type { Init } from "./init.ts";
import { packAny } from "./proto/index.ts";

const adminCluster = "gatewright-admin";
const name = "gatewright-probes";

/** What others may ask of the admin interface, which can do much more than that. */
const openPaths = ["/ready", "/stats/prometheus"];

/** How a proxy that is about to be ended is told so. */
export type DrainHook = {
  /** A GET of it, for a kubelet can do no other, begins to drain. */
  readonly path: string;
  /** How long the answer takes: a kubelet waits for it, and then ends Envoy. */
  readonly seconds: number;
};

const luaFilter = "envoy.filters.http.lua";
const faultFilter = "envoy.filters.http.fault";

/**
 * Listeners stay open until the end: load balancers may not know yet. Clients are asked to close their connections, over the time
 * of `--drain-time-s`. https://www.envoyproxy.io/docs/envoy/v1.40.0/operations/admin#post--drain_listeners
 */
const beginToDrain = `
function envoy_on_request(handle)
  local headers = {[":method"] = "POST", [":path"] = "/drain_listeners?graceful&skip_exit", [":authority"] = "admin"}
  handle:httpCall("${adminCluster}", headers, "", 1000)
end
`;

function drainRoute({ path, seconds }: DrainHook): Init<typeof RouteSchema> {
  const script = { sourceCode: { specifier: { case: "inlineString", value: beginToDrain } as const } };
  return {
    match: { pathSpecifier: { case: "path", value: path } },
    action: { case: "directResponse", value: { status: 200 } },
    typedPerFilterConfig: {
      [luaFilter]: packAny(LuaPerRouteSchema, { override: { case: "sourceCode", value: script.sourceCode } }),
      [faultFilter]: packAny(HTTPFaultSchema, {
        delay: {
          faultDelaySecifier: { case: "fixedDelay", value: durationFromMs(seconds * 1_000) },
          percentage: { numerator: 100 },
        },
      }),
    },
  };
}

/** Both do nothing but where a route says so. They work in this order: first the call, then the wait. */
const drainFilters = () => [
  { name: luaFilter, configType: { case: "typedConfig", value: packAny(LuaSchema, {}) } } as const,
  { name: faultFilter, configType: { case: "typedConfig", value: packAny(HTTPFaultSchema, {}) } } as const,
];

/** Answers probes and the collectors of metrics, on all addresses. It takes no part in draining: probes are asked until the end. */
export function probeListener(
  { port, isIPv6 = false }: { readonly port: number; readonly isIPv6?: boolean },
  drain?: DrainHook,
): Init<typeof ListenerSchema> {
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
        virtualHosts: [
          {
            name,
            domains: ["*"],
            routes: [...openPaths.map(route), ...(drain === undefined ? [] : [drainRoute(drain)])],
          },
        ],
      },
    },
    // The answer to `drain` may take longer than the 5 minutes that are Envoy's default.
    streamIdleTimeout: durationFromMs(0),
    httpFilters: [
      ...(drain === undefined ? [] : drainFilters()),
      {
        name: "envoy.filters.http.router",
        configType: { case: "typedConfig", value: packAny(RouterSchema, { suppressEnvoyHeaders: true }) },
      },
    ],
  });
  return {
    name,
    // Not "::" everywhere: where IPv6 is off it cannot be bound.
    address: boundAddress(isIPv6 ? { address: "::", port, ipv4Compat: true } : { address: "0.0.0.0", port }),
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
