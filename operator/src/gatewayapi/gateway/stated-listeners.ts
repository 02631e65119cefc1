import type { Gateway } from "@gatewright/crd-types/gateway/v1";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { createdAt } from "../created-at.ts";
import type { Inputs } from "../inputs.ts";
import { parentKey, parseParentKey } from "../listener-parents.ts";
import type { Grants } from "../refs/index.ts";
import type { Admission } from "./admissions.ts";
import type { CertificateTables } from "./certificates.ts";
import type { GatewayTlsView } from "./gateway-tls.ts";
import { type CheckedListener, checkListener } from "./listener.ts";
import type { FilterTables } from "./listener-filters.ts";

/** The listeners that one object states, each checked by itself. By `parentKey`. */
export type StatedListeners = {
  /** Key of the Gateway that serves them. */
  readonly gateway: string;
  /** Of several who claim the same, the least comes first: the Gateway, then its ListenerSets by age, then by name. */
  readonly precedence: string;
  /** In the object's order. */
  readonly listeners: readonly CheckedListener[];
};

export type StatedSources = {
  readonly own: Table<Gateway>;
  readonly admissions: Table<Admission>;
  readonly grants: Grants;
  readonly certificates: CertificateTables;
  readonly filterTables: FilterTables;
  readonly gatewayTls: Table<GatewayTlsView>;
};

/** The listeners of our Gateways, and of the ListenerSets that they take. */
export function createStatedListeners(
  graph: Graph,
  { store }: Inputs,
  { own, admissions, grants, certificates, filterTables, gatewayTls }: StatedSources,
): Table<StatedListeners> {
  const tables = { ...certificates, ...filterTables };
  const { ListenerSet } = store.objects;
  const admitted = graph.index("admittedListenerSets", admissions, ({ refusal }, key) =>
    refusal === undefined ? [parentKey("ListenerSet", key)] : [],
  );

  function ofGateway(key: string): StatedListeners | undefined {
    const gateway = own.get(key);
    if (gateway === undefined) return undefined;
    const owner = {
      kind: "Gateway",
      namespace: gateway.metadata.namespace ?? "",
      gatewayTls: gatewayTls.get(key),
    } as const;
    return {
      gateway: key,
      precedence: "0",
      listeners: gateway.spec.listeners.map((listener) => checkListener(listener, owner, grants, tables)),
    };
  }

  function ofSet(key: string): StatedListeners | undefined {
    const set = ListenerSet.get(key);
    const admission = admissions.get(key);
    if (set === undefined || admission === undefined) return undefined;
    const { namespace = "" } = set.metadata;
    const owner = { kind: "ListenerSet", namespace, gatewayTls: gatewayTls.get(admission.gateway) } as const;
    return {
      gateway: admission.gateway,
      precedence: `1 ${createdAt(set)} ${key}`,
      listeners: set.spec.listeners.map((listener) => checkListener(listener, owner, grants, tables)),
    };
  }

  return graph.derive<StatedListeners>("statedListeners", {
    keysOf: [own, admitted],
    compute: (parent) => {
      const { kind, key } = parseParentKey(parent);
      return kind === "Gateway" ? ofGateway(key) : ofSet(key);
    },
    equal: deepEqual,
  });
}
