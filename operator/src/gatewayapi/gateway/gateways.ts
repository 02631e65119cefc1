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
  ListenerConditionResolvedRefs,
} from "@gatewright/crd-types/gateway/v1";
import type { ProxyDeployment } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { isFalse, isTrue, type Problem, reasonsOf } from "../conditions.ts";
import { type Inputs, type Placement, proxyKeyOf } from "../inputs.ts";
import { listed } from "../messages.ts";
import type { ClassView, DesiredCondition, GatewayView, ListenerView } from "../views.ts";
import { unsupportedAddress } from "./address-requests.ts";
import type { ConflictsOf } from "./claims.ts";
import type { GatewayTlsView } from "./gateway-tls.ts";
import type { CheckedListener } from "./listener.ts";
import { portsOf } from "./listener-ports.ts";
import { isServing, viewListener } from "./listener-view.ts";
import type { GatewayParameters } from "./parameters.ts";
import type { StatedListeners } from "./stated-listeners.ts";

/** The Gateways whose class is ours, by Gateway key. Others are none of our business. */
export const createOwnGateways = (graph: Graph, { store }: Inputs, classes: Table<ClassView>): Table<Gateway> =>
  graph.derive<Gateway>("ownGateways", {
    keysOf: [store.objects.Gateway],
    compute: (key) => {
      const gateway = store.objects.Gateway.get(key);
      return gateway && classes.get(gateway.spec.gatewayClassName) ? gateway : undefined;
    },
  });

/** Gateways of a class that is not there, by Gateway key: it may have been ours, or another's. */
export const createUnclaimedGateways = (graph: Graph, { store }: Inputs): Table<true> =>
  graph.derive<true>("unclaimedGateways", {
    keysOf: [store.objects.Gateway],
    compute: (key) => {
      const gateway = store.objects.Gateway.get(key);
      return gateway && store.objects.GatewayClass.get(gateway.spec.gatewayClassName) === undefined ? true : undefined;
    },
  });

/** Gateways of ours that are not served for want of good parameters, by Gateway key: what stands for them stays. */
export const createWaitingGateways = (graph: Graph, gateways: Table<GatewayView>): Table<true> =>
  graph.derive<true>("waitingGateways", { keysOf: [gateways], compute: (key) => gateways.get(key)?.waits });

export type GatewaySources = {
  readonly own: Table<Gateway>;
  readonly classes: Table<ClassView>;
  readonly stated: Table<StatedListeners>;
  readonly conflictsOf: ConflictsOf;
  readonly gatewayTls: Table<GatewayTlsView>;
  /** By Gateway key. */
  readonly parameters: Table<GatewayParameters>;
};

export function createGateways(graph: Graph, inputs: Inputs, sources: GatewaySources): Table<GatewayView> {
  const { own, classes, stated, conflictsOf, gatewayTls, parameters } = sources;
  return graph.derive<GatewayView>("gateways", {
    keysOf: [own],
    compute: (key) => {
      const gateway = own.get(key);
      const gatewayClass = gateway && classes.get(gateway.spec.gatewayClassName);
      if (gateway === undefined || gatewayClass === undefined) return undefined;
      return viewGateway(key, gateway, {
        listeners: stated.get(key)?.listeners ?? [],
        conflicts: conflictsOf(key),
        tls: gatewayTls.get(key),
        ...judgeGateway(gateway, {
          gatewayClass,
          parameters: parameters.get(key),
          before: inputs.inEffect?.deployments.get(key),
        }),
        placement: inputs.placements.get(proxyKeyOf(key)),
      });
    },
    equal: deepEqual,
  });
}

type GatewayParts = {
  readonly listeners: readonly CheckedListener[];
  readonly conflicts: ReadonlyMap<string, Problem>;
  readonly tls: GatewayTlsView | undefined;
  readonly placement: Placement | undefined;
} & GatewayVerdict;

function viewGateway(
  key: string,
  gateway: Gateway,
  { listeners, conflicts, tls, problem, note, serves, waits, placement }: GatewayParts,
): GatewayView {
  const proxy = proxyKeyOf(key);
  const views = listeners.map((listener) =>
    viewListener(listener, {
      proxy,
      id: listener.name,
      conflict: conflicts.get(listener.name),
      placement,
      serves,
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
    served: serves,
    ...(waits && { waits }),
    ports: portsOf(listeners, conflicts),
    conditions: [
      acceptedCondition(problem, views, note),
      resolvedRefsCondition(views, tls?.problem),
      ...(tls?.conditions ?? []),
    ],
  };
}

type GatewayVerdict = {
  /** Whether anything of it is served. */
  readonly serves: boolean;
  /** Whether it is not served for want of good parameters only. */
  readonly waits?: true;
  /** What is wrong with the Gateway as a whole. */
  readonly problem?: Problem;
  /** What else is to be said of it. */
  readonly note?: string;
};

type GatewaySettings = {
  readonly gatewayClass: ClassView;
  readonly parameters: GatewayParameters | undefined;
  /** Where it has been served. */
  readonly before: ProxyDeployment | undefined;
};

/** Parameters that go bad take nothing from a Gateway that is served. */
function judgeGateway({ spec }: Gateway, { gatewayClass, parameters, before }: GatewaySettings): GatewayVerdict {
  const words = `GatewayClass ${spec.gatewayClassName} is not accepted: ${reasonsOf(gatewayClass.conditions)}`;
  if (!gatewayClass.accepted && (!gatewayClass.isInEffect || before === undefined))
    return { serves: false, waits: true, problem: { reason: GatewayReasonInvalidParameters, message: words } };
  // The API server lets no name pass twice; a folder of manifests may.
  const doubled = doubledName(spec.listeners);
  const own = doubled === undefined ? unsupportedAddress(spec) : { reason: GatewayReasonInvalid, message: doubled };
  if (parameters?.kind === "invalid") {
    const serves = before !== undefined && own === undefined;
    const message = serves ? `${parameters.message}; what was in effect before goes on` : parameters.message;
    return { serves, ...(!serves && { waits: true }), problem: { reason: GatewayReasonInvalidParameters, message } };
  }
  if (own !== undefined) return { serves: false, problem: own };
  return { serves: true, ...(!gatewayClass.accepted && { note: words }) };
}

/** Says of listeners that no status could tell apart; undefined: there are none. */
export function doubledName(listeners: readonly { readonly name: string }[]): string | undefined {
  const names = listeners.map(({ name }) => name);
  const doubled = names.find((name, index) => names.indexOf(name) !== index);
  return doubled === undefined ? undefined : `several listeners have the name ${doubled}`;
}

function acceptedCondition(
  problem: Problem | undefined,
  listeners: readonly ListenerView[],
  note: string | undefined,
): DesiredCondition {
  if (problem !== undefined) return isFalse(GatewayConditionAccepted, problem);
  const idle = listeners.filter((listener) => !isServing(listener));
  if (idle.length === 0) return isTrue(GatewayConditionAccepted, GatewayReasonAccepted, note);
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
