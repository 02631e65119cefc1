import { ListenerReasonPortUnavailable, UDPProtocolType } from "@gatewright/crd-types/gateway/v1";
import type { ProxyPort } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Problem } from "../conditions.ts";
import type { Placement } from "../inputs.ts";
import type { ListenerGroup } from "../views.ts";
import type { CheckedListener } from "./listener.ts";

/** The ports of listeners that serve unless they are in conflict, whether they can be bound or not. */
export function portsOf(
  listeners: readonly CheckedListener[],
  conflicts: ReadonlyMap<string, Problem>,
): readonly ProxyPort[] {
  const ports = listeners
    .filter(({ serves, name }) => serves && !conflicts.has(name))
    .map(({ port, protocol }): ProxyPort => ({ port, protocol: protocol === UDPProtocolType ? "UDP" : "TCP" }));
  return ports.filter((one, index) => ports.findIndex((other) => deepEqual(one, other)) === index).toSorted(inOrder);
}

const inOrder = (left: ProxyPort, right: ProxyPort): number =>
  left.port - right.port || (left.protocol < right.protocol ? -1 : 1);

/** All ports of a Gateway, those of its ListenerSets included, by Gateway key. Moves when the first listener comes to a port or the last one goes. */
export function createPorts(graph: Graph, groups: Table<ListenerGroup>): Table<readonly ProxyPort[]> {
  const claimed = graph.index("claimedPorts", groups, ({ gateway, ports }) =>
    ports.map(({ protocol, port }) => `${gateway} ${protocol} ${port}`),
  );
  const byGateway = graph.index("portsOfGateway", claimed, (_, key) => key.split(" ").slice(0, 1));
  return graph.derive<readonly ProxyPort[]>("ports", {
    keysOf: [byGateway],
    compute: (gateway) => [...(byGateway.get(gateway) ?? [])].map(parsePort).toSorted(inOrder),
    equal: deepEqual,
  });
}

function parsePort(key: string): ProxyPort {
  const [, protocol, port] = key.split(" ");
  return { port: Number(port), protocol: protocol === "UDP" ? "UDP" : "TCP" };
}

export function portProblem(port: number, placement: Placement | undefined): Problem | undefined {
  const words = placement?.unavailablePorts?.get(port);
  return words === undefined
    ? undefined
    : { reason: ListenerReasonPortUnavailable, message: `port ${port} cannot be bound: ${words}` };
}
