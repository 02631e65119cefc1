import {
  parseRouteTableKey,
  parseVirtualHostKey,
  type Route,
  type VirtualHost,
  virtualHostKey,
} from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { compareSpecificity } from "../attach/hostnames.ts";
import { parseRouteKey } from "../route-objects.ts";
import type { AttachmentView, GatewaySide, RulesView } from "../views.ts";
import { presentingRoute } from "./client-certificate.ts";
import { type Contender, inOrder } from "./precedence.ts";
import { type ListenerFacts, settleRedirect } from "./redirect.ts";

/**
 * By `virtualHostKey`: the routes of one host in one route table, of whichever objects, in order of precedence. `live` has the
 * keys of the route tables that are served.
 */
export function createVirtualHosts(
  graph: Graph,
  gatewaySide: Pick<GatewaySide, "attachments" | "clientCertificates" | "reservedHosts" | "misdirectedHosts">,
  live: Table<unknown>,
  rules: Table<RulesView>,
): Table<VirtualHost> {
  const { attachments, clientCertificates, reservedHosts, misdirectedHosts } = gatewaySide;
  const routesOf = graph.index("routesOfHost", attachments, hostKeysOf);

  function contendersOf(routeKey: string, routeTable: string, host: string): readonly Contender[] {
    const view = rules.get(routeKey);
    const attachment = attachments.get(routeKey);
    if (view === undefined || attachment === undefined) return [];
    const statedHost = mostSpecific(attachment, routeTable, host);
    const { createdAt } = view;
    return view.rules.flatMap(({ routes }) =>
      routes.map(({ route, rank }) => ({ route, rank, statedHost, createdAt, key: parseRouteKey(routeKey).key })),
    );
  }

  return graph.derive<VirtualHost>("virtualHosts", {
    keysOf: [routesOf, reservedHosts, misdirectedHosts],
    compute: (key) => {
      const { routeTable, host } = parseVirtualHostKey(key);
      if (live.get(routeTable) === undefined) return undefined;
      const { proxy, port, httpsListener } = parseRouteTableKey(routeTable);
      const place = { proxy, routeTable, host };
      if (misdirectedHosts.get(key) !== undefined) return { ...place, routes: [misdirected(proxy)] };
      const listener: ListenerFacts = { port, scheme: httpsListener === undefined ? "http" : "https" };
      const contenders = [...(routesOf.get(key) ?? [])].flatMap((routeKey) => contendersOf(routeKey, routeTable, host));
      const certificate = clientCertificates.get(proxy);
      const settle = (route: Route) => presentingRoute(settleRedirect(route, listener, host), certificate);
      return { ...place, routes: inOrder(contenders).map(settle) };
    },
    equal: deepEqual,
  });
}

function* hostKeysOf({ parents }: AttachmentView): Generator<string> {
  for (const { listeners } of parents)
    for (const { routeTable, hosts } of listeners) for (const host of hosts) yield virtualHostKey(routeTable, host);
}

/** Of the hostnames that brought a route to a virtual host, the one that counts. Asked for every route of a host: no lists. */
function mostSpecific({ parents }: AttachmentView, routeTable: string, host: string): string {
  let found: string | undefined;
  for (const { listeners } of parents)
    for (const listener of listeners) {
      if (listener.routeTable !== routeTable) continue;
      const stated = listener.statedHosts[listener.hosts.indexOf(host)];
      if (stated !== undefined && (found === undefined || compareSpecificity(stated, found) < 0)) found = stated;
    }
  return found ?? host;
}

/** The client has come over a connection that another listener of the port should have taken. */
function misdirected(proxy: string): Route {
  const [namespace = "", name = ""] = proxy.split("/");
  return {
    name: `${proxy}/misdirected`,
    origin: { kind: "Gateway", namespace, name },
    match: { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] },
    action: { kind: "respond", status: 421 },
    extensions: [],
  };
}
