import type { ProxyKey } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { GatewayView, ListenerView } from "../views.ts";
import { anyHost } from "./hostnames.ts";

/** What of a Gateway matters to routes, and no more: a new certificate or condition wakes none of them. */
export type AttachPoints = {
  readonly key: string;
  readonly proxy: ProxyKey;
  readonly namespace: string;
  readonly listeners: readonly AttachPoint[];
  /** Hostnames of the listeners that serve, by port. */
  readonly owners: ReadonlyMap<number, readonly string[]>;
};

export type AttachPoint = Pick<
  ListenerView,
  "name" | "port" | "hostname" | "programmable" | "supportedKinds" | "allowedNamespaces" | "routeTable"
>;

export const createAttachPoints = (graph: Graph, gateways: Table<GatewayView>): Table<AttachPoints> =>
  graph.derive<AttachPoints>("attachPoints", {
    keysOf: [gateways],
    compute: (key) => {
      const view = gateways.get(key);
      return view && attachPointsOf(view);
    },
    equal: deepEqual,
  });

export function attachPointsOf({ key, proxy, namespace, listeners }: GatewayView): AttachPoints {
  const serving = Map.groupBy(
    listeners.filter(({ programmable }) => programmable),
    ({ port }) => port,
  );
  return {
    key,
    proxy,
    namespace,
    listeners: listeners.map(pointOf),
    owners: new Map(
      [...serving].map(([port, sharing]) => [port, sharing.map(({ hostname }) => hostname ?? anyHost)] as const),
    ),
  };
}

const pointOf = ({
  name,
  port,
  hostname,
  programmable,
  supportedKinds,
  allowedNamespaces,
  routeTable,
}: ListenerView): AttachPoint => ({
  name,
  port,
  ...(hostname !== undefined && { hostname }),
  programmable,
  supportedKinds,
  allowedNamespaces,
  ...(routeTable !== undefined && { routeTable }),
});
