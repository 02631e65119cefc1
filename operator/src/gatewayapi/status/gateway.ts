import {
  type Gateway,
  GatewayConditionAccepted,
  GatewayConditionProgrammed,
  GatewayReasonAddressNotAssigned,
  GatewayReasonInvalid,
  GatewayReasonPending,
  GatewayReasonProgrammed,
  ListenerConditionProgrammed,
  ListenerReasonInvalid,
  ListenerReasonPending,
  ListenerReasonProgrammed,
} from "@gatewright/crd-types/gateway/v1";
import { isFalse, isTrue, observedAt, type Problem } from "../conditions.ts";
import { addressOutcome } from "../gateway/index.ts";
import type { Placement, ProxyState } from "../inputs.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition, GatewayView, ListenerView } from "../views.ts";

/** What the rest of the world says of a Gateway. */
export type GatewaySurroundings = {
  readonly placement: Placement | undefined;
  readonly state: ProxyState | undefined;
  /** Envoy's words where it refused what listens on a port of this very Gateway. */
  readonly refusal: (port: number) => string | undefined;
  readonly attachedRoutes: (listener: string) => number;
};

/** The API keeps no more. */
const maxAddresses = 16;
const maxListeners = 64;

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
    listeners: view.listeners.slice(0, maxListeners).map((listener) => listenerStatus(listener, view, around)),
  };
}

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
  if (placement === undefined) return isNot(GatewayReasonAddressNotAssigned, "no address is assigned yet");
  const ports = new Set(serving.map(({ port }) => port));
  const refused = [...ports].flatMap((port) => {
    const words = refusal(port);
    return words === undefined ? [] : [`port ${port}: ${refusedWords(words)}`];
  });
  if (refused.length > 0) return isNot(GatewayReasonInvalid, listed(refused, "; "));
  if (addressProblem !== undefined) return isFalse(GatewayConditionProgrammed, addressProblem);
  if (state?.kind !== "ready") return isNot(GatewayReasonPending, pendingWords(state));
  return isTrue(GatewayConditionProgrammed, GatewayReasonProgrammed);
}

function listenerStatus(listener: ListenerView, { generation }: GatewayView, around: GatewaySurroundings) {
  return {
    name: listener.name,
    supportedKinds: listener.supportedKinds,
    attachedRoutes: around.attachedRoutes(listener.name),
    conditions: observedAt(generation, [...listener.conditions, listenerProgrammed(listener, around)]),
  };
}

function listenerProgrammed(
  { programmable, port, conditions }: ListenerView,
  { placement, state, refusal }: GatewaySurroundings,
): DesiredCondition {
  const isNot = (reason: string, message: string) => isFalse(ListenerConditionProgrammed, { reason, message });
  if (!programmable) {
    const reasons = conditions.filter(({ status, message }) => status === "False" && message !== "");
    return isNot(ListenerReasonInvalid, reasons[0]?.message ?? "the Gateway is not accepted");
  }
  const words = refusal(port);
  if (words !== undefined) return isNot(ListenerReasonInvalid, refusedWords(words));
  if (placement === undefined) return isNot(ListenerReasonPending, "no address is assigned yet");
  if (state?.kind !== "ready") return isNot(ListenerReasonPending, pendingWords(state));
  return isTrue(ListenerConditionProgrammed, ListenerReasonProgrammed);
}

const refusedWords = (words: string): string => `Envoy refused the configuration: ${words}`;

const pendingWords = (state: ProxyState | undefined): string =>
  state?.kind === "pending" ? state.message : "waiting for Envoy";
