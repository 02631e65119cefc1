import { type BackendTLSPolicy, GroupName } from "@gatewright/crd-types/gateway/v1";
import type { Graph, Table } from "../../lib/index.ts";
import { parseBackendKey, serviceOfBackend } from "../backends/index.ts";
import { observedAt } from "../conditions.ts";
import type { BackendTlsView } from "../policies/index.ts";
import { parseRouteKey } from "../route-objects.ts";
import type { AttachmentView, DesiredStatus, ListenerGroup, ListenerView, ParentView } from "../views.ts";

export type PolicySources = {
  readonly attachments: Table<AttachmentView>;
  /** By `parentKey`. */
  readonly listenerGroups: Table<ListenerGroup>;
  readonly backendsOfRoute: Table<readonly string[]>;
  readonly tlsPolicies: Table<BackendTlsView>;
};

/** The API keeps no more, those of other controllers included. */
const maxAncestors = 16;

/**
 * The Gateways that reach a policy's Services by some route that it is for, or for which a listener asks them: those that its status is
 * about. In order of their keys.
 */
export function createAncestors(
  graph: Graph,
  { attachments, listenerGroups, backendsOfRoute }: Omit<PolicySources, "tlsPolicies">,
): (services: readonly string[]) => readonly string[] {
  const routesOf = graph.index("routesOfService", backendsOfRoute, (keys) => [
    ...new Set(keys.flatMap(securedService)),
  ]);

  const askersOf = graph.index("askersOfService", listenerGroups, ({ listeners }) => [
    ...new Set(listeners.flatMap(askedBy)),
  ]);

  /** Connections that are passed on are TLS already, or are to be none. */
  function isSecured(route: string, { parent, listeners }: ParentView): boolean {
    if (listeners.length === 0) return false;
    if (parseRouteKey(route).kind !== "TLSRoute") return true;
    const stated = listenerGroups.get(parent)?.listeners ?? [];
    return listeners.some(({ listener }) => stated.some(({ name, passthrough }) => name === listener && !passthrough));
  }

  return (services) => {
    const gateways = new Set<string>();
    for (const service of services) {
      for (const parent of askersOf.get(service) ?? []) {
        const gateway = listenerGroups.get(parent)?.gateway;
        if (gateway !== undefined) gateways.add(gateway);
      }
      for (const route of routesOf.get(service) ?? [])
        for (const parent of attachments.get(route)?.parents ?? [])
          if (isSecured(route, parent)) gateways.add(parent.gateway);
    }
    return [...gateways].toSorted();
  };
}

/** The Services that a listener asks before a route is chosen. */
const askedBy = ({ filters = [] }: ListenerView): readonly string[] =>
  filters.flatMap((filter) => (filter.kind === "external-auth" ? [serviceOfBackend(filter.cluster)] : []));

function securedService(backend: string): readonly string[] {
  const { service, transport } = parseBackendKey(backend);
  return transport === "tcp" || transport === "udp" ? [] : [service];
}

/** Undefined: it concerns nobody of ours. Where there are more Gateways than room, the first of them by their keys are told of. */
export function policyStatus(
  { metadata, status }: BackendTLSPolicy,
  { conditions }: BackendTlsView,
  gateways: readonly string[],
  controllerName: string,
): Pick<DesiredStatus, "generation" | "status"> | undefined {
  const present = status?.ancestors ?? [];
  const foreign = present.filter((ancestor) => ancestor.controllerName !== controllerName).length;
  if (gateways.length === 0 && foreign === present.length) return undefined;
  const generation = metadata.generation ?? 0;
  const observed = observedAt(generation, conditions);
  const ancestors = gateways.slice(0, Math.max(0, maxAncestors - foreign)).map((key) => {
    const [namespace = "", name = ""] = key.split("/");
    return {
      ancestorRef: { group: GroupName, kind: "Gateway", namespace, name },
      controllerName,
      conditions: observed,
    };
  });
  return { generation, status: { ancestors } };
}
