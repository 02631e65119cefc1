import type { HTTPRequestRedirectFilter, HTTPRouteMatch } from "@gatewright/crd-types/gateway/v1";
import type { RedirectAction, Route } from "../../ir/index.ts";
import { isPreciseHostname } from "./http-syntax.ts";
import { translatePathChange } from "./path-change.ts";
import type { RuleReport } from "./report.ts";

type Scheme = "http" | "https";

const defaultPorts: Readonly<Record<Scheme, number>> = { http: 80, https: 443 };

const isScheme = (text: string): text is Scheme => text === "http" || text === "https";

type Status = RedirectAction["status"];
const statuses: readonly Status[] = [301, 302, 303, 307, 308];

/** A redirect as its author states it: a port that is left out is settled by `settleRedirect`, once the listener is known. */
export function translateRedirect(
  filter: HTTPRequestRedirectFilter,
  matches: readonly HTTPRouteMatch[],
  field: string,
  report: RuleReport,
): RedirectAction {
  const { scheme, hostname, port, statusCode = 302 } = filter;
  const path = filter.path && translatePathChange(filter.path, matches, `${field}.path`, report);
  const status = statuses.find((known) => known === statusCode);
  if (status === undefined) report.refuse(`${field}.statusCode`, `${statusCode} is not supported`);
  if (scheme !== undefined && !isScheme(scheme))
    report.refuse(`${field}.scheme`, `${JSON.stringify(scheme)} is not supported`);
  if (hostname !== undefined && !isPreciseHostname(hostname))
    report.refuse(`${field}.hostname`, `${JSON.stringify(hostname)} is not a hostname without wildcard`);
  if (port !== undefined && !isPort(port)) report.refuse(`${field}.port`, `${port} is not a port`);
  return {
    kind: "redirect",
    ...(scheme !== undefined && { scheme }),
    ...(hostname !== undefined && { host: hostname }),
    ...(port !== undefined && { port }),
    ...(path !== undefined && { path }),
    status: status ?? 302,
  };
}

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

/** What a redirect takes from where it is served. */
export type ListenerFacts = { readonly port: number; readonly scheme: Scheme };

/**
 * Settles the port of a redirect by the rules of Gateway API: the stated one, else the default of a stated scheme, else the
 * listener's. A default port is left out of `Location`. Rules know no listener, so this comes last, for each virtual host.
 */
export function settleRedirect(route: Route, listener: ListenerFacts, host: string): Route {
  if (route.action.kind !== "redirect") return route;
  const { port: stated, ...rest } = route.action;
  const scheme = rest.scheme ?? listener.scheme;
  const port = stated ?? (rest.scheme === undefined ? listener.port : defaultPorts[rest.scheme]);
  if (port !== defaultPorts[scheme]) return { ...route, action: { ...rest, port } };
  if (rest.host !== undefined || listener.port === defaultPorts[listener.scheme])
    return stated === undefined ? route : { ...route, action: rest };
  // The request's `Host` states the listener's port, which Envoy would keep.
  const action = host.startsWith("*") ? { ...rest, port } : { ...rest, host };
  return { ...route, action };
}
