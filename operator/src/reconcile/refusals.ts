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
  /** All that the Envoys of another replica refuse; undefined: the replica is gone. */
  readonly adopt: (replica: string, refusals: readonly SharedRefusal[] | undefined) => void;
};

/** Which of the own refusals others are to be told. */
export type Telling = {
  readonly listener: (key: string) => boolean;
  readonly object: (key: string) => boolean;
  readonly cluster: (name: string, refusal: ClusterRefusal) => boolean;
};

/** The proxy of a `listenerKey`. */
export const proxyOfListener = (key: string): ProxyKey => key.slice(0, key.indexOf("|"));

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
  const byReplica = new Map<string, readonly SharedRefusal[]>();

  /** Replicas are not equally far: of what they say counts what is about the present content. */
  const anyOf = (
    name: string,
    mine: Source<Refusal>,
    others: Table<readonly Refusal[]>,
    objectOf = (key: string) => key,
  ) =>
    graph.derive<Refusal>(name, {
      keysOf: [mine, others],
      compute: (key) => {
        const content = contentOf(objectOf(key));
        return [mine.get(key) ?? [], others.get(key) ?? []].flat().find((refusal) => refusal.content === content);
      },
      equal: deepEqual,
    });

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

  const isPresent = (object: string, { content }: Refusal) => content === contentOf(object);

  return {
    own,
    all: {
      listeners: anyOf("refused listeners of all", own.listeners, adopted.listener, gatewayOfListener),
      objects: anyOf("refused objects of all", own.objects, adopted.object),
      // Whoever shares it withdraws it as soon as the cluster is another one.
      clusters: graph.derive<string>("refused clusters of all", {
        keysOf: [own.clusters, adopted.cluster],
        compute: (name) => (own.clusters.get(name) ?? adopted.cluster.get(name)?.[0])?.message,
      }),
    },
    isRefusedElsewhere: (object) =>
      adopted.object.get(object)?.some(({ content }) => content === contentOf(object)) === true,
    ofOwn: (telling) => [
      ...entriesOf(
        "listener",
        own.listeners,
        (key, refusal) => isPresent(gatewayOfListener(key), refusal) && telling.listener(key),
      ),
      ...entriesOf("object", own.objects, (key, refusal) => isPresent(key, refusal) && telling.object(key)),
      ...entriesOf("cluster", own.clusters, telling.cluster),
    ],
    adopt,
  };
}

function entriesOf<R extends Refusal>(
  of: SharedRefusal["of"],
  table: Table<R>,
  isTold: (key: string, refusal: R) => boolean,
): readonly SharedRefusal[] {
  return [...table.keys()].flatMap((key) => {
    const refusal = table.get(key);
    if (refusal === undefined || !isTold(key, refusal)) return [];
    return [{ of, key, message: refusal.message, content: refusal.content }];
  });
}
