import type { Cluster, Endpoints, VirtualHost } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { type BackendReader, type BackendTransport, createBackends, createClusters } from "../backends/index.ts";
import type { Inputs } from "../inputs.ts";
import { createGrants, refusalOf } from "../refs/index.ts";
import type { BackendTls, BackendTlsView } from "../policies/index.ts";
import type { RouteObjects } from "../route-objects.ts";
import type { FilterView, GatewaySide, RulesView } from "../views.ts";
import { createRouteClusters } from "./client-certificate.ts";
import { backendKeysOf, createReferences } from "./references.ts";
import { failConnections, translateConnections } from "./connections.ts";
import { failRules, isRuled, ruledRoute, translateRules } from "./rules.ts";
import { createLiveTables, createRouteTables, type RouteTables } from "./tables.ts";
import { createVirtualHosts } from "./virtual-hosts.ts";

export type { TableFeatures } from "./tables.ts";

export type RouteSide = RouteTables & {
  /** By `routeKey`, for those that refer to a Gateway of ours. */
  readonly rules: Table<RulesView>;
  /** Keys of the backends that each route refers to, by `routeKey`. */
  readonly backendsOfRoute: Table<readonly string[]>;
  /** By BackendTLSPolicy key. */
  readonly tlsPolicies: Table<BackendTlsView>;
  /** By HTTPFilter key. */
  readonly filters: Table<FilterView>;
  readonly virtualHosts: Table<VirtualHost>;
  readonly clusters: Table<Cluster>;
  readonly endpoints: Table<Endpoints>;
};

/** What listeners need of the same sort. */
export type RouteSources = {
  readonly routeObjects: RouteObjects;
  /** By HTTPFilter key. */
  readonly filters: Table<FilterView>;
  readonly backendTls: BackendTls;
  readonly readBackend: BackendReader;
  /** Tables whose keys are those of the backends that listeners refer to. */
  readonly listenerBackendKeys: readonly Table<unknown>[];
  /** The names of the clusters that listeners need. */
  readonly listenerClusters: Table<readonly string[]>;
};

/** Routes and backends: everything that does not depend on how listeners are set up, and then where it is served. */
export function createRouteSide(graph: Graph, inputs: Inputs, gatewaySide: GatewaySide & RouteSources): RouteSide {
  const { store, quarantine } = inputs;
  const { attachments, listenerGroups, routeObjects, filters, backendTls } = gatewaySide;

  const grants = createGrants(graph, store);
  // Only routes that come to us: in a cluster there may be many more of others.
  const own = graph.index("ownRoutes", attachments, ({ parents }, key) => (parents.length > 0 ? [key] : []));
  const backendsOfRoute = graph.derive("backendsOfRoute", {
    keysOf: [own],
    compute: (key) => {
      const route = routeObjects.get(key);
      return route && backendKeysOf(route);
    },
    equal: deepEqual,
  });
  const ofRoutes = graph.index("backendsInUse", backendsOfRoute, (keys) => keys);
  const backends = createBackends(graph, [ofRoutes, ...gatewaySide.listenerBackendKeys], gatewaySide.readBackend);

  const rules = graph.derive<RulesView>("rules", {
    keysOf: [own],
    compute: (key) => {
      const route = routeObjects.get(key);
      if (route === undefined) return undefined;
      const { kind, object } = route;
      const refusal = refusalOf(quarantine, kind, object);
      const referencesOf = (transport?: BackendTransport) =>
        createReferences(object.metadata.namespace ?? "", { grants, backends, filters }, kind, transport);
      const references = referencesOf();
      if (isRuled(route))
        return refusal === undefined
          ? translateRules(ruledRoute(route), references)
          : failRules(ruledRoute(route), refusal);
      if (refusal !== undefined) return failConnections(route, refusal);
      const reencrypting = kind === "TLSRoute" ? referencesOf("reencrypt") : undefined;
      return translateConnections(route, references, reencrypting);
    },
    equal: deepEqual,
  });

  const routeClusters = createRouteClusters(graph, gatewaySide, rules);
  const { clusters, endpoints } = createClusters(graph, store, backends, routeClusters, [
    graph.index("clustersOfListeners", gatewaySide.listenerClusters, (names) => names),
  ]);
  const live = createLiveTables(graph, listenerGroups);
  const virtualHosts = createVirtualHosts(graph, gatewaySide, live, rules);
  const routeTables = createRouteTables(graph, gatewaySide, live, virtualHosts);
  return {
    rules,
    filters,
    backendsOfRoute,
    tlsPolicies: backendTls.policies,
    virtualHosts,
    clusters,
    endpoints,
    ...routeTables,
  };
}
