import {
  GatewayConditionAccepted,
  type ListenerSet,
  ListenerSetConditionAccepted,
  ListenerSetReasonAccepted,
  ListenerSetReasonInvalid,
  ListenerSetReasonListenersNotValid,
  ListenerSetReasonParentNotAccepted,
} from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { isFalse, isTrue, type Problem, reasonsOf } from "../conditions.ts";
import { type Inputs, proxyKeyOf } from "../inputs.ts";
import { parentKey, parseParentKey } from "../listener-parents.ts";
import { listed } from "../messages.ts";
import type { DesiredCondition, GatewayView, ListenerGroup, ListenerSetView, ListenerView } from "../views.ts";
import type { Admission } from "./admissions.ts";
import type { ConflictsOf } from "./claims.ts";
import { doubledName } from "./gateways.ts";
import { portsOf } from "./listener-ports.ts";
import { isServing, viewListener } from "./listener-view.ts";
import type { StatedListeners } from "./stated-listeners.ts";

export type ListenerSetSources = {
  readonly admissions: Table<Admission>;
  readonly stated: Table<StatedListeners>;
  readonly conflictsOf: ConflictsOf;
  readonly gateways: Table<GatewayView>;
};

/** The ListenerSets whose parent is a Gateway of ours, whether it takes them or not, by ListenerSet key. */
export function createListenerSets(
  graph: Graph,
  { store, placements }: Inputs,
  { admissions, stated, conflictsOf, gateways }: ListenerSetSources,
): Table<ListenerSetView> {
  const { ListenerSet } = store.objects;
  // Listeners of the Gateway that are bad are no fault of its sets: they are served as long as anything of it can be.
  const refused = graph.derive<DesiredCondition>("refusedGateways", {
    keysOf: [gateways],
    compute: (key) => {
      const gateway = gateways.get(key);
      return gateway?.served === false
        ? gateway.conditions.find(({ type }) => type === GatewayConditionAccepted)
        : undefined;
    },
    equal: deepEqual,
  });

  function view(key: string, set: ListenerSet, { gateway, refusal }: Admission): ListenerSetView {
    const { namespace = "", generation = 0 } = set.metadata;
    const place = { gateway, namespace, generation };
    if (refusal !== undefined) {
      const closed = `ListenerSet ${key} is not attached: ${refusal.message}`;
      return { ...place, listeners: [], ports: [], accepted: isFalse(ListenerSetConditionAccepted, refusal), closed };
    }
    const parent = parentKey("ListenerSet", key);
    const checked = stated.get(parent)?.listeners ?? [];
    const conflicts = conflictsOf(parent);
    const problem = problemOf(set, gateway, refused.get(gateway));
    const listeners = checked.map((listener) =>
      viewListener(listener, {
        proxy: proxyKeyOf(gateway),
        id: `${key}/${listener.name}`,
        conflict: conflicts.get(listener.name),
        placement: placements.get(proxyKeyOf(gateway)),
        serves: problem === undefined,
      }),
    );
    const ports = problem === undefined ? portsOf(checked, conflicts) : [];
    return { ...place, listeners, ports, accepted: acceptedCondition(problem, listeners) };
  }

  return graph.derive<ListenerSetView>("listenerSets", {
    keysOf: [admissions],
    compute: (key) => {
      const set = ListenerSet.get(key);
      const admission = admissions.get(key);
      return set && admission && view(key, set, admission);
    },
    equal: deepEqual,
  });
}

/** What is wrong with the set as a whole. Then nothing of it is served. */
function problemOf({ spec }: ListenerSet, gateway: string, refused: DesiredCondition | undefined): Problem | undefined {
  if (refused !== undefined)
    return {
      reason: ListenerSetReasonParentNotAccepted,
      message: `Gateway ${gateway} is not accepted: ${refused.message}`,
    };
  const doubled = doubledName(spec.listeners);
  return doubled === undefined ? undefined : { reason: ListenerSetReasonInvalid, message: doubled };
}

/** A set of which nothing can be served is not accepted, whatever it is that ails its listeners. */
function acceptedCondition(problem: Problem | undefined, listeners: readonly ListenerView[]): DesiredCondition {
  if (problem !== undefined) return isFalse(ListenerSetConditionAccepted, problem);
  const idle = listeners.filter((listener) => !isServing(listener));
  if (idle.length === 0) return isTrue(ListenerSetConditionAccepted, ListenerSetReasonAccepted);
  const reason = ListenerSetReasonListenersNotValid;
  const message = listed(
    idle.map(({ name, conditions }) => `listener ${name}: ${reasonsOf(conditions)}`),
    "; ",
  );
  return idle.length < listeners.length
    ? isTrue(ListenerSetConditionAccepted, reason, message)
    : isFalse(ListenerSetConditionAccepted, { reason, message });
}

/** What Gateways and ListenerSets serve, by `parentKey`. */
export function createListenerGroups(
  graph: Graph,
  gateways: Table<GatewayView>,
  sets: Table<ListenerSetView>,
): Table<ListenerGroup> {
  const setKeys = graph.index("listenerSetParents", sets, (_, key) => [parentKey("ListenerSet", key)]);

  function ofGateway(gateway: string): ListenerGroup | undefined {
    const view = gateways.get(gateway);
    if (view === undefined) return undefined;
    const { proxy, namespace, listeners, ports } = view;
    return { gateway, proxy, namespace, listeners, ports };
  }

  function ofSet(key: string): ListenerGroup | undefined {
    const view = sets.get(key);
    if (view === undefined) return undefined;
    const { gateway, namespace, listeners, ports, closed } = view;
    const group = { gateway, proxy: proxyKeyOf(gateway), namespace, listeners, ports };
    return closed === undefined ? group : { ...group, closed };
  }

  return graph.derive<ListenerGroup>("listenerGroups", {
    keysOf: [gateways, setKeys],
    compute: (parent) => {
      const { kind, key } = parseParentKey(parent);
      return kind === "Gateway" ? ofGateway(key) : ofSet(key);
    },
    equal: deepEqual,
  });
}
