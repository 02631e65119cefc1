import {
  type Ir,
  parseUseKey,
  parseVirtualHostKey,
  type RouteTable,
  routeTableKeyOf,
  useKey,
  virtualHostKeyOf,
  virtualHostName,
} from "../ir/index.ts";
import type { Graph, Table } from "../lib/index.ts";
import { buildCluster } from "./cluster.ts";
import { buildEndpoints } from "./endpoints.ts";
import { buildExtension } from "./extension-config.ts";
import { neutralConfig } from "./extension/index.ts";
import type { NeutralConfig } from "./filters/index.ts";
import { chainKey, createFilterChains } from "./filter-chains.ts";
import { buildListener } from "./listener.ts";
import { createProblems } from "./problems.ts";
import {
  type Build,
  type Encoded,
  equalBuilds,
  equalResources,
  type ProxyResource,
  type ResourceType,
  type XdsProblem,
} from "./resource.ts";
import { requestFilterConfig, requestFiltersOf } from "./request-filters.ts";
import { buildRouteTable, buildVirtualHost } from "./route/index.ts";
import { buildSecret } from "./secret.ts";
import { buildTrustBundle } from "./trust-bundle.ts";
import { createTrustBundles } from "./trust-bundles.ts";

/** All that proxies need, by type; keys are `useKey(proxy, resource name)`. */
export type XdsTables = { readonly [type in ResourceType]: Table<ProxyResource> } & {
  /** What was left out or answers 500 instead, since Envoy would refuse it. */
  readonly problems: Table<XdsProblem>;
};

export type XdsOptions = {
  /** What stands in the chain for an extension filter; our own table of filters unless given. */
  readonly neutralConfig?: NeutralConfig;
};

/**
 * Builds Envoy's resources from the IR. Each part is encoded once, in a table by its own key, whatever the number of proxies
 * that use it and of resources that contain it; the tables by proxy only look it up.
 */
export function createXdsTables(graph: Graph, ir: Ir, options: XdsOptions = {}): XdsTables {
  const neutral = options.neutralConfig ?? neutralConfig;
  const builds = <B extends Build>(
    type: ResourceType,
    keysOf: readonly Table<unknown>[],
    compute: (key: string) => B | undefined,
    equal: (left: B, right: B) => boolean = equalBuilds,
  ): Table<B> => graph.derive(`xds ${type} builds`, { keysOf, compute, equal });

  const resources = (
    type: ResourceType,
    uses: readonly Table<unknown>[],
    encodedOf: (name: string, key: string) => Encoded | undefined,
  ): Table<ProxyResource> =>
    graph.derive<ProxyResource>(`xds ${type}`, {
      keysOf: uses,
      compute: (key) => {
        const { proxy, name } = parseUseKey(key);
        const encoded = encodedOf(name, key);
        return encoded && { proxy, type, name, ...encoded };
      },
      equal: equalResources,
    });

  const { bundles, uses: bundleUses } = createTrustBundles(graph, ir);
  const secrets = builds(
    "secret",
    [ir.secrets, bundles],
    (name) => map(ir.secrets.get(name), buildSecret) ?? map(bundles.get(name), (pem) => buildTrustBundle(name, pem)),
  );
  // What others need to know of a secret: another certificate in it is no reason to build them again.
  const usableSecrets = graph.derive("xds usable secrets", {
    keysOf: [secrets],
    compute: (name) => (secrets.get(name)?.encoded === undefined ? undefined : true),
  });
  const hasSecret = (name: string) => usableSecrets.get(name) ?? false;
  const clusters = builds("cluster", [ir.clusters], (name) =>
    map(ir.clusters.get(name), (cluster) => buildCluster(cluster, { hasSecret })),
  );
  const endpoints = builds("endpoint", [ir.clusters], (name) =>
    ir.clusters.get(name)?.endpoints.kind === "eds" && clusters.get(name)?.encoded !== undefined
      ? // A cluster without addresses must be told so, or it waits for them for ever.
        buildEndpoints(ir.endpoints.get(name) ?? { cluster: name, addresses: [] })
      : undefined,
  );
  const requestFilterUses = graph.index("xds request filter uses", ir.listeners, requestFiltersOf);
  const extensions = builds("extension", [ir.extensionUses, requestFilterUses], (key) => {
    const { name } = parseUseKey(key);
    const config = neutral(name) ?? requestFilterConfig(ir.listeners, requestFilterUses.get(key), name);
    return map(config, (each) => buildExtension(name, each));
  });
  const chains = createFilterChains(graph, ir.listeners, {
    routeTableName: (table) => ir.routeTables.get(table)?.name,
    hasSecret,
    neutral,
  });
  const listeners = builds(
    "listener",
    [ir.listeners],
    (key) => {
      const listener = ir.listeners.get(key);
      if (listener === undefined) return undefined;
      const build = buildListener(listener, (name) => chains.get(chainKey(key, name)));
      return { ...build, use: useKey(listener.proxy, listener.name) };
    },
    (left, right) => left.use === right.use && equalBuilds(left, right),
  );
  const virtualHosts = builds(
    "virtualHost",
    [ir.virtualHosts],
    (key) => {
      const host = ir.virtualHosts.get(key);
      const table = host && ir.routeTables.get(host.routeTable);
      if (host === undefined || table === undefined) return undefined;
      return { ...buildVirtualHost(host, table.name, neutral), table };
    },
    (left, right) => left.table.name === right.table.name && equalBuilds(left, right),
  );
  const routeTables = builds("route", [ir.routeTables], (key) =>
    map(ir.routeTables.get(key), (table) => routeBuild(key, table)),
  );

  function routeBuild(key: string, table: RouteTable): Build {
    const keys = table.discovery === "vhds" ? [] : [...(ir.virtualHostsOf.get(key) ?? [])].sort();
    return {
      encoded: buildRouteTable(
        table,
        keys.flatMap((host) => virtualHosts.get(host)?.encoded ?? []),
      ),
      problems: [],
    };
  }

  // Tables that are keyed otherwise than by what a proxy calls the resource.
  const listenerUses = graph.index("xds listener uses", listeners, ({ use }) => [use]);
  const routeUses = graph.index("xds route uses", ir.routeTables, ({ proxy, name }) => [useKey(proxy, name)]);
  const hostUses = graph.index("xds virtualHost uses", virtualHosts, ({ table }, key) =>
    table.discovery === "vhds" ? [useKey(table.proxy, virtualHostName(table.name, parseVirtualHostKey(key).host))] : [],
  );

  return {
    cluster: resources("cluster", [ir.clusterUses], (name) => clusters.get(name)?.encoded),
    endpoint: resources("endpoint", [ir.clusterUses], (name) => endpoints.get(name)?.encoded),
    secret: resources("secret", [ir.secretUses, ...bundleUses], (name) => secrets.get(name)?.encoded),
    extension: resources("extension", [ir.extensionUses, requestFilterUses], (_, key) => extensions.get(key)?.encoded),
    listener: resources("listener", [listenerUses], (_, key) => {
      const [first] = [...(listenerUses.get(key) ?? [])].sort();
      return first === undefined ? undefined : listeners.get(first)?.encoded;
    }),
    route: resources("route", [routeUses], (name) => routeTables.get(routeTableKeyOf(name))?.encoded),
    virtualHost: resources("virtualHost", [hostUses], (name) => virtualHosts.get(virtualHostKeyOf(name))?.encoded),
    problems: createProblems(graph, {
      cluster: clusters,
      endpoint: endpoints,
      secret: secrets,
      extension: extensions,
      listener: listeners,
      virtualHost: virtualHosts,
    }),
  };
}

const map = <T, R>(value: T | undefined, change: (value: T) => R): R | undefined =>
  value === undefined ? undefined : change(value);
