import { HTTPSProtocolType } from "@gatewright/crd-types/gateway/v1";
import { virtualHostKey } from "../../ir/index.ts";
import type { Graph, Table } from "../../lib/index.ts";
import type { GatewayView, ListenerView } from "../views.ts";
import { isHttp } from "./kinds.ts";
import { anyHost } from "./hostnames.ts";

export type ListenerHosts = {
  readonly reservedHosts: Table<ReadonlySet<string>>;
  readonly misdirectedHosts: Table<ReadonlySet<string>>;
};

/** The virtual hosts that stand for listeners' hostnames, with routes or without; see `GatewaySide`. */
export const createListenerHosts = (graph: Graph, gateways: Table<GatewayView>): ListenerHosts => ({
  reservedHosts: graph.index("reservedHosts", gateways, ({ listeners }) => listeners.flatMap(reservedBy)),
  misdirectedHosts: graph.index("misdirectedHosts", gateways, ({ listeners }) =>
    listeners.flatMap((listener) => misdirectedAt(listener, listeners)),
  ),
});

function reservedBy({ programmable, protocol, hostname, routeTable }: ListenerView): readonly string[] {
  return programmable && isHttp(protocol) && hostname !== undefined && routeTable !== undefined
    ? [virtualHostKey(routeTable, hostname)]
    : [];
}

/** Of hosts that both stand for, the more specific listener is asked; what the other keeps is what no virtual host here takes. */
function misdirectedAt(
  { name, port, protocol, programmable, routeTable }: ListenerView,
  siblings: readonly ListenerView[],
): readonly string[] {
  if (!programmable || protocol !== HTTPSProtocolType || routeTable === undefined) return [];
  return siblings
    .filter((sibling) => sibling.programmable && sibling.port === port && sibling.name !== name)
    .map(({ hostname = anyHost }) => virtualHostKey(routeTable, hostname));
}
