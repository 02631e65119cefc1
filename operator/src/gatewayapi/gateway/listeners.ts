import { EscapedSlashesKeepUnchanged, type MeshConfig } from "@gatewright/crd-types/config/v1";
import { HTTPProtocolType, HTTPSProtocolType, UDPProtocolType } from "@gatewright/crd-types/gateway/v1";
import {
  type FilterChain,
  type HttpConnectionManager,
  type Listener,
  type ListenerFilters,
  listenerKey,
  type ProxyKey,
} from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import type { Inputs } from "../inputs.ts";
import { isHttp } from "../attach/index.ts";
import type { AttachmentView, ClassView, GatewayView, ListenerGroup, ListenerView, RulesView } from "../views.ts";
import { accessLogOf } from "./access-log.ts";
import { transportOf } from "./conflicts.ts";
import { createConnectionChains } from "./connection-chains.ts";
import { presentingFilters } from "./listener-backends.ts";

/** What the routes of a route table ask of the filter chain in front of it. */
export type TableFeatures = {
  /** In chain order. */
  readonly extensions: readonly string[];
  readonly cors: boolean;
};

export type ListenerSources = {
  readonly gateways: Table<GatewayView>;
  /** By `parentKey`. */
  readonly listenerGroups: Table<ListenerGroup>;
  readonly classes: Table<ClassView>;
  /** By route table key. */
  readonly tableFeatures: Table<TableFeatures>;
  readonly attachments: Table<AttachmentView>;
  /** By Gateway key. */
  readonly clientCertificates: Table<string>;
  readonly rules: Table<RulesView>;
};

/** By what the IR knows the listener of the proxy that this one is part of. */
export const listenerKeyOf = (proxy: ProxyKey, { port, protocol }: ListenerView): string =>
  listenerKey(proxy, port, protocol === UDPProtocolType ? "udp" : "tcp");

const alpnProtocols = ["h2", "http/1.1"];

/** One of Envoy's listeners for each port that a placed Gateway serves, by `listenerKey`. */
export function createListeners(graph: Graph, inputs: Inputs, sources: ListenerSources): Table<Listener> {
  const { gateways, listenerGroups, classes, tableFeatures, clientCertificates } = sources;
  const connections = createConnectionChains(graph, sources);
  const byPort = graph.index("listenerPorts", listenerGroups, ({ proxy, listeners }) =>
    listeners.filter(({ programmable }) => programmable).map((listener) => listenerKeyOf(proxy, listener)),
  );

  function managerOf(routeTable: string, mesh: MeshConfig | undefined): HttpConnectionManager {
    const { extensions, cors } = tableFeatures.get(routeTable) ?? { extensions: [], cors: false };
    const keeps = mesh?.spec?.paths?.escapedSlashes === EscapedSlashesKeepUnchanged;
    return { routeTable, extensions, cors, ...(keeps && { keepsEscapedSlashes: true }) };
  }

  /** `listeners` are those of the chain. */
  function filtersOf(
    listeners: readonly ListenerView[],
    gateway: string,
  ): Pick<HttpConnectionManager, "requestFilters"> {
    if (listeners.every(({ filters }) => filters === undefined)) return {};
    const certificate = clientCertificates.get(gateway);
    const requestFilters = listeners.map(
      ({ protocol, hostname, filters = [] }): ListenerFilters => ({
        // Who came by the certificate of a listener of HTTPS is its own, whatever host is asked for.
        ...(protocol === HTTPProtocolType && hostname !== undefined && { hostname }),
        filters: presentingFilters(filters, certificate),
      }),
    );
    return { requestFilters };
  }

  function chainsOf(
    listeners: readonly ListenerView[],
    mesh: MeshConfig | undefined,
    gateway: string,
  ): readonly FilterChain[] {
    const plain = listeners.filter(({ protocol }) => protocol === HTTPProtocolType);
    const chains = new Map<string, FilterChain>();
    for (const listener of listeners) {
      const { id, protocol, hostname, certificates, clients, routeTable } = listener;
      for (const chain of connections.chainsOf(listener)) chains.set(chain.name, chain);
      if (routeTable === undefined || !isHttp(protocol)) continue;
      const http = managerOf(routeTable, mesh);
      if (protocol === HTTPSProtocolType) {
        const serverNames = hostname === undefined ? [] : [hostname];
        const tls = { certificates, alpnProtocols, ...(clients && { clients }) };
        chains.set(id, { name: id, serverNames, tls, http: { ...http, ...filtersOf([listener], gateway) } });
      } else if (!chains.has("http"))
        chains.set("http", { name: "http", serverNames: [], http: { ...http, ...filtersOf(plain, gateway) } });
    }
    // Which chain takes a connection is settled by its server names: an order of our own is as good, and it is stable.
    return [...chains.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  }

  return graph.derive<Listener>("listeners", {
    keysOf: [byPort],
    compute: (key) => {
      // Sorted: a set has its keys in the order in which they came, which must not show.
      const groups = [...(byPort.get(key) ?? [])].toSorted().flatMap((parent) => listenerGroups.get(parent) ?? []);
      const sharing = groups.flatMap(({ proxy, listeners }) =>
        listeners.filter((listener) => listener.programmable && listenerKeyOf(proxy, listener) === key),
      );
      const view = groups[0] && gateways.get(groups[0].gateway);
      const placement = view && inputs.placements.get(view.proxy);
      const [first] = sharing;
      if (view === undefined || placement === undefined || first === undefined) return undefined;
      const { port, protocol } = first;
      const udp = connections.datagramsOf(first);
      const mesh = classes.get(view.className)?.mesh;
      const accessLog = accessLogOf(mesh, inputs.settings);
      return {
        proxy: view.proxy,
        // The same for HTTPS and TLS: Envoy closes all connections of a listener that changes its name.
        name: `${transportOf(protocol).toLowerCase()}-${port}`,
        port,
        bind: placement.bind(port),
        filterChains: chainsOf(sharing, mesh, view.key),
        ...(udp && { udp }),
        ...(accessLog && { accessLog }),
      };
    },
    equal: deepEqual,
  });
}
