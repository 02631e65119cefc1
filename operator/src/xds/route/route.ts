import { create } from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { RouteSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import type { HeaderChange, Route } from "../../ir/index.ts";
import { corsFilter, type NeutralConfig } from "../filters/index.ts";
import { type ProblemDetail, violationsOf } from "../resource.ts";
import { corsConfig, echoesHeaders } from "./cors.ts";
import { buildForward, changesByBackend } from "./forward.ts";
import { headerEdit, splitHost, untouchableHeader } from "./headers.ts";
import { buildMatch, buildPreflightMatch, matchViolations, withoutAskedHeaders } from "./match.ts";
import { buildRedirect } from "./redirect.ts";
import type { Init } from "../init.ts";

export type RouteInit = Init<typeof RouteSchema>;

/** What Envoy makes of one route: itself, and before it what is needed for its CORS. */
export function buildRoute(route: Route): readonly RouteInit[] {
  const request = headerEdit(changesByBackend(route.action) ? undefined : splitHost(route.requestHeaders).rest);
  const response = headerEdit(route.responseHeaders);
  const built: RouteInit = {
    name: route.name,
    match: buildMatch(route.match),
    action: buildAction(route),
    requestHeadersToAdd: [...request.add],
    requestHeadersToRemove: [...request.remove],
    responseHeadersToAdd: [...response.add],
    responseHeadersToRemove: [...response.remove],
    typedPerFilterConfig: filterConfigs(route),
  };
  const { cors } = route;
  if (cors === undefined) return [built];
  const needsOwn = needsPreflightRoute(route);
  const preflight = needsOwn ? buildPreflightMatch(route.match) : buildMatch(route.match);
  const routes = needsOwn ? [{ ...built, match: preflight }, built] : [built];
  if (!echoesHeaders(cors)) return routes;
  const silent = filterConfigs({ ...route, cors: { ...cors, allowHeaders: [] } });
  return [{ ...built, match: withoutAskedHeaders(preflight), typedPerFilterConfig: silent }, ...routes];
}

/**
 * A route that cannot be served as it is meant answers 500, and does not fall through to another one. Undefined: not even its
 * match can be said to Envoy.
 */
export function buildFailing({ name, match }: Route): RouteInit | undefined {
  const route: RouteInit = {
    name,
    match: buildMatch(match),
    action: { case: "directResponse", value: { status: 500 } },
  };
  const isSayable = matchViolations(match).length === 0 && routeViolations(route).length === 0;
  return isSayable ? route : undefined;
}

export const routeViolations = (route: RouteInit): readonly ProblemDetail[] =>
  violationsOf(RouteSchema, create(RouteSchema, route));

/** What Envoy checks in code, beyond the rules of the fields, and what it would pass over in silence. */
export function codeViolations(route: Route, neutral: NeutralConfig): readonly ProblemDetail[] {
  const headers = headerChanges(route).flatMap(([path, change]) => {
    const name = untouchableHeader(change);
    return name === undefined ? [] : [{ path, message: `Envoy does not let the header ${name} be changed` }];
  });
  // Without its chain entry a filter that was asked for, maybe to keep somebody out, would not act.
  const filters = route.extensions.filter(({ filter }) => neutral(filter) === undefined);
  return [
    ...matchViolations(route.match),
    ...headers,
    ...filters.map(({ filter }) => ({ path: "typed_per_filter_config", message: `the filter ${filter} is not known` })),
  ];
}

function headerChanges(route: Route): readonly (readonly [string, HeaderChange | undefined])[] {
  const { action } = route;
  const backends = action.kind === "forward" ? action.backends : [];
  return [route, ...backends].flatMap((of) => [
    ["request_headers", splitHost(of.requestHeaders).rest] as const,
    ["response_headers", of.responseHeaders] as const,
  ]);
}

function buildAction(route: Route): NonNullable<RouteInit["action"]> {
  const { action, match } = route;
  switch (action.kind) {
    case "forward":
      return { case: "route", value: buildForward(action, route) };
    case "redirect":
      return { case: "redirect", value: buildRedirect(action, match) };
    case "respond":
      return { case: "directResponse", value: { status: action.status } };
  }
}

const needsPreflightRoute = ({ match: { method, headers } }: Route) =>
  (method !== undefined && method !== "OPTIONS") || headers.length > 0;

function filterConfigs({ cors, extensions }: Route): { readonly [name: string]: Any } {
  const configs: { [name: string]: Any } = {};
  if (cors !== undefined) configs[corsFilter] = corsConfig(cors);
  // As it was checked, byte for byte. The first of two for the same filter stands.
  for (const { filter, config } of extensions) configs[filter] ??= create(AnySchema, config);
  return configs;
}
