import type { HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import type { ObjectMeta } from "@gatewright/crd-types/meta/v1";
import type { Problem } from "../conditions.ts";
import { createdAt } from "../created-at.ts";
import { listed } from "../messages.ts";
import type { Outcome, RulesView } from "../views.ts";
import { clusterNamesOf } from "./clusters-of.ts";
import type { References } from "./references.ts";
import type { RouteObject } from "../route-objects.ts";
import { httpRulesOf } from "./grpc.ts";
import type { HttpRouteKind } from "./unavailable.ts";
import { failRule, type TranslatedRule, translateRule } from "./rule.ts";

/** What the API server puts where a route has no rules. */
const defaultRules: readonly HTTPRouteRule[] = [{}];

/** A route of either kind, its rules as those of HTTP. */
export type RuledRoute = {
  readonly kind: HttpRouteKind;
  readonly metadata: ObjectMeta;
  readonly rules: readonly HTTPRouteRule[] | undefined;
};

type HttpRouteObject = Extract<RouteObject, { kind: HttpRouteKind }>;

export const isRuled = (route: RouteObject): route is HttpRouteObject =>
  route.kind === "HTTPRoute" || route.kind === "GRPCRoute";

export const ruledRoute = (route: HttpRouteObject): RuledRoute => ({
  kind: route.kind,
  metadata: route.object.metadata,
  rules: route.kind === "GRPCRoute" ? httpRulesOf(route.object) : route.object.spec.rules,
});

export function translateRules(route: RuledRoute, references: References): RulesView {
  const { kind } = route;
  const { namespace = "", name = "" } = route.metadata;
  const rules = route.rules ?? defaultRules;
  const translated = rules.map((rule, index) =>
    translateRule(rule, { kind, namespace, route: name, index }, references),
  );
  const routes = translated.flatMap((rule) => rule.routes.map((ranked) => ranked.route));
  const clusterNames = new Set(routes.flatMap(clusterNamesOf));
  const extensions = new Set(routes.flatMap((each) => each.extensions.map(({ filter }) => filter)));
  return {
    createdAt: createdAt(route),
    rules: rules.map((rule, index) => ruleView(rule, translated[index]?.routes ?? [])),
    clusters: [...clusterNames].flatMap((cluster) => references.cluster(cluster) ?? []),
    ...verdictOf(translated),
    extensions: [...extensions],
  };
}

/** The rules of a route that Envoy refused: its hosts stay its own, and every request that it would take is answered 500. */
export function failRules(route: RuledRoute, refusal: string): RulesView {
  const { kind } = route;
  const { namespace = "", name = "" } = route.metadata;
  return {
    createdAt: createdAt(route),
    rules: (route.rules ?? defaultRules).map((rule, index) =>
      ruleView(rule, failRule(rule, { kind, namespace, route: name, index })),
    ),
    clusters: [],
    resolvedRefs: { kind: "ok" },
    accepted: { kind: "problem", reason: "Rejected", message: `Envoy refused the configuration: ${refusal}` },
    extensions: [],
  };
}

const ruleView = ({ name }: HTTPRouteRule, routes: TranslatedRule["routes"]): RulesView["rules"][number] => ({
  ...(name !== undefined && { name }),
  routes,
});

/** What the conditions say of the rules. */
export function verdictOf(rules: readonly TranslatedRule[]): Pick<RulesView, "resolvedRefs" | "accepted" | "problems"> {
  const problems = rules.flatMap(({ invalid, unresolved }) => [...invalid, ...unresolved]);
  return {
    resolvedRefs: resolvedRefs(rules),
    accepted: accepted(rules),
    ...(problems.length > 0 && { problems }),
  };
}

function resolvedRefs(rules: readonly TranslatedRule[]): Outcome {
  const problems = rules.flatMap(({ unresolved }) => unresolved);
  const [first] = problems;
  return first === undefined ? { kind: "ok" } : { kind: "problem", reason: first.reason, message: messages(problems) };
}

function accepted(rules: readonly TranslatedRule[]): RulesView["accepted"] {
  const dropped = [...rules.entries()].filter(([, { invalid }]) => invalid.length > 0);
  const problems = dropped.flatMap(([, { invalid }]) => invalid);
  const [first] = problems;
  if (first === undefined) return { kind: "ok" };
  const { reason } = first;
  if (dropped.length === rules.length) return { kind: "problem", reason, message: messages(problems) };
  // The API wants a message of partial invalidity to begin with these words.
  const which = `Dropped Rule${dropped.length > 1 ? "s" : ""} ${dropped.map(([index]) => index).join(", ")}`;
  return { kind: "partial", reason, message: `${which}, answering 500 instead: ${messages(problems)}` };
}

const messages = (problems: readonly Problem[]): string =>
  listed(
    problems.map(({ message }) => message),
    "; ",
  );
