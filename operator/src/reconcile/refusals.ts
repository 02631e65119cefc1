import type { Refusal } from "../gatewayapi/index.ts";
import type { ProxyKey } from "../ir/index.ts";
import { deepEqual, type Graph, type Source, type Table } from "../lib/index.ts";

/** What Envoys refuse: listeners (by `listenerKey`), objects (by `quarantineKey`), clusters (by name, their version being the content). */
export type SharedRefusal = Refusal & { readonly of: "listener" | "object" | "cluster"; readonly key: string };

/** A cluster that an Envoy of this proxy refused. */
export type ClusterRefusal = Refusal & { readonly proxy: ProxyKey };

export type Refusals = {
  /** What the Envoys that this replica serves refuse. */
  readonly own: {
    readonly listeners: Source<Refusal>;
    readonly objects: Source<Refusal>;
    readonly clusters: Source<ClusterRefusal>;
  };
  /** What any Envoy refuses, as far as it is about what listeners' Gateways and objects say now. */
  readonly all: {
    readonly listeners: Table<Refusal>;
    readonly objects: Table<Refusal>;
    readonly clusters: Table<string>;
  };
  /** Whether the Envoys of another replica refuse what this object says now. */
  readonly isRefusedElsewhere: (object: string) => boolean;
  /** Those of the own ones that are about present content and that others are to be told. */
  readonly ofOwn: (telling: Telling) => readonly SharedRefusal[];
  /**
   * Whether an Envoy of the proxy is connected here. What one said of a listener or a cluster that has left counts no longer: the one
   * that comes in its place may be connected elsewhere, and say otherwise. Where nobody tells, one is.
   */
  readonly attend: (proxy: ProxyKey, isHere: boolean) => void;
  /** All that the Envoys of another replica refuse; undefined: the replica is gone. */
  readonly adopt: (replica: string, refusals: readonly SharedRefusal[] | undefined) => void;
  /** The replica is gone. Objects that it held out are held out here from now on, as if the own Envoys had refused them. */
  readonly inherit: (replica: string) => void;
};

/** Which of the own refusals others are to be told. */
export type Telling = {
  readonly object: (key: string) => boolean;
  readonly cluster: (name: string, refusal: ClusterRefusal) => boolean;
};

const proxyOfListener = (key: string): ProxyKey => key.slice(0, key.indexOf("|"));

/** By `quarantineKey`: the object whose content counts for a refusal of a listener. */
const gatewayOfListener = (key: string): string => `Gateway ${proxyOfListener(key)}`;

/** `contentOf` tells by `quarantineKey` what mark the present content of an object has, undefined where there is none. */
export function createRefusals(graph: Graph, contentOf: (object: string) => string | undefined): Refusals {
  const own = {
    listeners: graph.source<Refusal>("refusedListeners"),
    objects: graph.source<Refusal>("quarantine", deepEqual),
    clusters: graph.source<ClusterRefusal>("refusedClusters", deepEqual),
  };
  const adopted = {
    listener: graph.source<readonly Refusal[]>("listeners refused elsewhere", deepEqual),
    object: graph.source<readonly Refusal[]>("objects refused elsewhere", deepEqual),
    cluster: graph.source<readonly Refusal[]>("clusters refused elsewhere", deepEqual),
  };
  /** Proxies of whom no Envoy is here. */
  const away = graph.source<true>("proxies without Envoys");
  const byReplica = new Map<string, readonly SharedRefusal[]>();

  const isPresent = (object: string, { content }: Refusal) => content === contentOf(object);
  const isHere = (proxy: ProxyKey) => away.get(proxy) === undefined;

  function adopt(replica: string, refusals: readonly SharedRefusal[] | undefined): void {
    const before = byReplica.get(replica) ?? [];
    if (refusals === undefined) byReplica.delete(replica);
    else byReplica.set(replica, refusals);
    for (const { of, key } of [...before, ...(refusals ?? [])]) {
      const standing = [...byReplica.values()].flat().filter((refusal) => refusal.of === of && refusal.key === key);
      const words = standing.map(({ message, content }) => ({ message, content }));
      adopted[of].set(key, words.length === 0 ? undefined : words);
    }
  }

  function inherit(replica: string): void {
    for (const { of, key, message, content } of byReplica.get(replica) ?? [])
      if (of === "object" && isPresent(key, { message, content }) && own.objects.get(key)?.content !== content)
        own.objects.set(key, { message, content });
    adopt(replica, undefined);
  }

  const ownListener = (key: string) => (isHere(proxyOfListener(key)) ? own.listeners.get(key) : undefined);
  const ownCluster = (name: string) => {
    const refusal = own.clusters.get(name);
    return refusal && isHere(refusal.proxy) ? refusal : undefined;
  };

  /** Replicas are not equally far: of what they say counts what is about the present content. */
  const present = (object: string, mine: Refusal | undefined, others: readonly Refusal[] | undefined) =>
    [mine ?? [], others ?? []].flat().find((refusal) => isPresent(object, refusal));

  return {
    own,
    all: {
      listeners: graph.derive<Refusal>("refused listeners of all", {
        keysOf: [own.listeners, adopted.listener],
        compute: (key) => present(gatewayOfListener(key), ownListener(key), adopted.listener.get(key)),
        equal: deepEqual,
      }),
      objects: graph.derive<Refusal>("refused objects of all", {
        keysOf: [own.objects, adopted.object],
        compute: (key) => present(key, own.objects.get(key), adopted.object.get(key)),
        equal: deepEqual,
      }),
      // Whoever shares it withdraws it as soon as the cluster is another one.
      clusters: graph.derive<string>("refused clusters of all", {
        keysOf: [own.clusters, adopted.cluster],
        compute: (name) => (ownCluster(name) ?? adopted.cluster.get(name)?.[0])?.message,
      }),
    },
    isRefusedElsewhere: (object) => adopted.object.get(object)?.some((refusal) => isPresent(object, refusal)) === true,
    ofOwn: (telling) => [
      ...entriesOf("listener", own.listeners.keys(), (key) => {
        const refusal = ownListener(key);
        return refusal && isPresent(gatewayOfListener(key), refusal) ? refusal : undefined;
      }),
      ...entriesOf("object", own.objects.keys(), (key) => {
        const refusal = own.objects.get(key);
        return refusal && isPresent(key, refusal) && telling.object(key) ? refusal : undefined;
      }),
      ...entriesOf("cluster", own.clusters.keys(), (name) => {
        const refusal = ownCluster(name);
        return refusal && telling.cluster(name, refusal) ? refusal : undefined;
      }),
    ],
    attend: (proxy, isNowHere) => away.set(proxy, isNowHere ? undefined : true),
    adopt,
    inherit,
  };
}

function entriesOf(
  of: SharedRefusal["of"],
  keys: Iterable<string>,
  refusalOf: (key: string) => Refusal | undefined,
): readonly SharedRefusal[] {
  return [...keys].flatMap((key) => {
    const refusal = refusalOf(key);
    return refusal === undefined ? [] : [{ of, key, message: refusal.message, content: refusal.content }];
  });
}
