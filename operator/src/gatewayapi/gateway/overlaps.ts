import { HTTPSProtocolType } from "@gatewright/crd-types/gateway/v1";
import type { Table } from "../../lib/index.ts";
import { anyHost, type ServedHosts, widerHostnames } from "../attach/index.ts";
import { parseParentKey } from "../listener-parents.ts";
import type { ListenerGroup, ListenerView } from "../views.ts";

/** The other HTTPS listeners of its port with hosts in common, as they may be named to the author of this one. */
export type OverlapsOf = (gateway: string, parent: string, listener: ListenerView) => readonly string[];

/**
 * Finds listeners to whom a client may send requests over one connection, if the certificate allows. Steps through the labels of a
 * host and not through listeners. https://gateway-api.sigs.k8s.io/geps/gep-3567/
 */
export function createOverlaps(groups: Table<ListenerGroup>, served: ServedHosts): OverlapsOf {
  const serves = (listener: ListenerView, port: number, hostname: string) =>
    listener.programmable &&
    listener.protocol === HTTPSProtocolType &&
    listener.port === port &&
    (listener.hostname ?? anyHost) === hostname;

  return (gateway, parent, listener) => {
    if (!listener.programmable || listener.protocol !== HTTPSProtocolType) return [];
    const { port, hostname = anyHost } = listener;
    const own: string[] = [];
    let others = 0;
    for (const host of [...widerHostnames(hostname), ...served.within(gateway, port, hostname)])
      for (const at of served.at(gateway, port, host))
        for (const rival of groups.get(at)?.listeners ?? []) {
          if (!serves(rival, port, host)) continue;
          // Names of a Gateway are known to whoever attaches to it; those of another set need not be.
          if (at === parent) own.push(rival.name);
          else if (parseParentKey(at).kind === "Gateway") own.push(`${rival.name} of the Gateway`);
          else others++;
        }
    const names = own.toSorted();
    if (others > 0) names.push(`${others} of ${parseParentKey(parent).kind === "Gateway" ? "" : "other "}ListenerSets`);
    return names;
  };
}
