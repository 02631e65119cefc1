import { subscribe, unsubscribe } from "./delta-subscription.ts";
import { lacks } from "./have.ts";
import type { SotwRequest } from "./request.ts";
import { type ResourceType, traits } from "./resource-types.ts";
import type { StreamParts } from "./stream-parts.ts";

const everything = "*";

/**
 * Takes in what a state-of-the-world request says of the client's interest. What it has at the start of a stream it does not say: the
 * version that it accepted last may not be all, for Envoy takes part of what it refuses.
 * https://www.envoyproxy.io/docs/envoy/v1.40.0/api-docs/xds_protocol#how-the-client-specifies-what-resources-to-return
 */
export function subscribeSotw(parts: StreamParts, type: ResourceType, request: SotwRequest, first: boolean): void {
  const session = parts.sessions[type];
  const names = new Set(request.names);
  // No names mean everything until some were given.
  const legacy = names.size === 0 && traits[type].wildcard && (first || session.wildcard);
  const all = names.delete(everything) || legacy;
  if (all && !session.wildcard) {
    session.subscribeAll(true);
    for (const name of parts.view.names(type)) session.know(name, lacks);
  }
  if (!all && session.wildcard) session.unsubscribeAll();
  for (const name of session.names) if (!names.has(name)) unsubscribe(parts, type, name);
  for (const name of names) if (!session.names.has(name)) subscribe(parts, type, name);
}
