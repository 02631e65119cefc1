import { isIP } from "node:net";
import type { Node } from "@gatewright/crd-types/core/v1";
import {
  type ApiServer,
  createListWatch,
  type ListWatch,
  type ListWatchOptions,
  type ObjectEvent,
  type RawObject,
  resourcePath,
} from "../../kubernetes/index.ts";
import type { Clock, Logger } from "../../lib/index.ts";

export type NodeAddressesOptions = {
  readonly api: ApiServer;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onChange: () => void;
  /** How a kind is listed and watched; for tests. */
  readonly watch?: (options: ListWatchOptions) => Pick<ListWatch, "state" | "close">;
};

export type NodeAddresses = {
  /** Addresses of the nodes that are ready, by their names in ascending order. Nodes are read from the first call on: they are many, and large. */
  readonly current: () => ReadonlyMap<string, readonly string[]>;
  readonly close: () => void;
};

type NodeFacts = { readonly isReady: boolean; readonly addresses: readonly string[] };

/** Knows where the nodes of the cluster are reached. */
export function createNodeAddresses({
  onChange,
  watch = createListWatch,
  ...options
}: NodeAddressesOptions): NodeAddresses {
  const nodes = new Map<string, NodeFacts>();
  let addresses: ReadonlyMap<string, readonly string[]> = new Map();
  let reading: Pick<ListWatch, "close"> | undefined;

  function take(events: readonly ObjectEvent[]): void {
    for (const event of events)
      if (event.kind === "present") nodes.set(event.key, isNode(event.object) ? factsOf(event.object) : nothing);
      else nodes.delete(event.key);
    const next = addressesOf(nodes);
    if (JSON.stringify([...next]) === JSON.stringify([...addresses])) return;
    addresses = next;
    onChange();
  }

  return {
    current: () => {
      reading ??= watch({
        ...options,
        path: resourcePath({ group: "", version: "v1", plural: "nodes" }),
        name: "Node",
        onEvents: take,
      });
      return addresses;
    },
    close: () => reading?.close(),
  };
}

function addressesOf(nodes: ReadonlyMap<string, NodeFacts>): ReadonlyMap<string, readonly string[]> {
  const sorted = [...nodes].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return new Map(sorted.flatMap(([name, { isReady, addresses }]) => (isReady ? [[name, addresses]] : [])));
}

const nothing: NodeFacts = { isReady: false, addresses: [] };

// The API server vouches for the shape of its objects.
const isNode = (object: RawObject): object is RawObject & Node => "status" in object;

/** Where a node has an address outside of its network, that is where clients are. */
function factsOf({ status }: Node): NodeFacts {
  const ofType = (wanted: string) =>
    (status?.addresses ?? []).flatMap(({ type, address }) => (type === wanted && isIP(address) !== 0 ? [address] : []));
  const outside = ofType("ExternalIP");
  return {
    isReady: status?.conditions?.some(({ type, status: isSo }) => type === "Ready" && isSo === "True") === true,
    addresses: outside.length > 0 ? outside : ofType("InternalIP"),
  };
}
