import { lacks, waits } from "./have.ts";
import type { DeltaRequest } from "./request.ts";
import type { Resource } from "./resource.ts";
import { type ResourceType, traits } from "./resource-types.ts";
import type { StreamParts } from "./stream-parts.ts";

const everything = "*";

const noClaims: ReadonlyMap<string, string> = new Map();

/**
 * Takes in what a delta request says of the client's interest and, the first time, of what it has. Returns the current resources that
 * it has already.
 * https://www.envoyproxy.io/docs/envoy/v1.40.0/api-docs/xds_protocol#incremental-xds
 */
export function subscribeDelta(
  parts: StreamParts,
  type: ResourceType,
  request: DeltaRequest,
  first: boolean,
): readonly Resource[] {
  const session = parts.sessions[type];
  const claims = first ? request.initialVersions : noClaims;
  for (const name of request.unsubscribe) {
    if (name === everything) session.unsubscribeAll();
    else unsubscribe(parts, type, name);
  }
  // An empty first request means everything, for the types where that has a meaning.
  const legacy = first && request.subscribe.length === 0 && traits[type].wildcard;
  if (legacy || request.subscribe.includes(everything)) subscribeAll(parts, type, claims);
  // Envoy asks for clusters first, except when some of them wait for endpoints from before the connection broke: then it asks only
  // when these have come, and does not say that it waits.
  const needy = first && type === "endpoint" && !parts.sessions.cluster.asked;
  for (const name of request.subscribe)
    if (name !== everything) subscribe(parts, type, name, needy ? undefined : claims.get(name));
  if (first && type === "route") parts.hosts.claimed([...claims.keys()].filter((name) => session.names.has(name)));
  return held(parts, type, claims);
}

export function subscribe(parts: StreamParts, type: ResourceType, name: string, claim?: string): void {
  // Who asks again has forgotten what it had, and must be told again.
  if (type === "route" && claim === undefined) parts.hosts.forgotten(name);
  const forced = type === "endpoint" && parts.warming.has(name);
  // One string for all clients.
  const shared = parts.snapshot.get(type, name)?.name ?? name;
  parts.sessions[type].subscribe(shared, forced ? waits : (claim ?? waits));
}

export function unsubscribe(parts: StreamParts, type: ResourceType, name: string): void {
  parts.sessions[type].unsubscribe(name);
  if (type === "route") parts.hosts.released(name);
  if (type === "endpoint") parts.warming.done(name);
}

function subscribeAll(parts: StreamParts, type: ResourceType, claims: ReadonlyMap<string, string>): void {
  const session = parts.sessions[type];
  if (type === "virtualHost") {
    session.subscribeAll(false);
    parts.hosts.asked(claims);
    return;
  }
  // Who starts with nothing waits for a first answer, even if there is nothing.
  session.subscribeAll(claims.size === 0);
  for (const name of parts.view.names(type)) session.know(name, claims.get(name) ?? lacks);
  for (const [name, version] of claims) {
    if (parts.view.shown(type, name) !== "nothing") continue;
    if (type === "cluster") {
      // It goes when the routes that may use it have gone.
      parts.view.hide(type, name, undefined);
      parts.rollouts.retire(name);
    }
    session.know(name, version);
  }
}

function held(parts: StreamParts, type: ResourceType, claims: ReadonlyMap<string, string>): readonly Resource[] {
  const resources: Resource[] = [];
  for (const [name, version] of claims) {
    const resource = parts.snapshot.get(type, name);
    if (resource?.version === version && parts.sessions[type].wants(name)) resources.push(resource);
  }
  return resources;
}
