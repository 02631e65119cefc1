import {
  ListenerConditionConflicted,
  ListenerConditionOverlappingTLSConfig,
  ListenerConditionProgrammed,
  ListenerReasonInvalid,
  ListenerReasonOverlappingHostnames,
  ListenerReasonPending,
  ListenerReasonProgrammed,
} from "@gatewright/crd-types/gateway/v1";
import { isFalse, isTrue, observedAt } from "../conditions.ts";
import { isServing } from "../gateway/listener-view.ts";
import type { Placement, ProxyState } from "../inputs.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition, ListenerView } from "../views.ts";

/** What the rest of the world says of the listeners of a Gateway or ListenerSet. */
export type ListenerSurroundings = {
  readonly placement: Placement | undefined;
  readonly state: ProxyState | undefined;
  /** Envoy's words where it refused what serves a listener. */
  readonly refusal: (listener: ListenerView) => string | undefined;
  /** By the listener's name. */
  readonly attachedRoutes: (listener: string) => number;
  /** Names of listeners with hosts in common. */
  readonly overlaps: (listener: ListenerView) => readonly string[];
};

/** The API keeps no more. */
const maxListeners = 64;

/** The entries of `status.listeners`. */
export const listenerStatuses = (
  listeners: readonly ListenerView[],
  generation: number,
  around: ListenerSurroundings,
): readonly Readonly<Record<string, unknown>>[] =>
  listeners.slice(0, maxListeners).map((listener) => ({
    name: listener.name,
    supportedKinds: listener.supportedKinds,
    attachedRoutes: around.attachedRoutes(listener.name),
    conditions: observedAt(generation, [
      ...listener.conditions,
      ...overlapping(around.overlaps(listener)),
      programmedCondition(listener, around),
    ]),
  }));

/** It must not be there when it is false. */
const overlapping = (names: readonly string[]): readonly DesiredCondition[] =>
  names.length === 0
    ? []
    : [
        isTrue(
          ListenerConditionOverlappingTLSConfig,
          ListenerReasonOverlappingHostnames,
          `has hosts in common with ${listed(names)}`,
        ),
      ];

function programmedCondition(
  listener: ListenerView,
  { placement, state, refusal }: ListenerSurroundings,
): DesiredCondition {
  const { conditions } = listener;
  const isNot = (reason: string, message: string) => isFalse(ListenerConditionProgrammed, { reason, message });
  const conflict = conditions.find(({ type, status }) => type === ListenerConditionConflicted && status === "True");
  if (conflict !== undefined) return isNot(conflict.reason, conflict.message);
  if (!isServing(listener)) {
    const reasons = conditions.filter(({ status, message }) => status === "False" && message !== "");
    return isNot(ListenerReasonInvalid, reasons[0]?.message ?? "the Gateway is not accepted");
  }
  const words = refusal(listener);
  if (words !== undefined) return isNot(ListenerReasonInvalid, refusedWords(words));
  if (placement === undefined) return isNot(ListenerReasonPending, noAddress);
  if (state?.kind !== "ready") return isNot(ListenerReasonPending, pendingWords(state));
  return isTrue(ListenerConditionProgrammed, ListenerReasonProgrammed);
}

export const noAddress = "no address is assigned yet";

const refusedWords = (words: string): string => `Envoy refused the configuration: ${words}`;

/** What Envoy said of the ports of these listeners, undefined where it took them all. */
export function refusedPorts(
  listeners: readonly ListenerView[],
  refusal: ListenerSurroundings["refusal"],
): string | undefined {
  const refused = listeners.flatMap((listener) => {
    const words = refusal(listener);
    return words === undefined ? [] : [`port ${listener.port}: ${refusedWords(words)}`];
  });
  return refused.length === 0 ? undefined : listed([...new Set(refused)], "; ");
}

export const pendingWords = (state: ProxyState | undefined): string =>
  state?.kind === "pending" ? state.message : "waiting for Envoy";
