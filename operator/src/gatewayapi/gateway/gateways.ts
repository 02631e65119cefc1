import {
  type Gateway,
  GatewayConditionAccepted,
  GatewayConditionResolvedRefs,
  GatewayReasonAccepted,
  GatewayReasonInvalid,
  GatewayReasonInvalidParameters,
  GatewayReasonListenersNotResolved,
  GatewayReasonListenersNotValid,
  GatewayReasonResolvedRefs,
  HTTPSProtocolType,
  ListenerConditionResolvedRefs,
  ListenerReasonPortUnavailable,
} from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import { type Inputs, type Placement, proxyKeyOf } from "../inputs.ts";
import { formatKind, listed } from "../messages.ts";
import type { Grants } from "../refs/index.ts";
import type { ClassView, DesiredCondition, GatewayView, ListenerView } from "../views.ts";
import { unsupportedAddress } from "./addresses.ts";
import type { CertificateTables } from "./certificates.ts";
import { findConflicts } from "./conflicts.ts";
import { type CheckedListener, checkListener } from "./listener.ts";
import { viewListener } from "./listener-view.ts";
import { findOverlaps } from "./overlaps.ts";

/** The Gateways whose class is ours, by Gateway key. Others are none of our business. */
export const createOwnGateways = (graph: Graph, { store }: Inputs, classes: Table<ClassView>): Table<Gateway> =>
  graph.derive<Gateway>("ownGateways", {
    keysOf: [store.objects.Gateway],
    compute: (key) => {
      const gateway = store.objects.Gateway.get(key);
      return gateway && classes.get(gateway.spec.gatewayClassName) ? gateway : undefined;
    },
  });

export type GatewaySources = {
  readonly own: Table<Gateway>;
  readonly classes: Table<ClassView>;
  readonly grants: Grants;
  readonly certificates: CertificateTables;
};

export function createGateways(graph: Graph, inputs: Inputs, sources: GatewaySources): Table<GatewayView> {
  const { own, classes, grants, certificates } = sources;
  return graph.derive<GatewayView>("gateways", {
    keysOf: [own],
    compute: (key) => {
      const gateway = own.get(key);
      const gatewayClass = gateway && classes.get(gateway.spec.gatewayClassName);
      if (gateway === undefined || gatewayClass === undefined) return undefined;
      const owner = {
        kind: "Gateway",
        namespace: gateway.metadata.namespace ?? "",
        gatewayTls: gateway.spec.tls,
      } as const;
      const listeners = gateway.spec.listeners.map((listener) => checkListener(listener, owner, grants, certificates));
      return viewGateway(key, gateway, gatewayClass, listeners, inputs.placements.get(proxyKeyOf(key)));
    },
    equal: deepEqual,
  });
}

function viewGateway(
  key: string,
  gateway: Gateway,
  gatewayClass: ClassView,
  listeners: readonly CheckedListener[],
  placement: Placement | undefined,
): GatewayView {
  const proxy = proxyKeyOf(key);
  const problem = gatewayProblem(gateway, gatewayClass);
  const contenders = listeners.filter(({ serves }) => serves);
  const conflicts = findConflicts(contenders);
  const winners = contenders.filter(({ name }) => !conflicts.has(name));
  const overlaps = findOverlaps(winners.filter(({ protocol }) => protocol === HTTPSProtocolType));
  const views = listeners.map((listener) =>
    viewListener(listener, {
      proxy,
      conflict: conflicts.get(listener.name),
      portProblem: portProblem(listener.port, placement),
      overlaps: overlaps.get(listener.name) ?? [],
      gatewayServes: problem === undefined,
    }),
  );
  return {
    key,
    proxy,
    namespace: gateway.metadata.namespace ?? "",
    name: gateway.metadata.name ?? "",
    generation: gateway.metadata.generation ?? 0,
    className: gateway.spec.gatewayClassName,
    listeners: views,
    served: problem === undefined,
    ports: [...new Set(winners.map(({ port }) => port))].toSorted((left, right) => left - right),
    conditions: [acceptedCondition(problem, views), resolvedRefsCondition(views)],
  };
}

/** What is wrong with the Gateway as a whole. Then nothing of it is served. */
function gatewayProblem({ spec }: Gateway, gatewayClass: ClassView): Problem | undefined {
  if (!gatewayClass.accepted)
    return {
      reason: GatewayReasonInvalidParameters,
      message: `GatewayClass ${spec.gatewayClassName} is not accepted: ${reasonsOf(gatewayClass.conditions)}`,
    };
  const parameters = spec.infrastructure?.parametersRef;
  if (parameters !== undefined)
    return {
      reason: GatewayReasonInvalidParameters,
      message: `spec.infrastructure.parametersRef: kind ${formatKind(parameters)} is not supported`,
    };
  // The API server lets none of these pass; a folder of manifests may.
  const names = spec.listeners.map(({ name }) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  if (doubled !== undefined)
    return { reason: GatewayReasonInvalid, message: `several listeners have the name ${doubled}` };
  return unsupportedAddress(spec);
}

function portProblem(port: number, placement: Placement | undefined): Problem | undefined {
  const words = placement?.unavailablePorts?.get(port);
  return words === undefined
    ? undefined
    : { reason: ListenerReasonPortUnavailable, message: `port ${port} cannot be bound: ${words}` };
}

function acceptedCondition(problem: Problem | undefined, listeners: readonly ListenerView[]): DesiredCondition {
  if (problem !== undefined) return isFalse(GatewayConditionAccepted, problem);
  const idle = listeners.filter(({ programmable }) => !programmable);
  if (idle.length === 0) return isTrue(GatewayConditionAccepted, GatewayReasonAccepted);
  const message = listed(
    idle.map(({ name, conditions }) => `listener ${name}: ${reasonsOf(conditions)}`),
    "; ",
  );
  return listeners.some(({ accepted }) => accepted)
    ? isTrue(GatewayConditionAccepted, GatewayReasonListenersNotValid, message)
    : isFalse(GatewayConditionAccepted, { reason: GatewayReasonListenersNotValid, message });
}

function resolvedRefsCondition(listeners: readonly ListenerView[]): DesiredCondition {
  const unresolved = listeners.flatMap(({ name, conditions }) =>
    conditions.some(({ type, status }) => type === ListenerConditionResolvedRefs && status === "False") ? [name] : [],
  );
  return unresolved.length === 0
    ? isTrue(GatewayConditionResolvedRefs, GatewayReasonResolvedRefs)
    : isFalse(GatewayConditionResolvedRefs, {
        reason: GatewayReasonListenersNotResolved,
        message: `listeners with references that are not resolved: ${listed(unresolved)}`,
      });
}

/** What the conditions that ought to be true say. */
const reasonsOf = (conditions: readonly DesiredCondition[]): string =>
  conditions
    .filter(({ status, message }) => status === "False" && message !== "")
    .map(({ message }) => message)
    .join("; ");
