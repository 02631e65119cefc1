import {
  ListenerSetConditionProgrammed,
  ListenerSetReasonInvalid,
  ListenerSetReasonParentNotAccepted,
  ListenerSetReasonPending,
  ListenerSetReasonProgrammed,
} from "@gatewright/crd-types/gateway/v1";
import { isFalse, isTrue, observedAt } from "../conditions.ts";
import { isServing } from "../gateway/listener-view.ts";
import type { DesiredCondition, ListenerSetView } from "../views.ts";
import { listenerStatuses, type ListenerSurroundings, noAddress, pendingWords, refusedPorts } from "./listener.ts";

/** Written in the API's documentation of the condition, where it is no constant. */
const parentNotProgrammed = "ParentNotProgrammed";

export const listenerSetStatus = (
  view: ListenerSetView,
  around: ListenerSurroundings,
): Readonly<Record<string, unknown>> => ({
  conditions: observedAt(view.generation, [view.accepted, programmedCondition(view, around)]),
  listeners: listenerStatuses(view.listeners, view.generation, around),
});

function programmedCondition(
  { accepted, listeners }: ListenerSetView,
  { placement, state, refusal }: ListenerSurroundings,
): DesiredCondition {
  const isNot = (reason: string, message: string) => isFalse(ListenerSetConditionProgrammed, { reason, message });
  if (accepted.status !== "True") {
    const isParents = accepted.reason === ListenerSetReasonParentNotAccepted;
    return isNot(isParents ? parentNotProgrammed : accepted.reason, accepted.message);
  }
  if (placement === undefined) return isNot(parentNotProgrammed, noAddress);
  const refused = refusedPorts(listeners.filter(isServing), refusal);
  if (refused !== undefined) return isNot(ListenerSetReasonInvalid, refused);
  if (state?.kind !== "ready") return isNot(ListenerSetReasonPending, pendingWords(state));
  return isTrue(ListenerSetConditionProgrammed, ListenerSetReasonProgrammed);
}
