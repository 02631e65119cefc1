import { deepEqual, type Graph, isFields, type Source } from "../lib/index.ts";
import { type StoredKind, type StoredKinds, storedKinds } from "./kinds.ts";

/** One object that came, changed or went. */
export type Change = {
  [K in StoredKind]: { readonly kind: K; readonly key: string; readonly object: StoredKinds[K] | undefined };
}[StoredKind];

/** The objects that stand, by kind and key (`namespace/name`, or `name` where there is no namespace). Objects are never mutated. */
export type Store = {
  readonly objects: { readonly [K in StoredKind]: Source<StoredKinds[K]> };
  readonly apply: (changes: Iterable<Change>) => void;
};

export function createStore(graph: Graph): Store {
  const make = <K extends StoredKind>(kind: K): Source<StoredKinds[K]> =>
    graph.source<StoredKinds[K]>(kind, Object.is, { isMoot: differInWordsOnly });
  const objects = Object.fromEntries(
    (Object.keys(storedKinds) as StoredKind[]).map((kind) => [kind, make(kind)]),
  ) as unknown as Store["objects"];

  function put<K extends StoredKind>(kind: K, key: string, object: StoredKinds[K] | undefined): void {
    objects[kind].set(key, object);
  }

  return {
    objects,
    apply: (changes) => {
      for (const { kind, key, object } of changes) put(kind, key, object);
    },
  };
}

type Stored = { readonly metadata: { readonly resourceVersion?: string }; readonly status?: unknown };

/**
 * Of a status, only who has an entry in it is ever translated: what we write ourselves, and see come back, is to cost no more than
 * that it is looked at.
 */
const differInWordsOnly = (left: Stored, right: Stored): boolean => deepEqual(essenceOf(left), essenceOf(right));

const essenceOf = ({ status, metadata, ...others }: Stored) => ({
  ...others,
  metadata: { ...metadata, resourceVersion: undefined },
  parents: entriesIn(status, "parents"),
  ancestors: entriesIn(status, "ancestors"),
});

function entriesIn(status: unknown, field: "parents" | "ancestors"): readonly unknown[] {
  const list = isFields(status) ? status[field] : undefined;
  return Array.isArray(list)
    ? list.map((entry) => (isFields(entry) ? { ...entry, conditions: undefined } : entry))
    : [];
}

export const objectKey = (namespace: string, name: string): string => `${namespace}/${name}`;

export const keyOf = ({
  metadata,
}: {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}): string =>
  metadata.namespace === undefined ? (metadata.name ?? "") : objectKey(metadata.namespace, metadata.name ?? "");
