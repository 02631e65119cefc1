import {
  HTTPProtocolType,
  HTTPSProtocolType,
  ListenerConditionAccepted,
  ListenerConditionConflicted,
  ListenerConditionOverlappingTLSConfig,
  ListenerConditionResolvedRefs,
  ListenerReasonAccepted,
  ListenerReasonNoConflicts,
  ListenerReasonOverlappingHostnames,
  ListenerReasonResolvedRefs,
  TCPProtocolType,
  TLSProtocolType,
  UDPProtocolType,
} from "@gatewright/crd-types/gateway/v1";
import { type ProxyKey, routeTableKey } from "../../ir/index.ts";
import { anyHost } from "../attach/index.ts";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition, ListenerView } from "../views.ts";
import type { CheckedListener } from "./listener.ts";

/** What a listener's siblings and the rest of the Gateway mean for it. */
export type Surroundings = {
  readonly proxy: ProxyKey;
  readonly conflict: Problem | undefined;
  /** Why its port cannot be bound. */
  readonly portProblem: Problem | undefined;
  /** Listeners with hosts in common. */
  readonly overlaps: readonly string[];
  /** Whether the Gateway is served at all. */
  readonly gatewayServes: boolean;
};

export function viewListener(checked: CheckedListener, around: Surroundings): ListenerView {
  const { name, port, protocol, hostname, certificates, clients, supportedKinds, allowedNamespaces } = checked;
  const refusal = checked.refusal ?? around.conflict ?? around.portProblem;
  const routeTable = routeTableOf(around.proxy, checked);
  return {
    name,
    port,
    protocol,
    ...(hostname !== anyHost && { hostname }),
    accepted: refusal === undefined,
    programmable: around.gatewayServes && refusal === undefined && checked.serves,
    ...(checked.passthrough && { passthrough: true }),
    certificates,
    ...(clients && { clients }),
    supportedKinds,
    allowedNamespaces,
    ...(routeTable !== undefined && { routeTable }),
    conditions: conditionsOf(checked, around, refusal),
  };
}

/** Each listener of these has routes of its own, chosen by SNI or by the port alone. */
const ownTable: ReadonlySet<string> = new Set([HTTPSProtocolType, TLSProtocolType, TCPProtocolType, UDPProtocolType]);

function routeTableOf(proxy: ProxyKey, { name, port, protocol }: CheckedListener): string | undefined {
  if (protocol === HTTPProtocolType) return routeTableKey(proxy, port);
  return ownTable.has(protocol) ? routeTableKey(proxy, port, name) : undefined;
}

function conditionsOf(
  { unresolved, warnings }: CheckedListener,
  { conflict, overlaps }: Surroundings,
  refusal: Problem | undefined,
): readonly DesiredCondition[] {
  const conditions = [
    refusal === undefined
      ? isTrue(ListenerConditionAccepted, ListenerReasonAccepted)
      : isFalse(ListenerConditionAccepted, refusal),
    conflict === undefined
      ? isFalse(ListenerConditionConflicted, { reason: ListenerReasonNoConflicts, message: "" })
      : isTrue(ListenerConditionConflicted, conflict.reason, conflict.message),
    unresolved === undefined
      ? isTrue(ListenerConditionResolvedRefs, ListenerReasonResolvedRefs, listed(warnings, "; "))
      : isFalse(ListenerConditionResolvedRefs, unresolved),
  ];
  // It must not be there when it is false.
  if (overlaps.length > 0)
    conditions.push(
      isTrue(
        ListenerConditionOverlappingTLSConfig,
        ListenerReasonOverlappingHostnames,
        `has hosts in common with ${listed(overlaps)}`,
      ),
    );
  return conditions;
}
