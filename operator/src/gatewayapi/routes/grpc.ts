import type {
  GRPCMethodMatch,
  GRPCRoute,
  GRPCRouteMatch,
  GRPCRouteRule,
  HTTPPathMatch,
  HTTPRouteMatch,
  HTTPRouteRule,
} from "@gatewright/crd-types/gateway/v1";
import type { PathMatch } from "../../ir/index.ts";
import type { MatchRank } from "../views.ts";

/**
 * gRPC's methods are paths of HTTP, `/package.Service/Method`; all else of a rule is the same for both kinds of routes.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export const httpRulesOf = ({ spec }: GRPCRoute): readonly HTTPRouteRule[] | undefined => spec.rules?.map(httpRule);

const httpRule = ({ matches, ...rest }: GRPCRouteRule): HTTPRouteRule => ({
  ...rest,
  ...(matches !== undefined && { matches: matches.map(httpMatch) }),
});

const httpMatch = ({ method, headers }: GRPCRouteMatch): HTTPRouteMatch => ({
  ...(method !== undefined && { path: pathOf(method) }),
  ...(headers !== undefined && { headers }),
});

const anyName = "[^/]+";

function pathOf({ type = "Exact", service, method }: GRPCMethodMatch): HTTPPathMatch {
  if (type === "RegularExpression") return { type: "RegularExpression", value: `/${group(service)}/${group(method)}` };
  if (service !== undefined && method !== undefined) return { type: "Exact", value: `/${service}/${method}` };
  if (service !== undefined) return { type: "PathPrefix", value: `/${service}` };
  if (method !== undefined) return { type: "RegularExpression", value: `/${anyName}/${escapeRegex(method)}` };
  return { type: "PathPrefix", value: "/" };
}

/** An alternative in the expression must not reach beyond its half of the path. */
const group = (expression: string | undefined): string => (expression === undefined ? anyName : `(?:${expression})`);

const escapeRegex = (text: string): string => text.replaceAll(/[^A-Za-z0-9_]/g, String.raw`\$&`);

/** More than any method's name has characters. */
const serviceUnit = 2048;

/** A service that is named more closely comes before a method that is. An exact service with its method stays first. */
export function grpcRank(path: PathMatch): Partial<Pick<MatchRank, "path" | "pathLength">> {
  if (path.kind === "exact" || path.value === "/") return {};
  const namesService = !path.value.startsWith(`/${anyName}/`);
  return { path: "prefix", pathLength: path.value.length * (namesService ? serviceUnit : 1) };
}
