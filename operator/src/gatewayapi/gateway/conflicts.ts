import { ListenerReasonHostnameConflict, ListenerReasonProtocolConflict } from "@gatewright/crd-types/gateway/v1";
import { anyHost } from "../attach/index.ts";
import type { Problem } from "../conditions.ts";
import { listed } from "../messages.ts";

export type Contender = {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly hostname: string;
};

/** What the first bytes of a connection are. Listeners of a port that expect different ones cannot share it. */
export const transportOf = (protocol: string): string =>
  protocol === "HTTPS" || protocol === "TLS" ? "TLS" : protocol;

/** UDP has ports of its own. */
export const socketOf = ({ protocol, port }: Contender): string => `${protocol === "UDP" ? "UDP" : "TCP"} ${port}`;

/**
 * Listeners of one object that no request can tell apart. All of them lose, for the API lets nobody pick a winner among a Gateway's
 * own listeners, nor among those of a ListenerSet. Who cannot serve anyway must not be in `contenders`: a broken listener takes no port and no host from others.
 */
export function findConflicts(contenders: readonly Contender[]): ReadonlyMap<string, Problem> {
  const conflicts = new Map<string, Problem>();
  for (const sharing of Map.groupBy(contenders, socketOf).values()) {
    const port = sharing[0]?.port ?? 0;
    const transports = new Set(sharing.map(({ protocol }) => transportOf(protocol)));
    if (transports.size > 1) {
      for (const { name, protocol } of sharing) {
        const rivals = sharing.filter((rival) => transportOf(rival.protocol) !== transportOf(protocol));
        const message = `port ${port} is also that of ${listed(rivals.map((rival) => `${rival.name} (${rival.protocol})`))}`;
        conflicts.set(name, { reason: ListenerReasonProtocolConflict, message });
      }
      continue;
    }
    for (const [hostname, same] of Map.groupBy(sharing, (contender) => contender.hostname)) {
      if (same.length === 1) continue;
      const what = hostname === anyHost ? "no hostname" : `hostname ${hostname}`;
      for (const { name } of same) {
        const rivals = same.filter((rival) => rival.name !== name).map((rival) => rival.name);
        const message = `port ${port} with ${what} is also that of ${listed(rivals)}`;
        conflicts.set(name, { reason: ListenerReasonHostnameConflict, message });
      }
    }
  }
  return conflicts;
}
