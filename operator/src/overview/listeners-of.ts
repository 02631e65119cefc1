import { objectKey, type Store } from "../store/index.ts";
import type { RowContext } from "./rows.ts";

/** Reads what Gateways and ListenerSets state. */
export const listenersOf =
  ({ objects }: Pick<Store, "objects">): RowContext["listeners"] =>
  (kind, key) => {
    if (kind === "Gateway") {
      const gateway = objects.Gateway.get(key);
      return gateway && { gateway: key, listeners: gateway.spec.listeners };
    }
    const set = objects.ListenerSet.get(key);
    if (set === undefined) return undefined;
    const { parentRef, listeners } = set.spec;
    return { gateway: objectKey(parentRef.namespace ?? set.metadata.namespace ?? "", parentRef.name), listeners };
  };
