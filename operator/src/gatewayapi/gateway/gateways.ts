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
  UDPProtocolType,
} from "@gatewright/crd-types/gateway/v1";
import type { ProxyPort } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { isFalse, isTrue, type Problem } from "../conditions.ts";
import { type Inputs, type Placement, proxyKeyOf } from "../inputs.ts";
import { listed } from "../messages.ts";
import type { Grants } from "../refs/index.ts";
import type { ClassView, DesiredCondition, GatewayView, ListenerView } from "../views.ts";
import { unsupportedAddress } from "./addresses.ts";
import type { CertificateTables } from "./certificates.ts";
import { findConflicts } from "./conflicts.ts";
import type { GatewayTlsView } from "./gateway-tls.ts";
import { type CheckedListener, checkListener } from "./listener.ts";
import { viewListener } from "./listener-view.ts";
import { findOverlaps } from "./overlaps.ts";
import type { GatewayParameters } from "./parameters.ts";

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
  readonly gatewayTls: Table<GatewayTlsView>;
  /** By Gateway key. */
  readonly parameters: Table<GatewayParameters>;
};

export function createGateways(graph: Graph, inputs: Inputs, sources: GatewaySources): Table<GatewayView> {
  const { own, classes, grants, certificates, gatewayTls, parameters } = sources;
  return graph.derive<GatewayView>("gateways", {
    keysOf: [own],
    compute: (key) => {
      const gateway = own.get(key);
      const gatewayClass = gateway && classes.get(gateway.spec.gatewayClassName);
      if (gateway === undefined || gatewayClass === undefined) return undefined;
      const tls = gatewayTls.get(key);
      const owner = {
        kind: "Gateway",
        namespace: gateway.metadata.namespace ?? "",
        gatewayTls: tls,
      } as const;
      const listeners = gateway.spec.listeners.map((listener) => checkListener(listener, owner, grants, certificates));
      const problem = gatewayProblem(gateway, gatewayClass, parameters.get(key));
      return viewGateway(key, gateway, problem, { listeners, tls }, inputs.placements.get(proxyKeyOf(key)));
    },
    equal: deepEqual,
  });
}

function viewGateway(
  key: string,
  gateway: Gateway,
  problem: Problem | undefined,
  { listeners, tls }: { readonly listeners: readonly CheckedListener[]; readonly tls: GatewayTlsView | undefined },
  placement: Placement | undefined,
): GatewayView {
  const proxy = proxyKeyOf(key);
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
    ports: portsOf(winners),
    conditions: [
      acceptedCondition(problem, views),
      resolvedRefsCondition(views, tls?.problem),
      ...(tls?.conditions ?? []),
    ],
  };
}

function portsOf(listeners: readonly CheckedListener[]): readonly ProxyPort[] {
  const ports = listeners.map(
    ({ port, protocol }): ProxyPort => ({
      port,
      protocol: protocol === UDPProtocolType ? "UDP" : "TCP",
    }),
  );
  return ports
    .filter((one, index) => ports.findIndex((other) => deepEqual(one, other)) === index)
    .toSorted((left, right) => left.port - right.port || (left.protocol < right.protocol ? -1 : 1));
}

/** What is wrong with the Gateway as a whole. Then nothing of it is served. */
function gatewayProblem(
  { spec }: Gateway,
  gatewayClass: ClassView,
  parameters: GatewayParameters | undefined,
): Problem | undefined {
  if (!gatewayClass.accepted)
    return {
      reason: GatewayReasonInvalidParameters,
      message: `GatewayClass ${spec.gatewayClassName} is not accepted: ${reasonsOf(gatewayClass.conditions)}`,
    };
  if (parameters?.kind === "invalid") return { reason: GatewayReasonInvalidParameters, message: parameters.message };
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

/** `own` is what is wrong with references that are no listener's. */
function resolvedRefsCondition(listeners: readonly ListenerView[], own: Problem | undefined): DesiredCondition {
  const unresolved = listeners.flatMap(({ name, conditions }) =>
    conditions.some(({ type, status }) => type === ListenerConditionResolvedRefs && status === "False") ? [name] : [],
  );
  const ofListeners = `listeners with references that are not resolved: ${listed(unresolved)}`;
  if (own !== undefined) {
    const message = unresolved.length === 0 ? own.message : `${own.message}; ${ofListeners}`;
    return isFalse(GatewayConditionResolvedRefs, { reason: own.reason, message });
  }
  return unresolved.length === 0
    ? isTrue(GatewayConditionResolvedRefs, GatewayReasonResolvedRefs)
    : isFalse(GatewayConditionResolvedRefs, { reason: GatewayReasonListenersNotResolved, message: ofListeners });
}

/** What the conditions that ought to be true say. */
const reasonsOf = (conditions: readonly DesiredCondition[]): string =>
  conditions
    .filter(({ status, message }) => status === "False" && message !== "")
    .map(({ message }) => message)
    .join("; ");
