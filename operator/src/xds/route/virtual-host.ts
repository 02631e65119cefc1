import { create } from "@bufbuild/protobuf";
import { VirtualHostSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { type Route, type VirtualHost, virtualHostName } from "../../ir/index.ts";
import type { NeutralConfig } from "../filters/index.ts";
import { type Build, encodeResource, type ProblemDetail, violationsOf, type XdsProblem } from "../resource.ts";
import { buildFailing, buildRoute, codeViolations, type RouteInit, routeViolations } from "./route.ts";

/** One host with all its routes. `tableName` is the name in Envoy of its route table. */
export function buildVirtualHost(host: VirtualHost, tableName: string, neutral: NeutralConfig): Build {
  // By VHDS hosts are known by the names of their resources, and are taken away by them.
  const name = virtualHostName(tableName, host.host);
  const about = { type: "virtualHost", resource: name, proxy: host.proxy } as const;
  const meant = buildRoutes(host.routes, about, (route) => ({
    routes: buildRoute(route),
    details: codeViolations(route, neutral),
  }));
  const message = assemble(name, host.host, meant.routes);
  // Rules are costly to check: all at once, and one by one only where that fails.
  if (violationsOf(VirtualHostSchema, message).length === 0) {
    return { encoded: encodeResource(VirtualHostSchema, message), problems: meant.problems };
  }
  const fitting = buildRoutes(host.routes, about, (route) => {
    const routes = buildRoute(route);
    return { routes, details: [...codeViolations(route, neutral), ...routes.flatMap(routeViolations)] };
  });
  const rest = assemble(name, host.host, fitting.routes);
  const violations = violationsOf(VirtualHostSchema, rest);
  if (violations.length === 0) return { encoded: encodeResource(VirtualHostSchema, rest), problems: fitting.problems };
  return { encoded: undefined, problems: [...fitting.problems, { ...about, effect: "left-out", violations }] };
}

const assemble = (name: string, host: string, routes: readonly RouteInit[]) =>
  create(VirtualHostSchema, { name, domains: [host], routes: [...routes] });

function buildRoutes(
  routes: readonly Route[],
  about: Pick<XdsProblem, "type" | "resource" | "proxy">,
  build: (route: Route) => { readonly routes: readonly RouteInit[]; readonly details: readonly ProblemDetail[] },
): { readonly routes: readonly RouteInit[]; readonly problems: readonly XdsProblem[] } {
  const problems: XdsProblem[] = [];
  const built = routes.flatMap((route) => {
    const { routes: good, details } = build(route);
    if (details.length === 0) return good;
    const failing = buildFailing(route);
    problems.push({
      ...about,
      origin: route.origin,
      effect: failing ? "answers-500" : "left-out",
      violations: details,
    });
    return failing ? [failing] : [];
  });
  return { routes: built, problems };
}
