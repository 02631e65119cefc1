import {
  type Gateway,
  GroupName,
  ListenerSetReasonNotAllowed,
  type ParentGatewayReference,
} from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { objectKey } from "../../store/index.ts";
import { allowsNamespace, type AllowedNamespaces, allowedNamespacesOf, type Labels } from "../attach/index.ts";
import type { Problem } from "../conditions.ts";
import type { Inputs } from "../inputs.ts";

/** A ListenerSet whose parent is a Gateway of ours. */
export type Admission = {
  /** Key of the Gateway. */
  readonly gateway: string;
  /** Why the Gateway does not take it. */
  readonly refusal?: Problem;
};

/** What Gateways of ours say to ListenerSets, by ListenerSet key. https://gateway-api.sigs.k8s.io/geps/gep-1713/ */
export function createAdmissions(
  graph: Graph,
  { store }: Inputs,
  own: Table<Gateway>,
  labels: (namespace: string) => Labels,
): Table<Admission> {
  const { ListenerSet } = store.objects;
  // No more of the Gateway: an edit of its listeners is none of its sets' business.
  const allowances = graph.derive<AllowedNamespaces>("allowedListeners", {
    keysOf: [own],
    compute: (key) => {
      const gateway = own.get(key);
      return gateway && allowedNamespacesOf(gateway.spec.allowedListeners?.namespaces, "None");
    },
    equal: deepEqual,
  });

  return graph.derive<Admission>("listenerSetAdmissions", {
    keysOf: [ListenerSet],
    compute: (key) => {
      const set = ListenerSet.get(key);
      if (set === undefined || !isGateway(set.spec.parentRef)) return undefined;
      const { namespace = "" } = set.metadata;
      const { name, namespace: gatewayNamespace = namespace } = set.spec.parentRef;
      const gateway = objectKey(gatewayNamespace, name);
      const allowed = allowances.get(gateway);
      if (allowed === undefined) return undefined;
      if (allowsNamespace(allowed, gatewayNamespace, namespace, labels)) return { gateway };
      const message =
        allowed.kind === "none"
          ? `Gateway ${gateway} takes no ListenerSets (spec.allowedListeners)`
          : `Gateway ${gateway} takes no ListenerSets of namespace ${namespace} (spec.allowedListeners)`;
      return { gateway, refusal: { reason: ListenerSetReasonNotAllowed, message } };
    },
    equal: deepEqual,
  });
}

const isGateway = ({ group = GroupName, kind = "Gateway" }: ParentGatewayReference): boolean =>
  group === GroupName && kind === "Gateway";
