import {
  type Gateway,
  GatewayConditionAccepted,
  GatewayConditionProgrammed,
  GatewayReasonAddressNotAssigned,
  GatewayReasonInvalid,
  GatewayReasonPending,
  GatewayReasonProgrammed,
} from "@gatewright/crd-types/gateway/v1";
import { isFalse, isTrue, observedAt, type Problem } from "../conditions.ts";
import { addressOutcome } from "../gateway/index.ts";
import type { DesiredCondition, GatewayView } from "../views.ts";
import { listenerStatuses, type ListenerSurroundings, noAddress, pendingWords, refusedPorts } from "./listener.ts";

/** What the rest of the world says of a Gateway. */
export type GatewaySurroundings = ListenerSurroundings & {
  /** How many ListenerSets are accepted. */
  readonly attachedListenerSets: number;
};

/** The API keeps no more. */
const maxAddresses = 16;

export function gatewayStatus(
  view: GatewayView,
  { spec }: Gateway,
  around: GatewaySurroundings,
): Readonly<Record<string, unknown>> {
  const addresses = view.served ? addressOutcome(spec, around.placement) : undefined;
  const conditions = [
    ...view.conditions,
    programmedCondition(view, around, addresses?.problem),
    ...(addresses === undefined ? [] : [addresses.condition]),
  ];
  return {
    addresses: (view.served ? (around.placement?.addresses ?? []) : []).slice(0, maxAddresses),
    conditions: observedAt(view.generation, conditions),
    listeners: listenerStatuses(view.listeners, view.generation, around),
    attachedListenerSets: around.attachedListenerSets,
  };
}

/** Of the Gateway's own listeners: ListenerSets speak for themselves. */
function programmedCondition(
  { conditions, listeners, served }: GatewayView,
  { placement, state, refusal }: GatewaySurroundings,
  addressProblem: Problem | undefined,
): DesiredCondition {
  const isNot = (reason: string, message: string) => isFalse(GatewayConditionProgrammed, { reason, message });
  const accepted = conditions.find(({ type }) => type === GatewayConditionAccepted);
  if (!served || accepted?.status !== "True") return isNot(GatewayReasonInvalid, accepted?.message ?? "");
  const serving = listeners.filter(({ programmable }) => programmable);
  if (serving.length === 0) return isNot(GatewayReasonInvalid, accepted.message);
  if (placement === undefined) return isNot(GatewayReasonAddressNotAssigned, noAddress);
  const refused = refusedPorts(serving, refusal);
  if (refused !== undefined) return isNot(GatewayReasonInvalid, refused);
  if (addressProblem !== undefined) return isFalse(GatewayConditionProgrammed, addressProblem);
  // It is served all the same: whatever gives it an address looks for what answers behind it.
  if (placement.addresses.length === 0)
    return isNot(
      GatewayReasonAddressNotAssigned,
      state?.kind === "pending" ? `${noAddress}; ${state.message}` : noAddress,
    );
  if (state?.kind !== "ready") return isNot(GatewayReasonPending, pendingWords(state));
  return isTrue(GatewayConditionProgrammed, GatewayReasonProgrammed);
}
