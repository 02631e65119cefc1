import { parseRouteTableKey, routeTableName, type RouteTable, useKey, type VirtualHost } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { isHttp } from "../attach/index.ts";
import type { ClassView, GatewaySide, ListenerGroup } from "../views.ts";
import { clusterNamesOf } from "./clusters-of.ts";

/** What a route table needs of the listener that serves it. */
export type TableFeatures = {
  /** Extension filters in use, in chain order. */
  readonly extensions: readonly string[];
  /** Whether some route has CORS. */
  readonly cors: boolean;
};

/**
 * From this many hosts on, a table's virtual hosts are resources of their own, unless the class says otherwise. A table that turns from
 * one to the other is a new one to Envoy, and connections that are open keep to the old one, out of date: none turns by itself.
 */
const defaultVhdsThreshold = 0;

/** Keys of the route tables that are served. Who else comes to one that is served already moves nothing. */
export function createLiveTables(graph: Graph, groups: Table<ListenerGroup>): Table<true> {
  const users = graph.index("routeTableUsers", groups, ({ listeners }) =>
    listeners.flatMap(({ programmable, protocol, routeTable }) =>
      programmable && isHttp(protocol) ? (routeTable ?? []) : [],
    ),
  );
  return graph.derive<true>("liveRouteTables", { keysOf: [users], compute: () => true });
}

export type RouteTables = {
  readonly routeTables: Table<RouteTable>;
  readonly virtualHostsOf: Table<ReadonlySet<string>>;
  readonly clusterUses: Table<ReadonlySet<string>>;
  readonly tableFeatures: Table<TableFeatures>;
};

/** What route tables come to by their virtual hosts. An edit of one host costs what it changes, however many there are. */
export function createRouteTables(
  graph: Graph,
  { classes, gateways, listenerGroups }: Pick<GatewaySide, "classes" | "gateways" | "listenerGroups">,
  live: Table<true>,
  virtualHosts: Table<VirtualHost>,
): RouteTables {
  const settingsOf = (routeTable: string): ClassView["mesh"] => {
    const gateway = gateways.get(parseRouteTableKey(routeTable).proxy);
    return gateway === undefined ? undefined : classes.get(gateway.className)?.mesh;
  };

  const virtualHostsOf = graph.index("virtualHostsOf", virtualHosts, ({ routeTable }) => [routeTable]);

  const clusterUses = graph.index("hostClusterUses", virtualHosts, ({ proxy, routes }) =>
    routes.flatMap((route) => clusterNamesOf(route).map((cluster) => useKey(proxy, cluster))),
  );

  const filtered = graph.index("filteredRouteTables", listenerGroups, ({ listeners }) =>
    listeners.flatMap(({ programmable, filters, routeTable }) =>
      programmable && filters !== undefined ? (routeTable ?? []) : [],
    ),
  );

  // Two indexes in a row: which hosts of a table need a feature, and then which features a table needs. The second one moves
  // only when the first host comes to need a feature, or the last one ceases to.
  const users = graph.index("featureUsers", virtualHosts, ({ routeTable, routes }) =>
    routes.flatMap((route) => featuresOf(route).map((feature) => featureKey(routeTable, feature))),
  );
  const features = graph.index("featuresOfTable", users, (_, key) => [parseFeatureKey(key).routeTable]);

  const tableFeatures = graph.derive<TableFeatures>("tableFeatures", {
    keysOf: [live],
    compute: (key) => {
      const names = [...(features.get(key) ?? [])].map((member) => parseFeatureKey(member).feature);
      const order = settingsOf(key)?.spec?.extensionFilters?.order ?? [];
      return {
        extensions: inChainOrder(
          names.filter((name) => name !== cors),
          order,
        ),
        cors: names.includes(cors),
      };
    },
    equal: deepEqual,
  });

  const routeTables = graph.derive<RouteTable>("routeTables", {
    keysOf: [live],
    compute: (key) => {
      const threshold = settingsOf(key)?.spec?.virtualHostDiscovery?.threshold ?? defaultVhdsThreshold;
      const hosts = virtualHostsOf.get(key)?.size ?? 0;
      const discovery = hosts >= threshold ? "vhds" : "inline";
      const switchedOn = filtered.get(key) === undefined ? [] : (tableFeatures.get(key)?.extensions ?? []);
      return {
        proxy: parseRouteTableKey(key).proxy,
        discovery,
        name: routeTableName(key, discovery),
        ...(switchedOn.length > 0 && { switchedOn }),
      };
    },
    equal: deepEqual,
  });

  return { routeTables, virtualHostsOf, clusterUses, tableFeatures };
}

/** Stands among names of extension filters, none of which is so short. */
const cors = "cors";

const featuresOf = (route: VirtualHost["routes"][number]): readonly string[] => [
  ...route.extensions.map(({ filter }) => filter),
  ...(route.cors === undefined ? [] : [cors]),
];

const featureKey = (routeTable: string, feature: string): string => `${routeTable} ${feature}`;

function parseFeatureKey(key: string): { readonly routeTable: string; readonly feature: string } {
  const blank = key.indexOf(" ");
  return { routeTable: key.slice(0, blank), feature: key.slice(blank + 1) };
}

/** As the administrator orders them; those that are not named come after, in the order of their names. */
function inChainOrder(names: readonly string[], order: readonly string[]): readonly string[] {
  const named = order.filter((name) => names.includes(name));
  return [...named, ...names.filter((name) => !order.includes(name)).toSorted()];
}
