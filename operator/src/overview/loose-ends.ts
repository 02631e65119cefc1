import type { HTTPFilter } from "@gatewright/crd-types/config/v1";
import type { Gateway } from "@gatewright/crd-types/gateway/v1";
import { createGraph, deepEqual, type Table } from "../lib/index.ts";
import { type Change, createStore, type StoredKind } from "../store/index.ts";
import type { Problem, RowContext } from "./rows.ts";

/**
 * What is valid and leads nowhere: routes to Gateways that are not there, Gateways that are nobody's, and the like. A cluster says nothing of it,
 * since another may come and claim it; who writes files must be told.
 */
export type LooseEnds = {
  readonly apply: (changes: readonly Change[]) => void;
  /** Objects stand elsewhere in their files. */
  readonly refreshPlaces: () => void;
  /** Those that there are now. The same list as long as nothing has changed. */
  readonly problems: () => readonly Problem[];
};

type End = { readonly field?: string; readonly message: string };

const serviceLabel = "kubernetes.io/service-name";
const gatewayGroup = "gateway.networking.k8s.io";
const filterGroup = "config.aether.io";
const routeKinds = ["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"] as const;
const lookedAt = [
  ...routeKinds,
  "Gateway",
  "ListenerSet",
  "HTTPFilter",
  "BackendTLSPolicy",
  "EndpointSlice",
  "Service",
] as const;

export function createLooseEnds(controllerName: string, place: RowContext["place"]): LooseEnds {
  const graph = createGraph();
  const store = createStore(graph);
  const { objects } = store;
  const keyTables = lookedAt.map((kind) => keysOf(kind, objects[kind]));
  const users = ([...routeKinds, "Gateway", "ListenerSet"] as const).map((kind) => objects[kind]);
  // What routes and listeners refer to, as far as it is asked for.
  const filterUsers = users.map((table) =>
    graph.index<unknown>(`filters of ${table.name}`, table, (user, key) => filtersIn(user, namespaceOf(key))),
  );
  const serviceUsers = users.map((table) =>
    graph.index<unknown>(`backends of ${table.name}`, table, (user, key) => servicesIn(user, namespaceOf(key))),
  );
  const slices = graph.index("slices of Services", objects.EndpointSlice, ({ metadata }, key) => {
    const service = metadata.labels?.[serviceLabel];
    return service === undefined ? [] : [`${namespaceOf(key)}/${service}`];
  });
  const ends = graph.derive<readonly End[]>("loose ends", {
    keysOf: keyTables,
    compute: (name) => {
      const blank = name.indexOf(" ");
      const found = endsOf(name.slice(0, blank), name.slice(blank + 1));
      return found.length === 0 ? undefined : found;
    },
    equal: deepEqual,
  });
  const changed = ends.watch();
  let known: readonly Problem[] = [];

  function keysOf(kind: StoredKind, table: Table<unknown>): Table<unknown> {
    return graph.index<unknown>(`names of ${kind}`, table, (_, key) => [`${kind} ${key}`]);
  }

  function endsOf(kind: string, key: string): readonly End[] {
    switch (kind) {
      case "Gateway":
        return gatewayEnds(objects.Gateway.get(key));
      case "HTTPFilter":
        return filterEnds(
          objects.HTTPFilter.get(key),
          filterUsers.some((table) => table.get(key) !== undefined),
        );
      case "ListenerSet": {
        const { parentRef } = objects.ListenerSet.get(key)?.spec ?? {};
        return parentRef === undefined ? [] : parentEnds(parentRef, "spec.parentRef", namespaceOf(key));
      }
      case "BackendTLSPolicy":
        return (objects.BackendTLSPolicy.get(key)?.spec.targetRefs ?? []).flatMap(({ kind: target, name }, index) =>
          target === "Service" ? missing("Service", `${namespaceOf(key)}/${name}`, `spec.targetRefs[${index}]`) : [],
        );
      case "EndpointSlice":
        return sliceEnds(key);
      case "Service":
        return serviceEnds(key);
      default:
        return isRouteKind(kind) ? routeEnds(kind, key) : [];
    }
  }

  function gatewayEnds(gateway: Gateway | undefined): readonly End[] {
    if (gateway === undefined) return [];
    const name = gateway.spec.gatewayClassName;
    const gatewayClass = objects.GatewayClass.get(name);
    if (gatewayClass === undefined) return missing("GatewayClass", name, "spec.gatewayClassName");
    const controller = gatewayClass.spec.controllerName;
    if (controller === controllerName) return [];
    return [
      { field: "spec.gatewayClassName", message: `GatewayClass ${name} is that of another controller, ${controller}` },
    ];
  }

  function routeEnds(kind: (typeof routeKinds)[number], key: string): readonly End[] {
    const route = objects[kind].get(key);
    if (route === undefined) return [];
    const { parentRefs = [] } = route.spec;
    if (parentRefs.length === 0)
      return [{ field: "spec.parentRefs", message: "it names no Gateway and has no effect" }];
    return parentRefs.flatMap((ref, index) => parentEnds(ref, `spec.parentRefs[${index}]`, namespaceOf(key)));
  }

  type ParentRef = {
    readonly group?: string;
    readonly kind?: string;
    readonly namespace?: string;
    readonly name: string;
  };

  function parentEnds(
    { group = gatewayGroup, kind = "Gateway", namespace, name }: ParentRef,
    field: string,
    ownNamespace: string,
  ): readonly End[] {
    const key = `${namespace ?? ownNamespace}/${name}`;
    if (group === gatewayGroup && (kind === "Gateway" || kind === "ListenerSet")) return missing(kind, key, field);
    if (group === "" && kind === "Service") return [{ field, message: `routes of Services (mesh) are not served yet` }];
    return [{ field, message: `nothing can be attached to a ${kind}${group === "" ? "" : ` of ${group}`}` }];
  }

  function sliceEnds(key: string): readonly End[] {
    const slice = objects.EndpointSlice.get(key);
    if (slice === undefined) return [];
    const service = slice.metadata.labels?.[serviceLabel];
    return service === undefined
      ? [
          {
            field: "metadata.labels",
            message: `it has no label ${serviceLabel}, and so its endpoints are no Service's`,
          },
        ]
      : missing("Service", `${namespaceOf(key)}/${service}`, `metadata.labels.${serviceLabel}`);
  }

  /** In a cluster somebody makes EndpointSlices; of files they are a part that is easily forgotten. */
  function serviceEnds(key: string): readonly End[] {
    const isUsed = serviceUsers.some((table) => table.get(key) !== undefined);
    if (!isUsed || objects.Service.get(key)?.spec?.type === "ExternalName" || slices.get(key) !== undefined) return [];
    return [{ message: "no EndpointSlice says where it runs, and so its requests are answered 503" }];
  }

  const missing = (kind: StoredKind, key: string, field: string): readonly End[] =>
    objects[kind].get(key) === undefined ? [{ field, message: `${kind} ${key} does not exist` }] : [];

  function problemsNow(): readonly Problem[] {
    return [...ends.keys()].toSorted().flatMap((object) => {
      const blank = object.indexOf(" ");
      const at = place(object.slice(0, blank), object.slice(blank + 1));
      return (ends.get(object) ?? []).map(
        (end): Problem => ({ object, ...end, ...(at === undefined ? {} : { place: at }), isWarning: true }),
      );
    });
  }

  return {
    apply: (changes) => {
      store.apply(changes);
      graph.settle();
    },
    refreshPlaces: () => {
      known = problemsNow();
    },
    problems: () => {
      if (changed.take().size > 0) known = problemsNow();
      return known;
    },
  };
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf("/"));

const isRouteKind = (kind: string): kind is (typeof routeKinds)[number] => routeKinds.some((one) => one === kind);

/** A filter for Services or for the whole chain speaks of itself in its status. */
function filterEnds(filter: HTTPFilter | undefined, isUsed: boolean): readonly End[] {
  if (filter === undefined || isUsed) return [];
  const { scope = "", targetRefs = [] } = filter.spec;
  return /chain/i.test(scope) || targetRefs.length > 0 ? [] : [{ message: "no route and no listener refers to it" }];
}

/** Keys of the HTTPFilters that are referred to anywhere in a route, or in what states listeners. */
const filtersIn = (user: unknown, namespace: string): readonly string[] =>
  refsIn(user, ["extensionRef"]).flatMap(({ group, kind, name }) =>
    group === filterGroup && kind === "HTTPFilter" ? [`${namespace}/${String(name)}`] : [],
  );

/** Keys of the Services to which a route sends requests, or copies of them, or which a listener asks about them. */
const servicesIn = (user: unknown, namespace: string): readonly string[] =>
  refsIn(user, ["backendRefs", "backendRef"]).flatMap(
    ({ group = "", kind = "Service", namespace: at = namespace, name }) =>
      group === "" && kind === "Service" ? [`${String(at)}/${String(name)}`] : [],
  );

type Ref = Readonly<Record<string, unknown>>;

/** What stands under fields of these names, wherever they are. */
function refsIn(value: unknown, fields: readonly string[], isRef = false): readonly Ref[] {
  if (Array.isArray(value)) return value.flatMap((item) => refsIn(item, fields, isRef));
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).flatMap(([field, inner]) => refsIn(inner, fields, fields.includes(field)));
  return isRef ? [{ ...value }, ...below] : below;
}
