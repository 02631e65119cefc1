import type { ProxyKey } from "../ir/index.ts";
import { buildBootstrap, dumpByType, type ResourceType, staticConfig, type XdsTables } from "../xds/index.ts";

type JsonObject = ReturnType<typeof buildBootstrap>;
type Json = JsonObject[string];

export type OutputOptions = {
  readonly gateway: ProxyKey;
  /** Undefined: a whole configuration. */
  readonly kind: ResourceType | undefined;
  readonly showSecrets: boolean;
};

/** What Envoy gets for a Gateway. */
export function envoyOutput(xds: XdsTables, { gateway, kind, showSecrets }: OutputOptions): Json {
  if (kind !== undefined) return dumped(xds, gateway, kind, showSecrets);
  const whole = staticConfig(xds, gateway);
  return showSecrets ? whole : withoutSecrets(whole, gateway);
}

function dumped(xds: XdsTables, gateway: ProxyKey, kind: ResourceType, showSecrets: boolean): Json {
  if (kind === "secret" && showSecrets) return staticSecrets(staticConfig(xds, gateway));
  return [...dumpByType(xds, gateway, kind)];
}

const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json);

function staticSecrets(whole: Json): Json {
  const resources = isObject(whole) ? whole["static_resources"] : undefined;
  return isObject(resources) ? (resources["secrets"] ?? []) : [];
}

/**
 * A whole configuration without private keys that Envoy still accepts: where it has certificates, they are asked for by name over
 * ADS, as in the running product. With a placeholder in the place of a key, Envoy would refuse it.
 */
function withoutSecrets(whole: Json, gateway: ProxyKey): Json {
  const resources = isObject(whole) ? whole["static_resources"] : undefined;
  if (!isObject(whole) || !isObject(resources) || resources["secrets"] === undefined) return whole;
  const { secrets: _, ...others } = resources;
  const bootstrap = buildBootstrap({
    nodeId: gateway,
    nodeCluster: gateway,
    ads: { path: "/run/gatewright/ads.sock" },
    admin: { path: "/run/gatewright/admin.sock" },
  });
  if (!isObject(bootstrap)) return whole;
  const { node, dynamic_resources: dynamic, static_resources: upstream } = bootstrap;
  const adsClusters = isObject(upstream) && Array.isArray(upstream["clusters"]) ? upstream["clusters"] : [];
  const clusters = Array.isArray(others["clusters"]) ? others["clusters"] : [];
  return {
    node: node ?? {},
    dynamic_resources: { ads_config: (isObject(dynamic) ? dynamic["ads_config"] : undefined) ?? {} },
    ...whole,
    static_resources: { ...askByName(others), clusters: [...clusters, ...adsClusters] },
  };
}

const adsSource: Json = { ads: {}, resource_api_version: "V3", initial_fetch_timeout: "0s" };

function askByName(resources: JsonObject): JsonObject {
  const entries = Object.entries(resources).map(([name, value]): [string, Json] => [
    name,
    name === "tls_certificate_sds_secret_configs" && Array.isArray(value)
      ? value.map((secret) => (isObject(secret) ? { ...secret, sds_config: adsSource } : secret))
      : walk(value),
  ]);
  return Object.fromEntries(entries);
}

function walk(json: Json): Json {
  if (Array.isArray(json)) return json.map(walk);
  return isObject(json) ? askByName(json) : json;
}
