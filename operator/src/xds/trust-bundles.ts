import { type Cluster, type Ir, type Listener, parseUseKey, useKey } from "../ir/index.ts";
import type { Graph, Table } from "../lib/index.ts";
import { trustBundleName } from "./trust-bundle.ts";

export type TrustBundles = {
  /** Certificates of authorities in PEM, by `trustBundleName`. */
  readonly bundles: Table<string>;
  /** By `useKey(proxy, name)`. */
  readonly uses: readonly Table<unknown>[];
};

/** What listeners and clusters trust, each bundle once. */
export function createTrustBundles(graph: Graph, { listeners, clusters, clusterUses }: Ir): TrustBundles {
  const namesOf = (bundles: readonly string[]) => bundles.map(trustBundleName);
  const ofListeners = graph.index("xds listener trust", listeners, (listener) => namesOf(trustOfListener(listener)));
  const ofClusters = graph.index("xds cluster trust", clusters, (cluster) => namesOf(trustOfCluster(cluster)));

  const bundles = graph.derive<string>("xds trust bundles", {
    keysOf: [ofListeners, ofClusters],
    compute: (name) => {
      const trusting = [
        ...members(ofListeners.get(name), listeners).flatMap(trustOfListener),
        ...members(ofClusters.get(name), clusters).flatMap(trustOfCluster),
      ];
      return trusting.find((pem) => trustBundleName(pem) === name);
    },
  });

  const clusterTrust = graph.derive<string>("xds cluster trust of proxies", {
    keysOf: [clusterUses],
    compute: (key) => {
      const { proxy, name } = parseUseKey(key);
      const cluster = clusters.get(name);
      const [pem] = cluster === undefined ? [] : trustOfCluster(cluster);
      return pem === undefined ? undefined : useKey(proxy, trustBundleName(pem));
    },
  });
  return {
    bundles,
    uses: [
      graph.index("xds listener trust uses", listeners, (listener) =>
        namesOf(trustOfListener(listener)).map((name) => useKey(listener.proxy, name)),
      ),
      graph.index("xds cluster trust uses", clusterTrust, (use) => [use]),
    ],
  };
}

const trustOfListener = ({ filterChains }: Listener): readonly string[] =>
  filterChains.flatMap(({ tls }) => tls?.clients?.authorities ?? []);

const trustOfCluster = ({ tls }: Cluster): readonly string[] =>
  tls?.authorities.kind === "bundle" ? [tls.authorities.pem] : [];

const members = <V>(keys: ReadonlySet<string> | undefined, table: Table<V>): readonly V[] =>
  [...(keys ?? [])].flatMap((key) => table.get(key) ?? []);
