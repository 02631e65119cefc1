import { HTTPSProtocolType } from "@gatewright/crd-types/gateway/v1";
import { virtualHostKey } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { ListenerGroup, ListenerView } from "../views.ts";
import { isHttp } from "./kinds.ts";
import { anyHost } from "./hostnames.ts";
import type { ServedHosts } from "./served-hosts.ts";

export type ListenerHosts = {
  readonly reservedHosts: Table<ReadonlySet<string>>;
  readonly misdirectedHosts: Table<ReadonlySet<string>>;
};

/**
 * With more listeners than this on a port, as only ListenerSets can bring there, a listener does not list what all of the others own:
 * whatever is not its own is sent away, what nobody owns too. The lists would grow with the square of the listeners.
 */
const maxListed = 64;

/** The virtual hosts that stand for listeners' hostnames, with routes or without; see `GatewaySide`. */
export function createListenerHosts(graph: Graph, groups: Table<ListenerGroup>, served: ServedHosts): ListenerHosts {
  const onPort = graph.index("httpsGroupsOfPort", groups, ({ gateway, listeners }) =>
    listeners.filter(isServedHttps).map(({ port }) => portKey(gateway, port)),
  );
  const ofPort = graph.derive<readonly string[]>("misdirectedHostsOfPort", {
    keysOf: [onPort],
    compute: (key) => {
      const { gateway, port } = parsePortKey(key);
      const sharing = [...(onPort.get(key) ?? [])].flatMap(
        (parent) =>
          groups.get(parent)?.listeners.filter((listener) => isServedHttps(listener) && listener.port === port) ?? [],
      );
      const isListed = served.countWithin(gateway, port, anyHost) < maxListed;
      const everywhere = isListed ? [...served.within(gateway, port, anyHost)] : [];
      if (!isListed || served.at(gateway, port, anyHost).size > 0) everywhere.push(anyHost);
      return sharing
        .flatMap(({ routeTable = "", hostname = anyHost }) => {
          const others = isListed ? everywhere : [...served.within(gateway, port, hostname), ...everywhere];
          return others.filter((other) => other !== hostname).map((other) => virtualHostKey(routeTable, other));
        })
        .toSorted();
    },
    equal: deepEqual,
  });
  return {
    reservedHosts: graph.index("reservedHosts", groups, ({ listeners }) => listeners.flatMap(reservedBy)),
    misdirectedHosts: graph.index("misdirectedHosts", ofPort, (keys) => keys),
  };
}

const isServedHttps = ({ programmable, protocol, routeTable }: ListenerView): boolean =>
  programmable && protocol === HTTPSProtocolType && routeTable !== undefined;

const portKey = (gateway: string, port: number): string => `${gateway} ${port}`;

function parsePortKey(key: string): { readonly gateway: string; readonly port: number } {
  const [gateway = "", port = ""] = key.split(" ");
  return { gateway, port: Number(port) };
}

function reservedBy({ programmable, protocol, hostname, routeTable }: ListenerView): readonly string[] {
  return programmable && isHttp(protocol) && hostname !== undefined && routeTable !== undefined
    ? [virtualHostKey(routeTable, hostname)]
    : [];
}
