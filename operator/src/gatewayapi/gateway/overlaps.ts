import { intersectHostnames } from "../attach/index.ts";
import type { Contender } from "./conflicts.ts";

/**
 * For each of these HTTPS listeners, the others of its port with hosts in common. A client may send requests for both over one
 * connection, if the certificate allows. https://gateway-api.sigs.k8s.io/geps/gep-3567/
 */
export function findOverlaps(listeners: readonly Contender[]): ReadonlyMap<string, readonly string[]> {
  const overlaps = new Map<string, readonly string[]>();
  for (const sharing of Map.groupBy(listeners, ({ port }) => port).values())
    for (const { name, hostname } of sharing) {
      const others = sharing.filter(
        (other) => other.name !== name && intersectHostnames(other.hostname, hostname) !== undefined,
      );
      if (others.length > 0)
        overlaps.set(
          name,
          others.map((other) => other.name),
        );
    }
  return overlaps;
}
