import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { ClusterSchema, Cluster_DiscoveryType } from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import { AddressSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/address_pb";
import { ApiVersion, type ConfigSourceSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/config_source_pb";
import { ClusterLoadAssignmentSchema } from "@gatewright/crd-types/proto/envoy/config/endpoint/v3/endpoint_pb";
import { ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import {
  type VirtualHost,
  VirtualHostSchema,
} from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { RouteConfigurationSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_pb";
import { RouterSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/router/v3/router_pb";
import { HttpConnectionManagerSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import { createHash } from "node:crypto";
import type { ResourceChange } from "../resource.ts";
import { type ResourceType, traits } from "../resource-types.ts";

// The few resources of a real Envoy that tests of the wire need.

/** Waits for ever, as the product's own: a server that owes an answer is found out. */
const ads: MessageInitShape<typeof ConfigSourceSchema> = {
  resourceApiVersion: ApiVersion.V3,
  configSourceSpecifier: { case: "ads", value: {} },
  initialFetchTimeout: durationFromMs(0),
};

function change<Desc extends DescMessage>(
  type: ResourceType,
  name: string,
  schema: Desc,
  init: MessageInitShape<Desc>,
): ResourceChange {
  const body = toBinary(schema, create(schema, init));
  const version = createHash("sha256").update(body).digest("base64url").slice(0, 11);
  return { type, name, resource: { name, version, typeUrl: traits[type].typeUrl, body } };
}

const pack = <Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>) => ({
  typeUrl: `type.googleapis.com/${schema.typeName}`,
  value: toBinary(schema, create(schema, init)),
});

const address = (port: number) =>
  create(AddressSchema, {
    address: {
      case: "socketAddress",
      value: { address: "127.0.0.1", portSpecifier: { case: "portValue", value: port } },
    },
  });

export const edsCluster = (name: string, connectTimeoutMs = 1_000): ResourceChange =>
  change("cluster", name, ClusterSchema, {
    name,
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS },
    edsClusterConfig: { edsConfig: ads },
    connectTimeout: durationFromMs(connectTimeoutMs),
  });

export const endpoints = (clusterName: string, ...ports: readonly number[]): ResourceChange =>
  change("endpoint", clusterName, ClusterLoadAssignmentSchema, {
    clusterName,
    endpoints: [
      {
        lbEndpoints: ports.map((port) => ({
          hostIdentifier: { case: "endpoint" as const, value: { address: address(port) } },
        })),
      },
    ],
  });

export const httpListener = (name: string, port: number, routeConfigName: string): ResourceChange =>
  change("listener", name, ListenerSchema, {
    name,
    address: address(port),
    filterChains: [
      {
        filters: [
          {
            name: "http",
            configType: {
              case: "typedConfig",
              value: pack(HttpConnectionManagerSchema, {
                statPrefix: name,
                routeSpecifier: { case: "rds", value: { configSource: ads, routeConfigName } },
                httpFilters: [{ name: "router", configType: { case: "typedConfig", value: pack(RouterSchema, {}) } }],
              }),
            },
          },
        ],
      },
    ],
  });

export const host = (name: string, cluster: string, domains: readonly string[] = [name]): VirtualHost =>
  create(VirtualHostSchema, {
    name,
    domains: [...domains],
    routes: [
      {
        match: { pathSpecifier: { case: "prefix", value: "/" } },
        action: { case: "route", value: { clusterSpecifier: { case: "cluster", value: cluster } } },
      },
    ],
  });

export const routeTable = (name: string, ...virtualHosts: readonly VirtualHost[]): ResourceChange =>
  change("route", name, RouteConfigurationSchema, { name, virtualHosts: [...virtualHosts] });

/** A route table whose virtual hosts come by themselves. */
export const vhdsTable = (name: string): ResourceChange =>
  change("route", name, RouteConfigurationSchema, { name, vhds: { configSource: ads } });

/** Envoy removes a virtual host by the name inside: it must be that of the resource. */
export const tableHost = (table: string, virtualHost: VirtualHost): ResourceChange => {
  const name = `${table}/${virtualHost.name}`;
  return change("virtualHost", name, VirtualHostSchema, { ...virtualHost, name });
};

/** What an Envoy starts with that takes all else from this socket. */
export const bootstrap = (socketPath: string, cluster: string, protocol: "DELTA_GRPC" | "GRPC" = "DELTA_GRPC") => ({
  node: { id: "envoy", cluster },
  dynamic_resources: {
    ads_config: {
      api_type: protocol,
      transport_api_version: "V3",
      grpc_services: [{ envoy_grpc: { cluster_name: "ads" } }],
    },
    cds_config: { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" },
    lds_config: { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" },
  },
  static_resources: {
    clusters: [
      {
        name: "ads",
        connect_timeout: "1s",
        typed_extension_protocol_options: {
          "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            explicit_http_config: { http2_protocol_options: {} },
          },
        },
        load_assignment: {
          cluster_name: "ads",
          endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: socketPath } } } }] }],
        },
      },
    ],
  },
});
