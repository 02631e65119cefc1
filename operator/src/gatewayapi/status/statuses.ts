import {
  type HTTPFilter,
  HTTPFilterConditionAccepted,
  HTTPFilterReasonAccepted,
  MeshConfigConditionAccepted,
  MeshConfigReasonAccepted,
  MeshConfigReasonInvalid,
} from "@gatewright/crd-types/config/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { isFalse, isTrue, observedAt } from "../conditions.ts";
import { listenerKeyOf, type OverlapsOf } from "../gateway/index.ts";
import type { OptionalField, StoredKind } from "../../store/index.ts";
import { contentOf, type Inputs, proxyKeyOf } from "../inputs.ts";
import { meshConfigProblem, neglectedPart } from "../mesh-config.ts";
import type {
  AttachmentView,
  ClassView,
  DesiredCondition,
  DesiredStatus,
  FilterView,
  GatewayView,
  ListenerSetView,
  RulesView,
} from "../views.ts";
import { parentKey } from "../listener-parents.ts";
import { type RouteKindName, routeKey } from "../route-objects.ts";
import { createAncestors, policyStatus, type PolicySources } from "./backend-tls.ts";
import { gatewayStatus } from "./gateway.ts";
import type { ListenerSurroundings } from "./listener.ts";
import { listenerSetStatus } from "./listener-set.ts";
import { hasEntriesOf, isAccepted, type ParentConditions, parentConditions, withRefusedClusters } from "./route.ts";
import { featuresWhere } from "./supported-features.ts";

export type StatusSources = PolicySources & {
  readonly classes: Table<ClassView>;
  readonly gateways: Table<GatewayView>;
  readonly listenerSets: Table<ListenerSetView>;
  readonly overlapsOf: OverlapsOf;
  readonly attachments: Table<AttachmentView>;
  readonly rules: Table<RulesView>;
  readonly filters: Table<FilterView>;
};

export const statusKey = (kind: DesiredStatus["kind"], key: string): string => `${kind} ${key}`;

type StatusTables = { readonly [K in DesiredStatus["kind"]]: Table<DesiredStatus> };

/** The statuses that we want, of all kinds, by `statusKey`. */
export function createStatuses(graph: Graph, inputs: Inputs, sources: StatusSources): Table<DesiredStatus> {
  const routes = createRouteConditions(graph, inputs, sources);
  const surround = createListenerSurroundings(graph, inputs, sources, routes);
  const tables: StatusTables = {
    GatewayClass: createClassStatuses(graph, inputs, sources.classes),
    Gateway: createGatewayStatuses(graph, inputs, sources, surround),
    ListenerSet: createListenerSetStatuses(graph, sources.listenerSets, surround),
    HTTPRoute: createRouteStatuses(graph, "HTTPRoute", inputs, routes),
    GRPCRoute: createRouteStatuses(graph, "GRPCRoute", inputs, routes),
    TLSRoute: createRouteStatuses(graph, "TLSRoute", inputs, routes),
    TCPRoute: createRouteStatuses(graph, "TCPRoute", inputs, routes),
    UDPRoute: createRouteStatuses(graph, "UDPRoute", inputs, routes),
    BackendTLSPolicy: createPolicyStatuses(graph, inputs, sources),
    HTTPFilter: createFilterStatuses(graph, inputs, sources.filters),
    MeshConfig: createMeshConfigStatuses(graph, inputs),
  };
  return mergeStatuses(graph, tables);
}

/** One table of all, whose keys name the kind too. */
function mergeStatuses(graph: Graph, tables: StatusTables): Table<DesiredStatus> {
  const byKind = new Map<string, Table<DesiredStatus>>(Object.entries(tables));
  return graph.derive<DesiredStatus>("statuses", {
    keysOf: Object.values(tables).map((table) =>
      graph.index(`${table.name}Keys`, table, ({ kind, key }) => [statusKey(kind, key)]),
    ),
    compute: (merged) => {
      const blank = merged.indexOf(" ");
      return byKind.get(merged.slice(0, blank))?.get(merged.slice(blank + 1));
    },
  });
}

type StatusOptions = {
  readonly keysOf: readonly Table<unknown>[];
  readonly compute: (key: string) => Pick<DesiredStatus, "generation" | "status"> | undefined;
};

function deriveStatuses(graph: Graph, kind: DesiredStatus["kind"], { keysOf, compute }: StatusOptions) {
  return graph.derive<DesiredStatus>(`statusOf${kind}`, {
    keysOf,
    compute: (key) => {
      const found = compute(key);
      return found && { kind, key, ...found };
    },
    equal: deepEqual,
  });
}

/** A status that is nothing but conditions. */
function statusOf(object: { readonly metadata: { readonly generation?: number } }, conditions: DesiredCondition[]) {
  const generation = object.metadata.generation ?? 0;
  return { generation, status: { conditions: observedAt(generation, conditions) } };
}

function createClassStatuses(
  graph: Graph,
  { store, unavailable }: Inputs,
  classes: Table<ClassView>,
): Table<DesiredStatus> {
  const isAbsent = (what: StoredKind | OptionalField) => unavailable?.get(what)?.kind === "absent";
  return deriveStatuses(graph, "GatewayClass", {
    keysOf: [classes],
    compute: (name) => {
      const view = classes.get(name);
      const object = store.objects.GatewayClass.get(name);
      if (view === undefined || object === undefined) return undefined;
      const generation = object.metadata.generation ?? 0;
      return {
        generation,
        status: {
          conditions: observedAt(generation, view.conditions),
          supportedFeatures: featuresWhere(isAbsent).map((feature) => ({ name: feature })),
        },
      };
    },
  });
}

/** What each route's conditions are, by `routeKey`; only for routes with parents of ours. */
function createRouteConditions(
  graph: Graph,
  { refusedClusters }: Inputs,
  { attachments, rules }: StatusSources,
): Table<readonly ParentConditions[]> {
  return graph.derive<readonly ParentConditions[]>("routeConditions", {
    keysOf: [attachments],
    compute: (key) => {
      const attachment = attachments.get(key);
      const view = rules.get(key);
      return attachment && parentConditions(attachment, view && withRefusedClusters(view, refusedClusters));
    },
    equal: deepEqual,
  });
}

function createRouteStatuses(
  graph: Graph,
  kind: RouteKindName,
  { store, settings }: Inputs,
  routes: Table<readonly ParentConditions[]>,
): Table<DesiredStatus> {
  const { controllerName } = settings;
  const objects = store.objects[kind];
  return deriveStatuses(graph, kind, {
    keysOf: [objects],
    compute: (key) => {
      const route = objects.get(key);
      if (route === undefined) return undefined;
      const entries = routes.get(routeKey(kind, key)) ?? [];
      // A route that left us loses our entries; of one that never was ours we say nothing.
      if (entries.length === 0 && !hasEntriesOf(controllerName, route)) return undefined;
      const generation = route.metadata.generation ?? 0;
      const parents = entries.map(({ parentRef, conditions }) => ({
        parentRef,
        controllerName,
        conditions: observedAt(generation, conditions),
      }));
      return { generation, status: { parents } };
    },
  });
}

/** How many routes each listener has, and whom they are told to: what statuses of Gateways and of ListenerSets have in common. */
function createListenerSurroundings(
  graph: Graph,
  { store, placements, proxyStates, refusedListeners }: Inputs,
  { overlapsOf }: Pick<StatusSources, "overlapsOf">,
  routes: Table<readonly ParentConditions[]>,
): (gateway: string, parent: string) => ListenerSurroundings {
  const { Gateway } = store.objects;
  const bucketOf = (parent: string, listener: string) => `${parent} ${listener}`;
  const attached = graph.index("attachedRoutes", routes, (parents) =>
    parents
      .filter(isAccepted)
      .flatMap(({ parent, listeners }) => listeners.map(({ listener }) => bucketOf(parent, listener))),
  );
  return (gateway, parent) => {
    const proxy = proxyKeyOf(gateway);
    return {
      placement: placements.get(proxy),
      state: proxyStates.get(proxy),
      refusal: (listener) => {
        const refused = refusedListeners.get(listenerKeyOf(proxy, listener));
        // The Gateway is asked for its content only where it matters: an edit of it is not to wake all of its sets.
        const object = refused && Gateway.get(gateway);
        return object && refused.content === contentOf(object) ? refused.message : undefined;
      },
      attachedRoutes: (listener) => attached.get(bucketOf(parent, listener))?.size ?? 0,
      overlaps: (listener) => overlapsOf(gateway, parent, listener),
    };
  };
}

type Surround = ReturnType<typeof createListenerSurroundings>;

function createGatewayStatuses(
  graph: Graph,
  { store, unavailable }: Inputs,
  { gateways, listenerSets }: Pick<StatusSources, "gateways" | "listenerSets">,
  surround: Surround,
): Table<DesiredStatus> {
  const { Gateway } = store.objects;
  const sets = graph.index("attachedListenerSets", listenerSets, ({ gateway, accepted: { status } }) =>
    status === "True" ? [gateway] : [],
  );
  return deriveStatuses(graph, "Gateway", {
    keysOf: [gateways],
    compute: (key) => {
      const view = gateways.get(key);
      const gateway = Gateway.get(key);
      if (view === undefined || gateway === undefined) return undefined;
      const attachedListenerSets = sets.get(key)?.size ?? 0;
      const hasRoutability = unavailable?.get("Gateway.status.addresses.routability")?.kind !== "absent";
      const status = gatewayStatus(view, gateway, { ...surround(key, key), attachedListenerSets, hasRoutability });
      return { generation: view.generation, status };
    },
  });
}

const createListenerSetStatuses = (
  graph: Graph,
  listenerSets: Table<ListenerSetView>,
  surround: Surround,
): Table<DesiredStatus> =>
  deriveStatuses(graph, "ListenerSet", {
    keysOf: [listenerSets],
    compute: (key) => {
      const view = listenerSets.get(key);
      if (view === undefined) return undefined;
      const status = listenerSetStatus(view, surround(view.gateway, parentKey("ListenerSet", key)));
      return { generation: view.generation, status };
    },
  });

function createPolicyStatuses(
  graph: Graph,
  { store, settings: { controllerName } }: Inputs,
  sources: PolicySources,
): Table<DesiredStatus> {
  const { BackendTLSPolicy } = store.objects;
  const ancestorsOf = createAncestors(graph, sources);
  return deriveStatuses(graph, "BackendTLSPolicy", {
    keysOf: [BackendTLSPolicy],
    compute: (key) => {
      const policy = BackendTLSPolicy.get(key);
      const view = sources.tlsPolicies.get(key);
      return policy && view && policyStatus(policy, view, ancestorsOf(view.services), controllerName);
    },
  });
}

const accepted = isTrue(HTTPFilterConditionAccepted, HTTPFilterReasonAccepted);

/** Filters for Services are not served yet: whoever asks for one must not think that it works. */
function unserved(
  { scope }: Extract<FilterView, { kind: "valid" }>,
  { spec }: HTTPFilter,
): DesiredCondition | undefined {
  if (scope !== "chain" && (spec.targetRefs ?? []).length === 0) return undefined;
  const message =
    scope === "chain"
      ? "spec.scope: filters of scope chain are not served yet"
      : "spec.targetRefs: filters for Services are not served yet; it works in rules that refer to it";
  return isFalse(HTTPFilterConditionAccepted, { reason: "UnsupportedValue", message });
}

function createFilterStatuses(graph: Graph, { store }: Inputs, filters: Table<FilterView>): Table<DesiredStatus> {
  const { HTTPFilter } = store.objects;
  return deriveStatuses(graph, "HTTPFilter", {
    keysOf: [filters],
    compute: (key) => {
      const object = HTTPFilter.get(key);
      const view = filters.get(key);
      if (object === undefined || view === undefined) return undefined;
      return statusOf(object, [
        view.kind === "invalid" ? isFalse(HTTPFilterConditionAccepted, view) : (unserved(view, object) ?? accepted),
      ]);
    },
  });
}

function createMeshConfigStatuses(graph: Graph, { store, settings, quarantine }: Inputs): Table<DesiredStatus> {
  const { MeshConfig } = store.objects;
  return deriveStatuses(graph, "MeshConfig", {
    keysOf: [MeshConfig],
    compute: (key) => {
      const object = MeshConfig.get(key);
      if (object === undefined) return undefined;
      const message = meshConfigProblem(object, settings.rootNamespace) ?? neglectedPart(object, quarantine);
      return statusOf(object, [
        message === undefined
          ? isTrue(MeshConfigConditionAccepted, MeshConfigReasonAccepted)
          : isFalse(MeshConfigConditionAccepted, { reason: MeshConfigReasonInvalid, message }),
      ]);
    },
  });
}
