import { isIP } from "node:net";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { BootstrapSchema } from "@gatewright/crd-types/proto/envoy/config/bootstrap/v3/bootstrap_pb";
import {
  type ClusterSchema,
  Cluster_DiscoveryType,
} from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import type { AddressSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import { ApiConfigSource_ApiType, ApiVersion } from "@gatewright/crd-types/proto/envoy/config/core/v3/config_source_pb";
import type { OverloadManagerSchema } from "@gatewright/crd-types/proto/envoy/config/overload/v3/overload_pb";
import { DownstreamConnectionsConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/resource_monitors/downstream_connections/v3/downstream_connections_pb";
import { FixedHeapConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/resource_monitors/fixed_heap/v3/fixed_heap_pb";
import { HttpProtocolOptionsSchema } from "@gatewright/crd-types/proto/envoy/extensions/upstreams/http/v3/http_protocol_options_pb";
import { maxRegexProgramSize } from "../ir/index.ts";
import { type AdsIdentity, adsTransportSocket } from "./ads-identity.ts";
import { adsConfigSource } from "./config-source.ts";
import { adminUpstream, type DrainHook, probeListener } from "./probe-listener.ts";
import { messageToJson, packAny } from "./proto/index.ts";
import { readableMessage } from "./readable.ts";
import type { Init } from "./init.ts";

/** A Unix socket's path, or an IP address or host name and a port. */
export type SocketLocation = { readonly path: string } | { readonly address: string; readonly port: number };

export type BootstrapOptions = {
  /** Left out: Envoy's argument `--service-node` says it. */
  readonly nodeId?: string;
  readonly nodeCluster: string;
  /** Where the operator serves configuration. */
  readonly ads: SocketLocation;
  /** Left out: without encryption and proof, over a socket that nobody else reaches. */
  readonly identity?: AdsIdentity;
  readonly admin: SocketLocation;
  /** A port where `/ready` and `/stats/prometheus` are answered, for whoever asks. Left out: none. */
  readonly probePort?: number;
  /** Who asks there comes over IPv6, at the first of the pod's addresses. */
  readonly prefersIPv6?: boolean;
  /** Beside `/ready` on that port. Left out: whoever ends the Envoy has another way to drain it. */
  readonly drain?: DrainHook;
  /** Connections of clients at one time; more are closed at once. 50,000 unless given. */
  readonly maxConnections?: number;
  /** Envoy's heap: from 95 % of it on it keeps no connections open, from 98 % on it takes no new requests. */
  readonly maxHeapBytes?: number;
};

/** What `envoy -c` starts with: everything else comes over ADS. JSON. */
export function buildBootstrap(options: BootstrapOptions): JsonObject {
  return readableMessage(messageToJson(BootstrapSchema, create(BootstrapSchema, bootstrap(options))));
}

type BootstrapInit = Init<typeof BootstrapSchema>;

const adsCluster = "gatewright-ads";

// Left to itself Envoy waits up to 30 seconds, each time twice as long: 11 for an operator that was away for 4.
const retryBackOff = { baseInterval: durationFromMs(200), maxInterval: durationFromMs(2_000) };

const bootstrap = (options: BootstrapOptions): BootstrapInit => ({
  node: { id: options.nodeId ?? "", cluster: options.nodeCluster },
  admin: { address: address(options.admin) },
  dynamicResources: {
    adsConfig: {
      // Only what has changed goes over the wire, and virtual hosts can go one by one.
      apiType: ApiConfigSource_ApiType.DELTA_GRPC,
      transportApiVersion: ApiVersion.V3,
      setNodeOnFirstMessageOnly: true,
      grpcServices: [
        { targetSpecifier: { case: "envoyGrpc", value: { clusterName: adsCluster, retryPolicy: { retryBackOff } } } },
      ],
    },
    ldsConfig: adsConfigSource(),
    cdsConfig: adsConfigSource(),
  },
  staticResources: {
    listeners:
      options.probePort === undefined
        ? []
        : [probeListener({ port: options.probePort, isIPv6: options.prefersIPv6 === true }, options.drain)],
    clusters: [
      adsUpstream(options),
      ...(options.probePort === undefined ? [] : [adminUpstream(address(options.admin))]),
    ],
  },
  ...processSettings,
  overloadManager: overload(options),
});

const unreadStatistics = String.raw`cluster\..*\.(circuit_breakers\..*|lb_.*|update_.*|assignment_.*)`;

/**
 * What holds for a process as a whole, wherever its configuration comes from.
 *
 * Measured with 10,000 clusters: Envoy's defaults take 24.6 s to start and 559 MiB, deferred statistics 6.0 s and 362 MiB,
 * and without those that are made in advance all the same 2.7 s and 329 MiB.
 */
export const processSettings: BootstrapInit = {
  deferredStatOptions: { enableDeferredCreationStats: true },
  statsConfig: {
    statsMatcher: {
      statsMatcher: {
        case: "exclusionList",
        value: { patterns: [{ matchPattern: { case: "safeRegex", value: { regex: unreadStatistics } } }] },
      },
    },
  },
  layeredRuntime: {
    layers: [
      {
        name: "gatewright",
        layerSpecifier: {
          case: "staticLayer",
          value: {
            // 100 unless set. Translation refuses what is beyond it.
            "re2.max_program_size.error_level": maxRegexProgramSize,
            "re2.max_program_size.warn_level": maxRegexProgramSize,
          },
        },
      },
    ],
  },
};

function adsUpstream({ ads, identity }: BootstrapOptions): Init<typeof ClusterSchema> {
  const isName = "address" in ads && isIP(ads.address) === 0;
  return {
    name: adsCluster,
    clusterDiscoveryType: {
      case: "type",
      value: isName ? Cluster_DiscoveryType.STRICT_DNS : Cluster_DiscoveryType.STATIC,
    },
    // The handshake is part of it, which waits its turn where a fleet comes at once.
    connectTimeout: durationFromMs(10_000),
    ...(identity && { transportSocket: adsTransportSocket(identity) }),
    loadAssignment: {
      clusterName: adsCluster,
      endpoints: [{ lbEndpoints: [{ hostIdentifier: { case: "endpoint", value: { address: address(ads) } } }] }],
    },
    typedExtensionProtocolOptions: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": packAny(HttpProtocolOptionsSchema, {
        upstreamProtocolOptions: {
          case: "explicitHttpConfig",
          value: {
            protocolConfig: {
              case: "http2ProtocolOptions",
              // An operator whose machine is gone closes no connection: without this Envoy would wait for hours.
              value: { connectionKeepalive: { interval: durationFromMs(30_000), timeout: durationFromMs(5_000) } },
            },
          },
        },
      }),
    },
  };
}

function address(location: SocketLocation): Init<typeof AddressSchema> {
  if ("path" in location) return { address: { case: "pipe", value: { path: location.path } } };
  const portSpecifier = { case: "portValue", value: location.port } as const;
  return { address: { case: "socketAddress", value: { address: location.address, portSpecifier } } };
}

/** https://www.envoyproxy.io/docs/envoy/latest/configuration/operations/overload_manager/overload_manager */
function overload({ maxConnections = 50_000, maxHeapBytes }: BootstrapOptions): Init<typeof OverloadManagerSchema> {
  const connections = packAny(DownstreamConnectionsConfigSchema, {
    maxActiveDownstreamConnections: BigInt(maxConnections),
  });
  const resourceMonitors = [
    {
      name: "envoy.resource_monitors.global_downstream_max_connections",
      configType: { case: "typedConfig", value: connections },
    } as const,
  ];
  if (maxHeapBytes === undefined) return { resourceMonitors };
  const heap = "envoy.resource_monitors.fixed_heap";
  const action = (name: string, value: number) => ({
    name,
    triggers: [{ name: heap, triggerOneof: { case: "threshold", value: { value } } } as const],
  });
  return {
    refreshInterval: durationFromMs(250),
    resourceMonitors: [
      ...resourceMonitors,
      {
        name: heap,
        configType: {
          case: "typedConfig",
          value: packAny(FixedHeapConfigSchema, { maxHeapSizeBytes: BigInt(maxHeapBytes) }),
        },
      },
    ],
    actions: [
      action("envoy.overload_actions.shrink_heap", 0.9),
      action("envoy.overload_actions.disable_http_keepalive", 0.95),
      action("envoy.overload_actions.stop_accepting_requests", 0.98),
    ],
  };
}
