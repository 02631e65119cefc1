import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import {
  type Cluster,
  type Endpoints,
  type ExtensionConfig,
  type HttpConnectionManager,
  type Ir,
  type Listener,
  listenerKey,
  parseUseKey,
  type Proxy,
  type RequestFilter,
  type RouteTable,
  routeTableKeyOf,
  type TlsCertificate,
  useKey,
  type VirtualHost,
  virtualHostKey,
} from "../../operator/src/ir/index.ts";
import { createClusterUses } from "../../operator/src/gatewayapi/gateway/index.ts";
import { deepEqual, type Graph, Sensitive, type Source } from "../../operator/src/lib/index.ts";
import { protoRegistry } from "../../operator/src/xds/proto/index.ts";

/** The IR as plain lists: what a test says of it. Keys and uses follow from it. */
export type IrFragment = {
  readonly listeners?: readonly Listener[];
  readonly routeTables?: readonly RouteTable[];
  readonly virtualHosts?: readonly VirtualHost[];
  readonly clusters?: readonly Cluster[];
  readonly endpoints?: readonly Endpoints[];
  readonly secrets?: readonly TlsCertificate[];
};

/** An IR whose tables are set as a whole, in place of translation. */
export function createIrSources(graph: Graph): { readonly ir: Ir; readonly apply: (fragment: IrFragment) => void } {
  const source = <V>(name: string) => graph.source<V>(name, deepEqual);
  const listeners = source<Listener>("listeners");
  const routeTables = source<RouteTable>("routeTables");
  const virtualHosts = source<VirtualHost>("virtualHosts");
  const clusters = source<Cluster>("clusters");
  const endpoints = source<Endpoints>("endpoints");
  const secrets = source<TlsCertificate>("secrets");
  const clusterUses = createClusterUses(
    graph,
    graph.index("hostClusterUses", virtualHosts, (host) => clustersOf(host).map((name) => useKey(host.proxy, name))),
    listeners,
  );
  const shownCertificates = graph.derive<string>("shownCertificates", {
    keysOf: [clusterUses],
    compute: (key) => {
      const { proxy, name } = parseUseKey(key);
      const shown = clusters.get(name)?.tls?.clientCertificate;
      return shown === undefined ? undefined : useKey(proxy, shown);
    },
  });
  const usesByListeners = graph.index("secretUsesByListeners", listeners, ({ proxy, filterChains }) =>
    filterChains.flatMap(({ tls }) => (tls?.certificates ?? []).map((name) => useKey(proxy, name))),
  );
  const usesByClusters = graph.index("secretUsesByClusters", shownCertificates, (use) => [use]);
  const ir: Ir = {
    proxies: source<Proxy>("proxies"),
    listeners,
    routeTables,
    virtualHosts,
    virtualHostsOf: graph.index("virtualHostsOf", virtualHosts, ({ routeTable }) => [routeTable]),
    clusters,
    endpoints,
    clusterUses,
    secrets,
    secretUses: graph.derive<ReadonlySet<string>>("secretUses", {
      keysOf: [usesByListeners, usesByClusters],
      compute: (key) => usesByListeners.get(key) ?? usesByClusters.get(key),
    }),
    extensionUses: graph.index("extensionUses", listeners, ({ proxy, filterChains }) =>
      filterChains.flatMap(({ http }) => (http?.extensions ?? []).map((name) => useKey(proxy, name))),
    ),
  };
  const apply = (fragment: IrFragment) => {
    replace(listeners, fragment.listeners, ({ proxy, port }) => listenerKey(proxy, port));
    replace(routeTables, fragment.routeTables, ({ name }) => routeTableKeyOf(name));
    replace(virtualHosts, fragment.virtualHosts, ({ routeTable, host }) => virtualHostKey(routeTable, host));
    replace(clusters, fragment.clusters, ({ name }) => name);
    replace(endpoints, fragment.endpoints, ({ cluster }) => cluster);
    replace(secrets, fragment.secrets, ({ name }) => name);
  };
  return { ir, apply };
}

function replace<V>(source: Source<V>, values: readonly V[] | undefined, keyOf: (value: V) => string): void {
  const wanted = new Map(values?.map((value) => [keyOf(value), value]));
  for (const key of Array.from(source.keys())) if (!wanted.has(key)) source.set(key, undefined);
  for (const [key, value] of wanted) source.set(key, value);
}

const clustersOf = ({ routes }: VirtualHost): readonly string[] =>
  routes.flatMap(({ action }) =>
    action.kind === "forward" ? [...action.backends, ...action.mirrors].map(({ cluster }) => cluster) : [],
  );

/**
 * Reads a fragment as YAML has it: what is plain there and is not in the IR are private keys, and the configuration of
 * extensions, which stands as JSON with its `@type`.
 */
export function parseIrFragment(json: IrFragment): IrFragment {
  const virtualHosts = json.virtualHosts?.map((host) => ({
    ...host,
    routes: host.routes.map((route) => ({
      ...route,
      extensions: route.extensions.map((entry) => ({ ...entry, config: extensionConfig(entry.config) })),
    })),
  }));
  const listeners = json.listeners?.map((listener) => ({
    ...listener,
    filterChains: listener.filterChains.map((chain) => ({
      ...chain,
      ...(chain.http && { http: parseHttp(chain.http) }),
    })),
  }));
  const secrets = json.secrets?.map((secret) => ({ ...secret, privateKey: new Sensitive(String(secret.privateKey)) }));
  return {
    ...json,
    ...(listeners && { listeners }),
    ...(virtualHosts && { virtualHosts }),
    ...(secrets && { secrets }),
  };
}

function parseHttp({ requestFilters, ...http }: HttpConnectionManager): HttpConnectionManager {
  if (requestFilters === undefined) return http;
  const parse = (filter: RequestFilter): RequestFilter =>
    filter.kind === "extension" ? { ...filter, config: extensionConfig(filter.config) } : filter;
  return {
    ...http,
    requestFilters: requestFilters.map(({ filters, ...listener }) => ({ ...listener, filters: filters.map(parse) })),
  };
}

function extensionConfig(config: ExtensionConfig | JsonObject): ExtensionConfig {
  if (!("@type" in config)) throw new Error("the configuration of an extension needs its @type");
  const any = fromJson(AnySchema, { ...config }, { registry: protoRegistry() });
  return { typeUrl: any.typeUrl, value: any.value };
}
