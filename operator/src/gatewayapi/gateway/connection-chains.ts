import { TLSProtocolType, UDPProtocolType } from "@gatewright/crd-types/gateway/v1";
import { type FilterChain, parseRouteTableKey, type TcpProxy, type UdpProxy } from "../../ir/index.ts";
import type { Graph, Table } from "../../lib/index.ts";
import { anyHost, compareSpecificity, isHttp } from "../attach/index.ts";
import { presenting } from "../backends/index.ts";
import { parseRouteKey } from "../route-objects.ts";
import type { GatewaySide, ListenerView, RulesView } from "../views.ts";

type Sources = Pick<GatewaySide, "attachments" | "clientCertificates"> & { readonly rules: Table<RulesView> };

/** The filter chains of a listener that knows connections only. */
export type ConnectionChains = {
  readonly chainsOf: (listener: ListenerView) => readonly FilterChain[];
  /** Where the datagrams of a UDP listener go. */
  readonly datagramsOf: (listener: ListenerView) => UdpProxy | undefined;
};

type Candidate = {
  readonly stated: string;
  readonly createdAt: string;
  readonly key: string;
  readonly tcp: TcpProxy;
  readonly reencrypted: TcpProxy;
  readonly udp?: UdpProxy;
};

const nowhere: TcpProxy = { backends: [], failingWeight: 0 };

export function createConnectionChains(
  graph: Graph,
  { attachments, clientCertificates, rules }: Sources,
): ConnectionChains {
  const routesOf = graph.index("connectionRoutes", attachments, ({ parents }, key) => {
    const { kind } = parseRouteKey(key);
    if (kind === "HTTPRoute" || kind === "GRPCRoute") return [];
    return parents.flatMap(({ listeners }) => listeners.map(({ routeTable }) => routeTable));
  });

  /** The route that serves each host of a listener: the one that states it most closely, or else the oldest. */
  function winnersOf(routeTable: string): ReadonlyMap<string, Candidate> {
    const winners = new Map<string, Candidate>();
    for (const routeKey of routesOf.get(routeTable) ?? []) {
      const view = rules.get(routeKey);
      if (view?.tcp === undefined && view?.udp === undefined) continue;
      const { createdAt, tcp = nowhere, reencrypted = tcp, udp } = view;
      for (const { listeners } of attachments.get(routeKey)?.parents ?? [])
        for (const listener of listeners) {
          if (listener.routeTable !== routeTable) continue;
          for (const [index, host] of listener.hosts.entries()) {
            const candidate = {
              stated: listener.statedHosts[index] ?? host,
              createdAt,
              key: routeKey,
              tcp,
              reencrypted,
              ...(udp && { udp }),
            };
            const rival = winners.get(host);
            if (rival === undefined || compareCandidates(candidate, rival) < 0) winners.set(host, candidate);
          }
        }
    }
    return winners;
  }

  function chainsOf(listener: ListenerView): readonly FilterChain[] {
    const { protocol, id, routeTable, hostname = anyHost } = listener;
    if (routeTable === undefined || isHttp(protocol) || protocol === UDPProtocolType) return [];
    const winners = winnersOf(routeTable);
    // What the listener's own host has no route for must not fall to a wider listener of the port.
    const hosts = new Set([hostname, ...winners.keys()]);
    return [...hosts].toSorted().map((host): FilterChain => {
      const winner = winners.get(host);
      const tcp = winner?.tcp ?? nowhere;
      const certificate = clientCertificates.get(parseRouteTableKey(routeTable).proxy);
      if (protocol !== TLSProtocolType) return { name: id, serverNames: [], tcp: presentingTcp(tcp, certificate) };
      const chain = { name: `${id}/${host}`, serverNames: host === anyHost ? [] : [host] };
      const { passthrough = false, certificates, clients } = listener;
      if (passthrough) return { ...chain, tcp, passthrough: true };
      return {
        ...chain,
        tcp: presentingTcp(winner?.reencrypted ?? nowhere, certificate),
        tls: { certificates, alpnProtocols: [], ...(clients && { clients }) },
      };
    });
  }

  return {
    chainsOf,
    datagramsOf: ({ protocol, routeTable }) =>
      protocol === UDPProtocolType && routeTable !== undefined
        ? (winnersOf(routeTable).get(anyHost)?.udp ?? {})
        : undefined,
  };
}

const presentingTcp = ({ backends, failingWeight }: TcpProxy, certificate: string | undefined): TcpProxy => ({
  backends: backends.map(({ cluster, weight }) => ({ cluster: presenting(cluster, certificate), weight })),
  failingWeight,
});

const compareCandidates = (left: Candidate, right: Candidate): number =>
  compareSpecificity(left.stated, right.stated) ||
  compareText(left.createdAt, right.createdAt) ||
  compareText(left.key, right.key);

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);
