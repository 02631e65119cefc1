import { create, type DescMessage, fromBinary, type JsonObject, type MessageShape } from "@bufbuild/protobuf";
import { type Any, AnySchema, anyUnpack } from "@bufbuild/protobuf/wkt";
import { BootstrapSchema } from "@gatewright/crd-types/proto/envoy/config/bootstrap/v3/bootstrap_pb";
import {
  type Cluster,
  Cluster_DiscoveryType,
  ClusterSchema,
} from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import { TypedExtensionConfigSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/extension_pb";
import {
  type ClusterLoadAssignment,
  ClusterLoadAssignmentSchema,
} from "@gatewright/crd-types/proto/envoy/config/endpoint/v3/endpoint_pb";
import type { FilterChain } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_components_pb";
import { type Listener, ListenerSchema } from "@gatewright/crd-types/proto/envoy/config/listener/v3/listener_pb";
import {
  type RouteConfiguration,
  RouteConfigurationSchema,
} from "@gatewright/crd-types/proto/envoy/config/route/v3/route_pb";
import { VirtualHostSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import {
  CompositeSchema,
  ExecuteFilterActionSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/http/composite/v3/composite_pb";
import {
  type HttpConnectionManager,
  HttpConnectionManagerSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb";
import { SecretSchema } from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/secret_pb";
import {
  DownstreamTlsContextSchema,
  UpstreamTlsContextSchema,
} from "@gatewright/crd-types/proto/envoy/extensions/transport_sockets/tls/v3/tls_pb";
import { parseUseKey, type ProxyKey } from "../ir/index.ts";
import { processSettings } from "./bootstrap.ts";
import { encode, messageToJson, packAny } from "./proto/index.ts";
import { readableMessage } from "./readable.ts";
import type { ProxyResource, ResourceType } from "./resource.ts";
import type { XdsTables } from "./tables.ts";

/**
 * The whole configuration of a proxy in one file that `envoy -c` takes, with everything that comes over ADS otherwise put
 * where it is referred to. Private keys are in it. JSON.
 */
export function staticConfig(tables: XdsTables, proxy: ProxyKey): JsonObject {
  const decode = <Desc extends DescMessage>(type: ResourceType, schema: Desc): MessageShape<Desc>[] =>
    resourcesOf(tables, proxy, type).map(({ body }) => fromBinary(schema, body));

  const routeTables = new Map(decode("route", RouteConfigurationSchema).map((table) => [table.name, table]));
  for (const host of decode("virtualHost", VirtualHostSchema)) {
    routeTables.get(host.name.slice(0, host.name.lastIndexOf("/")))?.virtualHosts.push(host);
  }
  for (const table of routeTables.values()) delete table.vhds;
  const extensions = new Map(
    decode("extension", TypedExtensionConfigSchema).map((entry) => [entry.name, entry.typedConfig]),
  );
  const endpoints = new Map(decode("endpoint", ClusterLoadAssignmentSchema).map((entry) => [entry.clusterName, entry]));

  const listeners = decode("listener", ListenerSchema);
  for (const listener of listeners) inlineListener(listener, { routeTables, extensions });
  const clusters = decode("cluster", ClusterSchema);
  for (const cluster of clusters) inlineCluster(cluster, endpoints);
  const secrets = decode("secret", SecretSchema);
  const staticResources = { listeners, clusters, secrets };
  return readableMessage(
    messageToJson(BootstrapSchema, create(BootstrapSchema, { staticResources, ...processSettings })),
  );
}

/** The resources of one type as a proxy gets them, each under its `@type`, without private keys. JSON. */
export function dumpByType(tables: XdsTables, proxy: ProxyKey, type: ResourceType): readonly JsonObject[] {
  return resourcesOf(tables, proxy, type).map(({ body, typeUrl }) =>
    readableMessage(messageToJson(AnySchema, create(AnySchema, { typeUrl, value: withoutKey(type, body) }))),
  );
}

const resourcesOf = (tables: XdsTables, proxy: ProxyKey, type: ResourceType): readonly ProxyResource[] =>
  [...tables[type].keys()]
    .filter((key) => parseUseKey(key).proxy === proxy)
    .sort()
    .flatMap((key) => tables[type].get(key) ?? []);

function inlineCluster(cluster: Cluster, endpoints: ReadonlyMap<string, ClusterLoadAssignment>): void {
  inlineSecrets(cluster, UpstreamTlsContextSchema);
  if (cluster.edsClusterConfig === undefined) return;
  delete cluster.edsClusterConfig;
  cluster.clusterDiscoveryType = { case: "type", value: Cluster_DiscoveryType.STATIC };
  const assignment = endpoints.get(cluster.name);
  if (assignment !== undefined) cluster.loadAssignment = assignment;
}

type Referred = {
  readonly routeTables: ReadonlyMap<string, RouteConfiguration>;
  readonly extensions: ReadonlyMap<string, Any | undefined>;
};

function inlineListener(listener: Listener, referred: Referred): void {
  for (const chain of listener.filterChains) {
    inlineSecrets(chain, DownstreamTlsContextSchema);
    for (const filter of chain.filters) {
      if (filter.configType.case !== "typedConfig") continue;
      const manager = anyUnpack(filter.configType.value, HttpConnectionManagerSchema);
      if (manager === undefined) continue;
      inlineManager(manager, referred);
      filter.configType.value = packAny(HttpConnectionManagerSchema, manager);
    }
  }
}

function inlineManager(manager: HttpConnectionManager, { routeTables, extensions }: Referred): void {
  if (manager.routeSpecifier.case === "rds") {
    const table = routeTables.get(manager.routeSpecifier.value.routeConfigName);
    if (table !== undefined) manager.routeSpecifier = { case: "routeConfig", value: table };
  }
  for (const filter of manager.httpFilters) {
    if (filter.configType.case === "typedConfig") inlineChoices(filter.configType.value, extensions);
    if (filter.configType.case !== "configDiscovery") continue;
    const config = extensions.get(filter.name) ?? filter.configType.value.defaultConfig;
    if (config !== undefined) filter.configType = { case: "typedConfig", value: config };
  }
}

/** Filters of listeners, which Envoy chooses by the host. */
function inlineChoices(filter: Any, extensions: Referred["extensions"]): void {
  const composite = anyUnpack(filter, CompositeSchema);
  if (composite === undefined) return;
  const { matcherType, onNoMatch } = composite.matcher ?? {};
  const matchers = matcherType?.case === "matcherList" ? matcherType.value.matchers : [];
  for (const choice of [onNoMatch, ...matchers.map(({ onMatch }) => onMatch)]) {
    const wrapped = choice?.onMatch.case === "action" ? choice.onMatch.value.typedConfig : undefined;
    const action = wrapped && anyUnpack(wrapped, ExecuteFilterActionSchema);
    const { name = "" } = action?.dynamicConfig ?? {};
    const typedConfig = extensions.get(name);
    if (wrapped === undefined || action === undefined || typedConfig === undefined) continue;
    delete action.dynamicConfig;
    action.typedConfig = create(TypedExtensionConfigSchema, { name, typedConfig });
    wrapped.value = encode(ExecuteFilterActionSchema, action);
  }
  filter.value = encode(CompositeSchema, composite);
}

/** A secret that is named without a source is one of the static ones. */
function inlineSecrets(
  { transportSocket }: Pick<FilterChain, "transportSocket">,
  schema: typeof DownstreamTlsContextSchema | typeof UpstreamTlsContextSchema,
): void {
  if (transportSocket?.configType.case !== "typedConfig") return;
  const context = anyUnpack<typeof schema>(transportSocket.configType.value, schema);
  const tls = context?.commonTlsContext;
  if (context === undefined || tls === undefined) return;
  for (const secret of tls.tlsCertificateSdsSecretConfigs) delete secret.sdsConfig;
  if (tls.validationContextType.case === "combinedValidationContext")
    delete tls.validationContextType.value.validationContextSdsSecretConfig?.sdsConfig;
  transportSocket.configType.value = packAny(schema, context);
}

/** As Envoy's own dump has it. */
function withoutKey(type: ResourceType, body: Uint8Array): Uint8Array {
  if (type !== "secret") return body;
  const secret = fromBinary(SecretSchema, body);
  if (secret.type.case === "tlsCertificate" && secret.type.value.privateKey !== undefined) {
    secret.type.value.privateKey.specifier = { case: "inlineString", value: "[redacted]" };
  }
  return encode(SecretSchema, secret);
}
