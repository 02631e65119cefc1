import type { HTTPRouteMatch, HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import type { Origin, Route, RouteAction } from "../../ir/index.ts";
import type { RankedRoute } from "../views.ts";
import { type Filters, translateFilters } from "./filters.ts";
import { translateForward } from "./forward.ts";
import { grpcRank } from "./grpc.ts";
import { type HttpRouteKind, unavailableTo } from "./unavailable.ts";
import { hasRegex, rankOf, translateMatch } from "./match.ts";
import type { References } from "./references.ts";
import { createRuleReport, type RuleReport } from "./report.ts";

/** Where a rule stands. */
export type RulePlace = {
  readonly kind: HttpRouteKind;
  readonly namespace: string;
  readonly route: string;
  readonly index: number;
};

export type TranslatedRule = Pick<RuleReport, "invalid" | "unresolved"> & { readonly routes: readonly RankedRoute[] };

/** Every path: what a rule without matches says. */
const matchAll: HTTPRouteMatch = {};

const matchesOf = ({ matches = [] }: HTTPRouteRule): readonly HTTPRouteMatch[] =>
  matches.length === 0 ? [matchAll] : matches;

/** A rule that cannot be taken, or an extension that is not there, must not let requests by: what matches is answered 500. */
export function translateRule(rule: HTTPRouteRule, place: RulePlace, references: References): TranslatedRule {
  const report = createRuleReport(place.index);
  const matches = matchesOf(rule);
  const unavailable = unavailableTo(place.kind);
  const context = { matches, references, report, unavailable };
  const filters = translateFilters(rule.filters ?? [], "filters", { ...context, level: "rule" });
  if (filters.redirect !== undefined && (rule.backendRefs ?? []).length > 0)
    report.refuse("filters", "RequestRedirect cannot stand beside backendRefs");
  // Translated for a redirect as well, for what it says of timeouts and retries.
  const forward = translateForward(rule, filters, context);
  const translated = matches.map((match, index) => translateMatch(match, `matches[${index}]`, report));

  const fails = report.invalid.length > 0 || filters.blocked;
  const treatment = fails ? { action: unavailable, extensions: [] } : treat(filters, filters.redirect ?? forward);
  const routes = translated.flatMap((match, index): readonly RankedRoute[] =>
    match === undefined ? [] : [rankedRoute(match, index, rule, place, treatment)],
  );
  return { invalid: report.invalid, unresolved: report.unresolved, routes };
}

/**
 * A rule of a route that Envoy refused. Regular expressions are where Envoy's word is the last one: matches with them are
 * left out, lest the refused one stay.
 */
export function failRule(rule: HTTPRouteRule, place: RulePlace): readonly RankedRoute[] {
  const report = createRuleReport(place.index);
  return matchesOf(rule).flatMap((stated, index): readonly RankedRoute[] => {
    const match = translateMatch(stated, `matches[${index}]`, report);
    if (match === undefined || hasRegex(match)) return [];
    return [rankedRoute(match, index, rule, place, { action: unavailableTo(place.kind), extensions: [] })];
  });
}

type Treatment = Pick<Route, "action" | "extensions" | "requestHeaders" | "responseHeaders" | "cors">;

const treat = ({ requestHeaders, responseHeaders, cors, extensions }: Filters, action: RouteAction): Treatment => ({
  action,
  extensions,
  ...(requestHeaders !== undefined && { requestHeaders }),
  ...(responseHeaders !== undefined && { responseHeaders }),
  ...(cors !== undefined && { cors }),
});

function rankedRoute(
  match: Route["match"],
  index: number,
  rule: HTTPRouteRule,
  place: RulePlace,
  treatment: Treatment,
): RankedRoute {
  const { kind, namespace, route } = place;
  const origin: Origin = { kind, namespace, name: route, field: `spec.rules[${place.index}]` };
  return {
    route: { name: `${namespace}/${route}/${rule.name ?? place.index}/${index}`, origin, match, ...treatment },
    rank: { ...rankOf(match), ...(kind === "GRPCRoute" && grpcRank(match.path)), rule: place.index, match: index },
  };
}
