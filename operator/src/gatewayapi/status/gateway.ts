import {
  type Gateway,
  GatewayConditionAccepted,
  GatewayConditionProgrammed,
  GatewayReasonAddressNotAssigned,
  GatewayReasonInvalid,
  GatewayReasonPending,
  GatewayReasonProgrammed,
} from "@gatewright/crd-types/gateway/v1";
import { isFalse, isTrue, observedAt } from "../conditions.ts";
import { type AddressOutcome, addressOutcome } from "../gateway/index.ts";
import type { DesiredCondition, GatewayView } from "../views.ts";
import { isServing } from "../gateway/listener-view.ts";
import { listenerStatuses, type ListenerSurroundings, noAddress, pendingWords, refusedPorts } from "./listener.ts";

/** What the rest of the world says of a Gateway. */
export type GatewaySurroundings = ListenerSurroundings & {
  /** How many ListenerSets are accepted. */
  readonly attachedListenerSets: number;
  /** Whether the API has `routability` of addresses. */
  readonly hasRoutability: boolean;
};

/** The API keeps no more. */
const maxAddresses = 16;

export function gatewayStatus(
  view: GatewayView,
  { spec }: Gateway,
  around: GatewaySurroundings,
): Readonly<Record<string, unknown>> {
  const hasPlace = view.served || view.waits === true;
  const outcome: AddressOutcome = hasPlace ? addressOutcome(spec, around.placement) : { addresses: [] };
  const conditions = [
    ...view.conditions,
    programmedCondition(view, around, outcome),
    ...(outcome.condition === undefined ? [] : [outcome.condition]),
  ];
  return {
    addresses: outcome.addresses
      .slice(0, maxAddresses)
      .map(({ routability, ...address }) => (around.hasRoutability ? { ...address, routability } : address)),
    conditions: observedAt(view.generation, conditions),
    listeners: listenerStatuses(view.listeners, view.generation, around),
    attachedListenerSets: around.attachedListenerSets,
  };
}

/** Of the Gateway's own listeners: ListenerSets speak for themselves. */
function programmedCondition(
  { conditions, listeners, served }: GatewayView,
  { placement, state, refusal }: GatewaySurroundings,
  { addresses, problem }: AddressOutcome,
): DesiredCondition {
  const isNot = (reason: string, message: string) => isFalse(GatewayConditionProgrammed, { reason, message });
  const accepted = conditions.find(({ type }) => type === GatewayConditionAccepted);
  if (!served || accepted?.status !== "True") return isNot(GatewayReasonInvalid, accepted?.message ?? "");
  const serving = listeners.filter(isServing);
  if (serving.length === 0) return isNot(GatewayReasonInvalid, accepted.message);
  if (placement === undefined) return isNot(GatewayReasonAddressNotAssigned, noAddress);
  const refused = refusedPorts(serving, refusal);
  if (refused !== undefined) return isNot(GatewayReasonInvalid, refused);
  if (problem !== undefined) return isFalse(GatewayConditionProgrammed, problem);
  // It is served all the same: whatever gives it an address looks for what answers behind it.
  if (addresses.length === 0)
    return isNot(
      GatewayReasonAddressNotAssigned,
      state?.kind === "pending" ? `${noAddress}; ${state.message}` : noAddress,
    );
  if (state?.kind !== "ready") return isNot(GatewayReasonPending, pendingWords(state));
  return isTrue(GatewayConditionProgrammed, GatewayReasonProgrammed);
}
