import type { ProxyKey } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { parseParentKey } from "../listener-parents.ts";
import type { ListenerGroup, ListenerView } from "../views.ts";
import { anyHost } from "./hostnames.ts";
import type { ServedHosts } from "./served-hosts.ts";

/** What of a Gateway or ListenerSet matters to routes, and no more: a new certificate or condition wakes none of them. By `parentKey`. */
export type AttachPoints = {
  /** `Gateway infra/gw` or `ListenerSet apps/set`, for messages. */
  readonly title: string;
  /** Key of the Gateway. */
  readonly gateway: string;
  readonly proxy: ProxyKey;
  /** Of the object that states the listeners. */
  readonly namespace: string;
  readonly listeners: readonly AttachPoint[];
  /** Why routes cannot have it for a parent. */
  readonly closed?: string;
};

export type AttachPoint = Pick<
  ListenerView,
  "name" | "port" | "hostname" | "programmable" | "supportedKinds" | "allowedNamespaces" | "routeTable"
> & {
  /** Hostnames within its own that more specific listeners of the port serve. */
  readonly rivals: ReadonlySet<string>;
};

export const createAttachPoints = (
  graph: Graph,
  groups: Table<ListenerGroup>,
  served: ServedHosts,
): Table<AttachPoints> =>
  graph.derive<AttachPoints>("attachPoints", {
    keysOf: [groups],
    compute: (parent) => {
      const group = groups.get(parent);
      if (group === undefined) return undefined;
      const { kind, key } = parseParentKey(parent);
      const { gateway, proxy, namespace, listeners, closed } = group;
      return {
        title: `${kind} ${key}`,
        gateway,
        proxy,
        namespace,
        listeners: listeners.map((listener) => pointOf(listener, gateway, served)),
        ...(closed !== undefined && { closed }),
      };
    },
    equal: deepEqual,
  });

function pointOf(listener: ListenerView, gateway: string, served: ServedHosts): AttachPoint {
  const { name, port, hostname, programmable, supportedKinds, allowedNamespaces, routeTable } = listener;
  return {
    name,
    port,
    ...(hostname !== undefined && { hostname }),
    programmable,
    supportedKinds,
    allowedNamespaces,
    ...(routeTable !== undefined && { routeTable }),
    rivals: programmable ? served.within(gateway, port, hostname ?? anyHost) : new Set(),
  };
}
