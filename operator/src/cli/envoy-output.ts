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
  const resources = dumpByType(xds, gateway, kind);
  if (kind !== "secret" || !showSecrets) return [...resources];
  const whole = new Map(staticSecrets(staticConfig(xds, gateway)).map((secret) => [secret["name"], secret]));
  return resources.map((resource) => (isObject(resource) ? { ...resource, ...whole.get(resource["name"]) } : resource));
}

const isObject = (json: Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json);

const staticSecrets = (whole: JsonObject): readonly JsonObject[] =>
  list(members(whole["static_resources"])["secrets"]).filter(isObject);

/**
 * A whole configuration without private keys that Envoy still accepts: where it has certificates, they are asked for by name over
 * ADS, as in the running product. With a placeholder in the place of a key, Envoy would refuse it.
 */
function withoutSecrets(whole: JsonObject, gateway: ProxyKey): JsonObject {
  const { secrets, ...resources } = members(whole["static_resources"]);
  if (secrets === undefined) return whole;
  const live = buildBootstrap({
    nodeId: gateway,
    nodeCluster: gateway,
    ads: { path: "/run/gatewright/ads.sock" },
    admin: { path: "/run/gatewright/admin.sock" },
  });
  const { ads_config: adsConfig } = members(live["dynamic_resources"]);
  const clusters = [...list(resources["clusters"]), ...list(members(live["static_resources"])["clusters"])];
  return {
    ...(live["node"] === undefined ? {} : { node: live["node"] }),
    ...(adsConfig === undefined ? {} : { dynamic_resources: { ads_config: adsConfig } }),
    ...whole,
    static_resources: { ...askByName(resources), clusters },
  };
}

const members = (json: Json | undefined): JsonObject => (isObject(json) ? json : {});
const list = (json: Json | undefined): readonly Json[] => (Array.isArray(json) ? json : []);

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
