import type { Gateway, Listener, ListenerEntry } from "@gatewright/crd-types/gateway/v1";
import type { ExternalAuth, HttpConnectionManager, RequestFilter } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Store } from "../../store/index.ts";
import { type BackendReader, type BackendView, createBackends, presenting } from "../backends/index.ts";
import { backendKeyOf } from "../routes/references.ts";
import type { GatewaySide, ListenerGroup } from "../views.ts";
import { filtersOf } from "./listener-filters.ts";

export type ListenerBackends = {
  /** By `backendKey`: those that filters of listeners refer to. */
  readonly listenerBackends: Table<BackendView>;
  /** Tables whose keys are those of them. */
  readonly listenerBackendKeys: readonly Table<unknown>[];
};

/** The servers that listeners of our Gateways, and of ListenerSets, ask before a route is chosen. */
export function createListenerBackends(
  graph: Graph,
  { objects }: Store,
  own: Table<Gateway>,
  read: BackendReader,
): ListenerBackends {
  const listenerBackendKeys = [
    graph.index("backendsOfGateway", own, ({ metadata, spec }) => keysIn(spec.listeners, metadata.namespace)),
    graph.index("backendsOfListenerSet", objects.ListenerSet, ({ metadata, spec }) =>
      keysIn(spec.listeners, metadata.namespace),
    ),
  ];
  return {
    listenerBackends: createBackends(graph, listenerBackendKeys, read, "listenerBackends"),
    listenerBackendKeys,
  };
}

const keysIn = (listeners: readonly (Listener | ListenerEntry)[], namespace = ""): readonly string[] =>
  listeners
    .flatMap(filtersOf)
    .flatMap(({ externalAuth }) =>
      externalAuth === undefined
        ? []
        : (backendKeyOf(externalAuth.backendRef, namespace, externalAuth.protocol === "GRPC" ? "grpc" : "http") ?? []),
    );

/** By `parentKey`: the names of the clusters that its listeners ask, as they are for its Gateway. Only where there are any. */
export function createListenerClusters(
  graph: Graph,
  { listenerGroups, clientCertificates }: Pick<GatewaySide, "listenerGroups" | "clientCertificates">,
): Table<readonly string[]> {
  const asking = graph.index("askingListeners", listenerGroups, (group, parent) =>
    authClusters(group).length > 0 ? [parent] : [],
  );
  return graph.derive<readonly string[]>("listenerClusters", {
    keysOf: [asking],
    compute: (parent) => {
      const group = listenerGroups.get(parent);
      const certificate = group && clientCertificates.get(group.gateway);
      return group && authClusters(group).map((name) => presenting(name, certificate));
    },
    equal: deepEqual,
  });
}

const authClusters = ({ listeners }: ListenerGroup): readonly string[] =>
  listeners.flatMap(({ filters = [] }) =>
    filters.flatMap((filter) => (filter.kind === "external-auth" ? [filter.cluster] : [])),
  );

/** The filters of a listener whose Gateway shows this certificate to backends. */
export const presentingFilters = (
  filters: readonly RequestFilter[],
  certificate: string | undefined,
): readonly RequestFilter[] =>
  filters.map((filter) =>
    filter.kind === "external-auth" ? { ...filter, cluster: presenting(filter.cluster, certificate) } : filter,
  );

/** The servers that are asked before a route is chosen. */
export const askedBy = (http: HttpConnectionManager | undefined): readonly ExternalAuth[] =>
  (http?.requestFilters ?? [])
    .flatMap(({ filters }) => filters)
    .filter((filter): filter is ExternalAuth => filter.kind === "external-auth");
