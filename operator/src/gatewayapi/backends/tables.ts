import { type EndpointSlice, LabelServiceName } from "@gatewright/crd-types/discovery/v1";
import type { Cluster, Endpoints } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { objectKey, type Store } from "../../store/index.ts";
import { type BackendView, translateBackend } from "./backend.ts";
import { backendsOfCluster, isWeighted, parseBackendKey, parsePresenting } from "./backend-key.ts";
import type { BackendTls } from "../policies/index.ts";
import type { WeightedCluster } from "../views.ts";
import { weighAddresses } from "./weighted.ts";
import { translateEndpoints } from "./endpoints.ts";

/** What a backend comes to, by its `backendKey`. */
export type BackendReader = (key: string) => BackendView;

export function createBackendReader(
  graph: Graph,
  store: Store,
  { policyFor }: Pick<BackendTls, "policyFor">,
): BackendReader {
  const { Service, EndpointSlice } = store.objects;
  // Slices of names are a table apart: those of addresses must not wake clusters, let alone routes.
  const fqdnSlices = graph.index("fqdnSlices", EndpointSlice, (slice) =>
    slice.addressType === "FQDN" ? serviceOf(slice) : [],
  );
  return (key) => {
    const { service } = parseBackendKey(key);
    const slices = members(fqdnSlices.get(service), EndpointSlice);
    return translateBackend(key, Service.get(service), slices, policyFor);
  };
}

/** The backends whose keys are keys of some table of `inUse`, by `backendKey`. */
export const createBackends = (
  graph: Graph,
  inUse: readonly Table<unknown>[],
  read: BackendReader,
  name = "backends",
): Table<BackendView> => graph.derive(name, { keysOf: inUse, compute: read, equal: deepEqual });

/** What a route needs of clusters: their names, and the one that is its own. */
export type NamedClusters = { readonly clusters: readonly string[]; readonly weighted?: WeightedCluster };

/** The clusters that `named` names, and those whose names are keys of some table of `others`, with how to find their endpoints. */
export function createClusters(
  graph: Graph,
  store: Store,
  backends: Table<BackendView>,
  named: Table<NamedClusters>,
  others: readonly Table<unknown>[] = [],
): { readonly clusters: Table<Cluster>; readonly endpoints: Table<Endpoints> } {
  const { EndpointSlice } = store.objects;
  const names = graph.index("clusterNames", named, ({ clusters }) => clusters);
  const slicesOf = graph.index("slicesOfService", EndpointSlice, serviceOf);

  function backendOf(name: string) {
    const { base, certificate } = parsePresenting(name);
    for (const key of backendsOfCluster(base)) {
      const backend = backends.get(key);
      if (backend?.kind === "service" && backend.cluster.name === base)
        return { ...backend, cluster: presentingCluster(backend.cluster, name, certificate), key };
    }
    return undefined;
  }

  function addressesOf(cluster: string): Endpoints["addresses"] | undefined {
    const backend = backendOf(cluster);
    if (backend === undefined || backend.cluster.endpoints.kind !== "eds") return undefined;
    const slices = members(slicesOf.get(parseBackendKey(backend.key).service), EndpointSlice);
    return translateEndpoints(slices, backend.endpoints);
  }

  function weightedOf(name: string): WeightedCluster | undefined {
    // Asked for who names it, a cluster would be computed anew whenever another route comes to it.
    if (!isWeighted(name)) return undefined;
    for (const key of names.get(name) ?? []) {
      const weighted = named.get(key)?.weighted;
      if (weighted?.cluster.name === name) return weighted;
    }
    return undefined;
  }

  const clusters = graph.derive<Cluster>("clusters", {
    keysOf: [names, ...others],
    compute: (name) => (backendOf(name) ?? weightedOf(name))?.cluster,
  });

  const endpoints = graph.derive<Endpoints>("endpoints", {
    keysOf: [clusters],
    compute: (name) => {
      const weighted = weightedOf(name);
      const addresses = weighted === undefined ? addressesOf(name) : weighAddresses(weighted, addressesOf);
      return addresses && { cluster: name, addresses };
    },
    equal: deepEqual,
  });

  return { clusters, endpoints };
}

function presentingCluster(cluster: Cluster, name: string, certificate: string | undefined): Cluster {
  const { tls } = cluster;
  if (certificate === undefined) return cluster;
  return { ...cluster, name, ...(tls && { tls: { ...tls, clientCertificate: certificate } }) };
}

function serviceOf({ metadata: { namespace = "", labels = {} } }: EndpointSlice): readonly string[] {
  const name = labels[LabelServiceName];
  return name === undefined ? [] : [objectKey(namespace, name)];
}

const members = <V>(keys: ReadonlySet<string> | undefined, table: Table<V>): readonly V[] =>
  [...(keys ?? [])].toSorted().flatMap((key) => table.get(key) ?? []);
