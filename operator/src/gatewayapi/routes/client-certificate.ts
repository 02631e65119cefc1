import type { Route } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { type NamedClusters, presenting } from "../backends/index.ts";
import type { GatewaySide, RulesView } from "../views.ts";

// A Gateway may show a certificate to backends. Connections that it is shown on are a cluster of their own, so that rules, which know
// no Gateway, name clusters without one, and the certificate's is put in where a rule comes to a Gateway.

/** A route for a proxy that shows this certificate to backends. */
export function presentingRoute(route: Route, certificate: string | undefined): Route {
  const { action } = route;
  if (certificate === undefined || action.kind !== "forward") return route;
  const present = <T extends { readonly cluster: string }>(target: T): T => ({
    ...target,
    cluster: presenting(target.cluster, certificate),
  });
  return {
    ...route,
    action: { ...action, backends: action.backends.map(present), mirrors: action.mirrors.map(present) },
  };
}

/** The clusters that each route comes to at its Gateways, by `routeKey`. */
export const createRouteClusters = (
  graph: Graph,
  { attachments, clientCertificates }: Pick<GatewaySide, "attachments" | "clientCertificates">,
  rules: Table<RulesView>,
): Table<NamedClusters> =>
  graph.derive<NamedClusters>("routeClusters", {
    keysOf: [rules],
    compute: (key) => {
      const view = rules.get(key);
      if (view === undefined) return undefined;
      const parents = attachments.get(key)?.parents ?? [];
      const certificates = new Set([undefined, ...parents.map(({ gateway }) => clientCertificates.get(gateway))]);
      const names = view.clusters.flatMap(({ name }) => [...certificates].map((each) => presenting(name, each)));
      return { clusters: [...new Set(names)], ...(view.weighted && { weighted: view.weighted }) };
    },
    equal: deepEqual,
  });
