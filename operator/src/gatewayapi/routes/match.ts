import type {
  HTTPHeaderMatch,
  HTTPPathMatch,
  HTTPQueryParamMatch,
  HTTPRouteMatch,
} from "@gatewright/crd-types/gateway/v1";
import { maxRegexProgramSize, type PathMatch, type RouteMatch, type ValueMatch } from "../../ir/index.ts";
import { isHeaderValue, isToken, regexProblem } from "../../lib/index.ts";
import type { MatchRank } from "../views.ts";
import type { RuleReport } from "./report.ts";

/** Undefined: the match cannot be said to Envoy, `report` says why, and no request takes it. */
export function translateMatch(match: HTTPRouteMatch, field: string, report: RuleReport): RouteMatch | undefined {
  const { method } = match;
  const path = translatePath(match.path ?? {}, `${field}.path`, report);
  const headers = translateHeaders(match.headers ?? [], `${field}.headers`, report);
  const queryParams = translateQueryParams(match.queryParams ?? [], `${field}.queryParams`, report);
  const isKnown = method === undefined || methods.has(method);
  if (!isKnown) report.refuse(`${field}.method`, `${JSON.stringify(method)} is not supported`);
  if (path === undefined || headers === undefined || queryParams === undefined || !isKnown) return undefined;
  return { path, headers, queryParams, ...(method !== undefined && { method }) };
}

const methods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "CONNECT",
  "OPTIONS",
  "TRACE",
  "PATCH",
]);

/** Without the places of rule and match, which are not the match's to know. */
export const rankOf = ({ path, method, headers, queryParams }: RouteMatch): Omit<MatchRank, "rule" | "match"> => ({
  path: path.kind,
  pathLength: path.kind === "exact" ? 0 : path.value.length,
  hasMethod: method !== undefined,
  headerCount: headers.length,
  queryParamCount: queryParams.length,
});

/** Whether Envoy might refuse it for a reason that nobody can foresee. */
export const hasRegex = ({ path, headers, queryParams }: RouteMatch): boolean =>
  path.kind === "regex" || [...headers, ...queryParams].some(({ kind }) => kind === "regex");

function translatePath(
  { type = "PathPrefix", value = "/" }: HTTPPathMatch,
  field: string,
  report: RuleReport,
): PathMatch | undefined {
  switch (type) {
    case "Exact":
    case "PathPrefix": {
      const problem = pathProblem(value);
      if (problem !== undefined) {
        report.refuse(`${field}.value`, `${JSON.stringify(value)} ${problem}`);
        return undefined;
      }
      // A slash at the end of a prefix has no meaning.
      return type === "Exact" ? { kind: "exact", value } : { kind: "prefix", value: value.replace(/(?<=.)\/$/, "") };
    }
    case "RegularExpression": {
      const problem = regexProblem(value, maxRegexProgramSize);
      if (problem === undefined) return { kind: "regex", value };
      report.refuse(`${field}.value`, problem);
      return undefined;
    }
    default:
      report.refuse(`${field}.type`, `${JSON.stringify(type)} is not supported`);
      return undefined;
  }
}

/** What the API server would refuse in an exact path or a prefix. */
function pathProblem(value: string): string | undefined {
  if (!value.startsWith("/")) return "does not start with a slash";
  if (value.length > 1024) return "is longer than 1024 characters";
  if (value.includes("//")) return "has consecutive slashes";
  if (/\/\.\.?(\/|$)/.test(value)) return "has a segment of dots";
  if (/%2f/i.test(value)) return "has an encoded slash";
  if (!/^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9a-fA-F]{2})+$/.test(value))
    return "has characters that a path cannot have";
  return undefined;
}

/** Of equivalent names the first counts and the others are ignored: so says the API. */
function translateHeaders(
  matches: readonly HTTPHeaderMatch[],
  field: string,
  report: RuleReport,
): readonly ValueMatch[] | undefined {
  const byName = new Map<string, ValueMatch | undefined>();
  for (const [index, match] of matches.entries()) {
    const name = match.name.toLowerCase();
    if (byName.has(name)) continue;
    const isName = isToken(name);
    if (!isName) report.refuse(`${field}[${index}].name`, `${JSON.stringify(match.name)} is not the name of a header`);
    const value = translateValue(match, name, `${field}[${index}]`, report);
    byName.set(name, isName ? value : undefined);
  }
  return complete(byName.values());
}

function translateQueryParams(
  matches: readonly HTTPQueryParamMatch[],
  field: string,
  report: RuleReport,
): readonly ValueMatch[] | undefined {
  const byName = new Map<string, ValueMatch | undefined>();
  for (const [index, match] of matches.entries()) {
    const { name } = match;
    if (byName.has(name)) continue;
    const isName = isToken(name);
    if (!isName) report.refuse(`${field}[${index}].name`, `${JSON.stringify(name)} is not the name of a parameter`);
    const value = translateValue(match, name, `${field}[${index}]`, report);
    byName.set(name, isName ? value : undefined);
  }
  return complete(byName.values());
}

/** All of them, or undefined where one is missing: a match with a condition left out would take too many requests. */
function complete(values: Iterable<ValueMatch | undefined>): readonly ValueMatch[] | undefined {
  const all: ValueMatch[] = [];
  for (const value of values) {
    if (value === undefined) return undefined;
    all.push(value);
  }
  return all;
}

function translateValue(
  { type = "Exact", value }: HTTPHeaderMatch | HTTPQueryParamMatch,
  name: string,
  field: string,
  report: RuleReport,
): ValueMatch | undefined {
  switch (type) {
    case "Exact":
      if (value !== "" && isHeaderValue(value)) return { name, kind: "exact", value };
      report.refuse(`${field}.value`, value === "" ? "is empty" : "has control characters");
      return undefined;
    case "RegularExpression": {
      const problem = regexProblem(value, maxRegexProgramSize);
      if (problem === undefined) return { name, kind: "regex", value };
      report.refuse(`${field}.value`, problem);
      return undefined;
    }
    default:
      report.refuse(`${field}.type`, `${JSON.stringify(type)} is not supported`);
      return undefined;
  }
}
