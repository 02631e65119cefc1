// What resources refer to, as far as an Envoy asks for it.
import { createRegistry, type DescMessage, fromBinary } from "@bufbuild/protobuf";
import { Cluster_DiscoveryType, ClusterSchema } from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import { ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import { VirtualHostSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { RouteConfigurationSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_pb";
import { HttpConnectionManagerSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import {
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/tls_pb";
import type { ResourceType } from "../../../operator/src/ads/index.ts";

export type References = {
  /** Names of resources by type. */
  readonly names: ReadonlyMap<ResourceType, ReadonlySet<string>>;
  /** Virtual hosts inside. */
  readonly hosts: number;
};

/** What is packed in others and is looked into. */
const registry = createRegistry(HttpConnectionManagerSchema, DownstreamTlsContextSchema, UpstreamTlsContextSchema);

const schemas: Partial<Record<ResourceType, DescMessage>> = {
  cluster: ClusterSchema,
  listener: ListenerSchema,
  route: RouteConfigurationSchema,
  virtualHost: VirtualHostSchema,
};

const cache = new Map<string, References>();
const none: References = { names: new Map(), hosts: 0 };
const keyOf = (type: ResourceType, name: string, version: string) => `${type} ${version} ${name}`;

/** All clients get the same, so that each content is looked into once. */
export function readReferences(type: ResourceType, name: string, version: string, body: Uint8Array): References {
  const key = keyOf(type, name, version);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const schema = schemas[type];
  const found = schema === undefined ? none : collect(fromBinary(schema, body));
  cache.set(key, found);
  return found;
}

/** Of content that was read before. */
export const referencesOf = (type: ResourceType, name: string, version: string): References =>
  cache.get(keyOf(type, name, version)) ?? none;

type Shape = { readonly [field: string]: unknown };

function collect(message: unknown): References {
  const names = new Map<ResourceType, Set<string>>();
  let hosts = 0;
  const add = (type: ResourceType, name: unknown) => {
    if (typeof name === "string" && name !== "") names.set(type, (names.get(type) ?? new Set()).add(name));
  };
  const walk = (value: unknown, key: string): void => {
    // Both of a route's destination and of one that requests are mirrored to.
    if (key === "cluster") add("cluster", value);
    if (Array.isArray(value)) for (const one of value) walk(one, key);
    else if (isShape(value)) look(value);
  };
  const look = (value: Shape): void => {
    const typeName = typeof value["$typeName"] === "string" ? value["$typeName"] : "";
    const oneof = value["configType"] ?? value["clusterDiscoveryType"];
    switch (typeName.slice(typeName.lastIndexOf(".") + 1)) {
      case "Any":
        return walk(unpack(value), "");
      case "Rds":
        add("route", value["routeConfigName"]);
        break;
      case "SdsSecretConfig":
        add("secret", value["name"]);
        break;
      case "ClusterWeight":
        add("cluster", value["name"]);
        break;
      case "HttpFilter":
        if (isShape(oneof) && oneof["case"] === "configDiscovery") add("extension", value["name"]);
        break;
      case "Cluster":
        if (isShape(oneof) && oneof["value"] === Cluster_DiscoveryType.EDS) add("endpoint", value["name"]);
        break;
      case "RouteConfiguration":
        hosts += Array.isArray(value["virtualHosts"]) ? value["virtualHosts"].length : 0;
        break;
    }
    if (typeof value["case"] === "string" && typeName === "") return walk(value["value"], value["case"]);
    for (const [field, content] of Object.entries(value)) walk(content, field);
  };
  walk(message, "");
  return { names, hosts };
}

const isShape = (value: unknown): value is Shape =>
  typeof value === "object" && value !== null && !(value instanceof Uint8Array);

function unpack({ typeUrl, value }: Shape): unknown {
  if (typeof typeUrl !== "string" || !(value instanceof Uint8Array)) return undefined;
  const schema = registry.getMessage(typeUrl.slice(typeUrl.lastIndexOf("/") + 1));
  return schema === undefined ? undefined : fromBinary(schema, value);
}
