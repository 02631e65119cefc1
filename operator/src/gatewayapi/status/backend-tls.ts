import { GroupName } from "@gatewright/crd-types/gateway/v1";
import type { Graph, Table } from "../../lib/index.ts";
import type { BackendTlsView } from "../policies/index.ts";
import { serviceOfBackend } from "../backends/index.ts";
import type { AttachmentView } from "../views.ts";

export type PolicySources = {
  readonly attachments: Table<AttachmentView>;
  readonly backendsOfRoute: Table<readonly string[]>;
  readonly tlsPolicies: Table<BackendTlsView>;
};

/** The API keeps no more. */
const maxAncestors = 16;

/** The Gateways that reach a policy's Services by some route: those that its status is about. */
export function createAncestors(
  graph: Graph,
  { attachments, backendsOfRoute }: Omit<PolicySources, "tlsPolicies">,
): (services: readonly string[]) => readonly Readonly<Record<string, string>>[] {
  const routesOf = graph.index("routesOfService", backendsOfRoute, (keys) => keys.map(serviceOfBackend));
  return (services) => {
    const gateways = new Set<string>();
    for (const service of services)
      for (const route of routesOf.get(service) ?? [])
        for (const { gateway } of attachments.get(route)?.parents ?? []) gateways.add(gateway);
    return [...gateways]
      .toSorted()
      .slice(0, maxAncestors)
      .map((key) => {
        const [namespace = "", name = ""] = key.split("/");
        return { group: GroupName, kind: "Gateway", namespace, name };
      });
  };
}
