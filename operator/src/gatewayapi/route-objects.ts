import type { Graph, Table } from "../lib/index.ts";
import type { Store, StoredKinds } from "../store/index.ts";

const otherKinds = ["GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"] as const;

export type RouteKindName = "HTTPRoute" | (typeof otherKinds)[number];

/** A route of any kind. */
export type RouteObject = {
  readonly [K in RouteKindName]: { readonly kind: K; readonly object: StoredKinds[K] };
}[RouteKindName];

/** The key of a route in tables that hold all kinds: an HTTPRoute's own key, that of another kind with the kind before it. */
export const routeKey = (kind: RouteKindName, key: string): string => (kind === "HTTPRoute" ? key : `${kind} ${key}`);

export function parseRouteKey(text: string): { readonly kind: RouteKindName; readonly key: string } {
  const blank = text.indexOf(" ");
  const kind = otherKinds.find((other) => other === text.slice(0, Math.max(blank, 0)));
  return kind === undefined ? { kind: "HTTPRoute", key: text } : { kind, key: text.slice(blank + 1) };
}

export type RouteObjects = {
  /** Tables whose keys are all route keys there are. */
  readonly keys: readonly Table<unknown>[];
  readonly get: (routeKey: string) => RouteObject | undefined;
};

export function createRouteObjects(graph: Graph, { objects }: Store): RouteObjects {
  const keysOf = (kind: (typeof otherKinds)[number]) =>
    graph.index<{ readonly kind?: string }>(`${kind} route keys`, objects[kind], (_, key) => [routeKey(kind, key)]);
  function read<K extends RouteKindName>(kind: K, key: string): Extract<RouteObject, { kind: K }> | undefined;
  function read(kind: RouteKindName, key: string) {
    const object = objects[kind].get(key);
    return object && { kind, object };
  }
  return {
    keys: [objects.HTTPRoute, ...otherKinds.map(keysOf)],
    get: (wanted) => {
      const { kind, key } = parseRouteKey(wanted);
      return read(kind, key);
    },
  };
}
