import {
  HTTPProtocolType,
  HTTPSProtocolType,
  ListenerConditionAccepted,
  ListenerConditionConflicted,
  ListenerConditionResolvedRefs,
  ListenerReasonAccepted,
  ListenerReasonNoConflicts,
  ListenerReasonResolvedRefs,
  TCPProtocolType,
  TLSProtocolType,
  UDPProtocolType,
} from "@gatewright/crd-types/gateway/v1";
import { type ProxyKey, routeTableKey } from "../../ir/index.ts";
import { anyHost } from "../attach/index.ts";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import type { Placement } from "../inputs.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition, ListenerView } from "../views.ts";
import type { CheckedListener } from "./listener.ts";
import { portProblem } from "./listener-ports.ts";

/** What a listener's siblings and the rest of the Gateway mean for it. */
export type Surroundings = {
  readonly proxy: ProxyKey;
  readonly id: string;
  readonly conflict: Problem | undefined;
  readonly placement: Placement | undefined;
  /** Whether its Gateway or ListenerSet is served at all. */
  readonly serves: boolean;
};

export function viewListener(checked: CheckedListener, around: Surroundings): ListenerView {
  const { name, port, protocol, hostname, certificates, clients, filters, supportedKinds, allowedNamespaces } = checked;
  const unserved = checked.refusal ?? around.conflict ?? portProblem(port, around.placement);
  const refusal = unserved ?? filters.refusal;
  const routeTable = routeTableOf(around, checked);
  return {
    name,
    id: around.id,
    port,
    protocol,
    ...(hostname !== anyHost && { hostname }),
    accepted: refusal === undefined,
    programmable: around.serves && unserved === undefined && checked.serves,
    ...(filters.blocked && { blocked: true }),
    ...(filters.requests.length > 0 && { filters: filters.requests }),
    ...(checked.passthrough && { passthrough: true }),
    certificates,
    ...(clients && { clients }),
    supportedKinds,
    allowedNamespaces,
    ...(routeTable !== undefined && { routeTable }),
    conditions: conditionsOf(checked, around, refusal),
  };
}

/** Whether its routes can be reached, and not only its hosts are kept. */
export const isServing = ({ programmable, blocked }: ListenerView): boolean => programmable && blocked === undefined;

/** Each listener of these has routes of its own, chosen by SNI or by the port alone. */
const ownTable: ReadonlySet<string> = new Set([HTTPSProtocolType, TLSProtocolType, TCPProtocolType, UDPProtocolType]);

function routeTableOf({ proxy, id }: Surroundings, { port, protocol }: CheckedListener): string | undefined {
  if (protocol === HTTPProtocolType) return routeTableKey(proxy, port);
  return ownTable.has(protocol) ? routeTableKey(proxy, port, id) : undefined;
}

function conditionsOf(
  { unresolved, warnings }: CheckedListener,
  { conflict }: Surroundings,
  refusal: Problem | undefined,
): readonly DesiredCondition[] {
  return [
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
}
