import type { GRPCRoute, HTTPRoute } from "@gatewright/crd-types/gateway/v1";
import type { Graph, Table } from "../lib/index.ts";
import type { Store } from "../store/index.ts";

/** A route of any kind. */
export type RouteObject =
  | { readonly kind: "HTTPRoute"; readonly object: HTTPRoute }
  | { readonly kind: "GRPCRoute"; readonly object: GRPCRoute };

export type RouteKindName = RouteObject["kind"];

/** The key of a route in tables that hold all kinds: an HTTPRoute's own key, that of another kind with the kind before it. */
export const routeKey = (kind: RouteKindName, key: string): string => (kind === "HTTPRoute" ? key : `${kind} ${key}`);

export function parseRouteKey(routeKey: string): { readonly kind: string; readonly key: string } {
  const blank = routeKey.indexOf(" ");
  return blank === -1
    ? { kind: "HTTPRoute", key: routeKey }
    : { kind: routeKey.slice(0, blank), key: routeKey.slice(blank + 1) };
}

export type RouteObjects = {
  /** Tables whose keys are all route keys there are. */
  readonly keys: readonly Table<unknown>[];
  readonly get: (routeKey: string) => RouteObject | undefined;
};

export function createRouteObjects(graph: Graph, { objects }: Store): RouteObjects {
  const keysOf = (kind: Exclude<RouteKindName, "HTTPRoute">) =>
    graph.index<{ readonly kind?: string }>(`${kind} route keys`, objects[kind], (_, key) => [routeKey(kind, key)]);
  return {
    keys: [objects.HTTPRoute, keysOf("GRPCRoute")],
    get: (wanted) => {
      const { kind, key } = parseRouteKey(wanted);
      switch (kind) {
        case "HTTPRoute": {
          const object = objects.HTTPRoute.get(key);
          return object && { kind, object };
        }
        case "GRPCRoute": {
          const object = objects.GRPCRoute.get(key);
          return object && { kind, object };
        }
        default:
          return undefined;
      }
    },
  };
}
