import type { Proxy } from "../ir/index.ts";
import type { Graph, Table } from "../lib/index.ts";
import {
  createAttachments,
  createAttachPoints,
  createListenerHosts,
  createNamespaceLabels,
  createServedHosts,
} from "./attach/index.ts";
import { createBackendReader } from "./backends/index.ts";
import { createClasses } from "./classes.ts";
import { createFilters } from "./filters/index.ts";
import {
  type CertificateTables,
  createAdmissions,
  createCertificates,
  createClaims,
  createGateways,
  createGatewayTls,
  createListenerBackends,
  createListenerClusters,
  createListenerGroups,
  createListenerSets,
  createOverlaps,
  createOwnGateways,
  createParameters,
  createPorts,
  createProxies,
  createStatedListeners,
  indexFrontendAuthorities,
  type OverlapsOf,
} from "./gateway/index.ts";
import type { Inputs } from "./inputs.ts";
import { createBackendTls, indexPolicyAuthorities } from "./policies/index.ts";
import { createGrants } from "./refs/index.ts";
import { createRouteObjects } from "./route-objects.ts";
import type { RouteSources } from "./routes/index.ts";
import { createAuthorities } from "./trust/index.ts";
import type { GatewaySide, ListenerSetView } from "./views.ts";

/** All that can be said of classes, Gateways and attachments without looking into a route's rules. */
export function createGatewaySide(
  graph: Graph,
  inputs: Inputs,
): GatewaySide &
  CertificateTables &
  RouteSources & {
    readonly proxies: Table<Proxy>;
    /** By ListenerSet key. */
    readonly listenerSets: Table<ListenerSetView>;
    readonly overlapsOf: OverlapsOf;
  } {
  const classes = createClasses(graph, inputs);
  const own = createOwnGateways(graph, inputs, classes);
  const grants = createGrants(graph, inputs.store);
  const labels = createNamespaceLabels(graph, inputs.store.objects.Namespace);
  const admissions = createAdmissions(graph, inputs, own, labels);
  const certificates = createCertificates(graph, inputs, own, admissions);
  const authorities = createAuthorities(graph, inputs, [
    indexFrontendAuthorities(graph, own),
    indexPolicyAuthorities(graph, inputs.store),
  ]);
  const { gatewayTls, clientCertificates } = createGatewayTls(graph, { own, grants, certificates, authorities });
  const filters = createFilters(graph, inputs, classes);
  const backendTls = createBackendTls(graph, inputs.store, authorities);
  const readBackend = createBackendReader(graph, inputs.store, backendTls);
  const asked = createListenerBackends(graph, inputs.store, own, readBackend);
  const filterTables = { filters, listenerBackends: asked.listenerBackends };
  const parameters = createParameters(graph, inputs, own);
  const stated = createStatedListeners(graph, inputs, {
    own,
    admissions,
    grants,
    certificates,
    filterTables,
    gatewayTls,
  });
  const conflictsOf = createClaims(graph, stated);
  const gateways = createGateways(graph, inputs, { own, classes, stated, conflictsOf, gatewayTls, parameters });
  const listenerSets = createListenerSets(graph, inputs, { admissions, stated, conflictsOf, gateways });
  const listenerGroups = createListenerGroups(graph, gateways, listenerSets);
  const served = createServedHosts(graph, listenerGroups);
  const routeObjects = createRouteObjects(graph, inputs.store);
  return {
    classes,
    routeObjects,
    gateways,
    listenerSets,
    listenerGroups,
    attachments: createAttachments(graph, routeObjects, createAttachPoints(graph, listenerGroups, served), labels),
    ...createListenerHosts(graph, listenerGroups, served),
    overlapsOf: createOverlaps(listenerGroups, served),
    ...certificates,
    clientCertificates,
    filters,
    backendTls,
    readBackend,
    listenerBackendKeys: asked.listenerBackendKeys,
    listenerClusters: createListenerClusters(graph, { listenerGroups, clientCertificates }),
    proxies: createProxies(graph, inputs, {
      own,
      classes,
      parameters,
      gateways,
      ports: createPorts(graph, listenerGroups),
    }),
  };
}
