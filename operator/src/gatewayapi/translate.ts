import type { Ir } from "../ir/index.ts";
import type { Graph, Table } from "../lib/index.ts";
import {
  createClusterUses,
  createListenerNeeds,
  createListeners,
  createUnclaimedGateways,
  createWaitingGateways,
} from "./gateway/index.ts";
import { createGatewaySide } from "./gateway-side.ts";
import type { Inputs } from "./inputs.ts";
import { createRouteSide } from "./routes/index.ts";
import { createStatuses } from "./status/index.ts";
import type { BackendTlsView } from "./policies/index.ts";
import type { AttachmentView, ClassView, DesiredStatus, FilterView, GatewayView, RulesView } from "./views.ts";

export type Translation = {
  readonly ir: Ir;
  /** By `statusKey`. */
  readonly statuses: Table<DesiredStatus>;
  /** By name; only classes of ours. */
  readonly classes: Table<ClassView>;
  /** By Gateway key; only Gateways of ours. */
  readonly gateways: Table<GatewayView>;
  /** By Gateway key: Gateways of a class that is not there, of whom nobody can say whose they are. */
  readonly unclaimed: Table<true>;
  /** By Gateway key: Gateways of ours that are not served for want of good parameters. What stands for them stays. */
  readonly waiting: Table<true>;
  /** By `routeKey`. */
  readonly attachments: Table<AttachmentView>;
  /** By `routeKey`, for routes with a parent of ours. */
  readonly rules: Table<RulesView>;
  /** By HTTPFilter key. */
  readonly filters: Table<FilterView>;
  /** By BackendTLSPolicy key. */
  readonly tlsPolicies: Table<BackendTlsView>;
};

/**
 * Translates Gateway API objects to the IR and to the statuses that they should have. Nothing happens until the graph is
 * settled; then whatever changed in `inputs` is followed to what it changes here, and nothing else is computed anew.
 */
export function createTranslation(graph: Graph, inputs: Inputs): Translation {
  const side = createGatewaySide(graph, inputs);
  const { gateways, attachments, proxies } = side;
  const routes = createRouteSide(graph, inputs, side);
  const { tableFeatures, rules, filters } = routes;
  const listeners = createListeners(graph, inputs, { ...side, tableFeatures, rules });
  return {
    ir: {
      proxies,
      listeners,
      ...createListenerNeeds(graph, listeners, side.certificates, side.clientCertificates),
      routeTables: routes.routeTables,
      virtualHosts: routes.virtualHosts,
      virtualHostsOf: routes.virtualHostsOf,
      clusters: routes.clusters,
      endpoints: routes.endpoints,
      clusterUses: createClusterUses(graph, routes.clusterUses, listeners),
    },
    statuses: createStatuses(graph, inputs, { ...routes, ...side, rules, filters }),
    classes: side.classes,
    gateways,
    unclaimed: createUnclaimedGateways(graph, inputs),
    waiting: createWaitingGateways(graph, gateways),
    attachments,
    rules,
    filters,
    tlsPolicies: routes.tlsPolicies,
  };
}
