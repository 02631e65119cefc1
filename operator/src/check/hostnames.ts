import { parseRouteKey } from "../gatewayapi/index.ts";
import type { Reporter } from "./reporter.ts";
import type { Translated } from "./translate.ts";

/** Hostnames of routes that fit none of the listeners: of several the others are served, and nothing is said of these in a status. */
export function tellHostnames(
  { attachments, store }: Translated,
  assumed: ReadonlySet<string>,
  reporter: Reporter,
): void {
  for (const routeKey of attachments.keys()) {
    const { kind, key } = parseRouteKey(routeKey);
    const spec = store.objects[kind].get(key)?.spec;
    if (spec === undefined || !("hostnames" in spec) || spec.hostnames === undefined || spec.hostnames.length < 2)
      continue;
    const parents = attachments.get(routeKey)?.parents ?? [];
    // Listeners that serve nothing say nothing of hosts, and what another file states is not known.
    const isJudged = parents.every(
      ({ parent, listeners }) =>
        !assumed.has(parent.includes(" ") ? parent : `Gateway ${parent}`) &&
        listeners.every(({ hosts }) => hosts.length > 0),
    );
    if (!isJudged || parents.every(({ listeners }) => listeners.length === 0)) continue;
    const used = new Set(parents.flatMap(({ listeners }) => listeners.flatMap(({ statedHosts }) => statedHosts)));
    for (const [index, hostname] of spec.hostnames.entries())
      if (!used.has(hostname.toLowerCase()))
        reporter.tell({
          kind,
          key,
          field: `spec.hostnames[${index}]`,
          rule: "unmatched-hostname",
          severity: "warning",
          message: `${hostname} fits no listener that the route is attached to`,
        });
  }
}
