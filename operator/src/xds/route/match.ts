import type {
  HeaderMatcherSchema,
  QueryParameterMatcherSchema,
  RouteMatchSchema,
} from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import type { StringMatcherSchema } from "@gatewright/crd-types/proto/envoy/type/matcher/v3/string_pb";
import { maxRegexProgramSize, type PathMatch, type RouteMatch, type ValueMatch } from "../../ir/index.ts";
import { regexProblem } from "../../lib/index.ts";
import type { ProblemDetail } from "../resource.ts";
import type { Init } from "../init.ts";

type MatchInit = Init<typeof RouteMatchSchema>;
type HeaderInit = Init<typeof HeaderMatcherSchema>;

export function buildMatch({ path, method, headers, queryParams }: RouteMatch): MatchInit {
  const matchers = headers.map(headerMatch);
  if (method !== undefined) matchers.unshift(headerMatch({ name: ":method", kind: "exact", value: method }));
  return { pathSpecifier: pathMatch(path), headers: matchers, queryParameters: queryParams.map(queryParamMatch) };
}

/**
 * What a browser asks before a request that `match` takes. It comes with another method and without the request's headers,
 * so a route that asks for either would never see it, and CORS on that route would never work.
 * https://fetch.spec.whatwg.org/#cors-preflight-request
 */
export function buildPreflightMatch({ path, method, queryParams }: RouteMatch): MatchInit {
  const asked = method === undefined ? present : exact(method);
  return {
    ...buildMatch({ path, method: "OPTIONS", headers: [], queryParams }),
    headers: [
      headerMatch({ name: ":method", kind: "exact", value: "OPTIONS" }),
      { name: "origin", headerMatchSpecifier: present },
      { name: "access-control-request-method", headerMatchSpecifier: asked },
    ],
  };
}

/** Of what `match` takes, the preflights that ask for no headers. */
export const withoutAskedHeaders = (match: MatchInit): MatchInit => ({
  ...match,
  headers: [
    ...(match.headers ?? []),
    { name: "access-control-request-method", headerMatchSpecifier: present },
    { name: "access-control-request-headers", headerMatchSpecifier: present, invertMatch: true },
  ],
});

const present = { case: "presentMatch", value: true } as const;
const exact = (value: string) => ({ case: "stringMatch", value: { matchPattern: { case: "exact", value } } }) as const;

/** What is wrong with the expressions of a match: Envoy compiles them when it takes a route, its rules know nothing of them. */
export function matchViolations({ path, headers, queryParams }: RouteMatch): readonly ProblemDetail[] {
  const expressions = [path, ...headers, ...queryParams].filter(({ kind }) => kind === "regex");
  return expressions.flatMap(({ value }) => {
    const message = regexProblem(value, maxRegexProgramSize);
    return message === undefined ? [] : [{ path: "match", message }];
  });
}

function pathMatch(path: PathMatch): NonNullable<MatchInit["pathSpecifier"]> {
  switch (path.kind) {
    case "exact":
      return { case: "path", value: path.value };
    case "regex":
      return { case: "safeRegex", value: { regex: path.value } };
    case "prefix":
      // Envoy refuses a `path_separated_prefix` of `/`, which means every path.
      return path.value === "/" ? { case: "prefix", value: "/" } : { case: "pathSeparatedPrefix", value: path.value };
  }
}

const headerMatch = (match: ValueMatch): HeaderInit => ({
  name: match.name,
  headerMatchSpecifier: { case: "stringMatch", value: valueMatch(match) },
});

const queryParamMatch = (match: ValueMatch): Init<typeof QueryParameterMatcherSchema> => ({
  name: match.name,
  queryParameterMatchSpecifier: { case: "stringMatch", value: valueMatch(match) },
});

function valueMatch({ kind, value }: ValueMatch): Init<typeof StringMatcherSchema> {
  return kind === "exact"
    ? { matchPattern: { case: "exact", value } }
    : { matchPattern: { case: "safeRegex", value: { regex: value } } };
}
