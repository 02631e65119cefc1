import {
  type RouteStatus,
  RouteConditionAccepted,
  RouteConditionPartiallyInvalid,
  RouteConditionResolvedRefs,
  RouteReasonResolvedRefs,
} from "@gatewright/crd-types/gateway/v1";
import { formatOrigin } from "../../ir/index.ts";
import type { Table } from "../../lib/index.ts";
import { isFalse, isTrue } from "../conditions.ts";
import type { AttachmentView, DesiredCondition, ParentView, RulesView } from "../views.ts";

/** The conditions of a route for one of its parents. */
export type ParentConditions = ParentView & { readonly conditions: readonly DesiredCondition[] };

/** The API keeps no more. */
const maxParents = 32;

/** Puts together what the listeners and what the rules say of a route. */
export function parentConditions(
  { parents }: AttachmentView,
  rules: RulesView | undefined,
): readonly ParentConditions[] {
  return parents
    .slice(0, maxParents)
    .map((parent) => ({ ...parent, conditions: conditionsOf(parent.accepted, rules) }));
}

/** A route to a cluster that Envoy does not have is as good as one to no backend: its requests are answered 503. */
export function withRefusedClusters(rules: RulesView, refused: Table<string> | undefined): RulesView {
  if (refused === undefined || rules.resolvedRefs.kind !== "ok") return rules;
  const clusters = [...rules.clusters, ...(rules.weighted === undefined ? [] : [rules.weighted.cluster])];
  for (const { name, origin } of clusters) {
    const words = refused.get(name);
    if (words === undefined) continue;
    const message = `Envoy refuses what leads to ${formatOrigin(origin)}: ${words}`;
    return { ...rules, resolvedRefs: { kind: "problem", reason: "RefusedByEnvoy", message } };
  }
  return rules;
}

function conditionsOf(attached: DesiredCondition, rules: RulesView | undefined): readonly DesiredCondition[] {
  const { resolvedRefs = { kind: "ok" }, accepted = { kind: "ok" } } = rules ?? {};
  const resolved =
    resolvedRefs.kind === "ok"
      ? isTrue(RouteConditionResolvedRefs, RouteReasonResolvedRefs)
      : isFalse(RouteConditionResolvedRefs, resolvedRefs);
  if (attached.status !== "True") return [attached, resolved];
  if (accepted.kind === "problem") return [isFalse(RouteConditionAccepted, accepted), resolved];
  // It must be there only for a route that is accepted, and begin like this.
  return accepted.kind === "partial"
    ? [attached, resolved, isTrue(RouteConditionPartiallyInvalid, accepted.reason, droppedRule(accepted.message))]
    : [attached, resolved];
}

const droppedPrefix = "Dropped Rule";

const droppedRule = (message: string): string =>
  message.startsWith(droppedPrefix) ? message : `${droppedPrefix}: ${message}`;

export const isAccepted = ({ conditions }: ParentConditions): boolean =>
  conditions.some(({ type, status }) => type === RouteConditionAccepted && status === "True");

/** Whether the route's status still has entries of ours. */
export const hasEntriesOf = (controllerName: string, { status }: { readonly status?: RouteStatus }): boolean =>
  status?.parents.some((parent) => parent.controllerName === controllerName) === true;
