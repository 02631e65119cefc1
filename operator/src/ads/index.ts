export type { Peer, TlsCredentials } from "./grpc/index.ts";
export type { AdsCounters, TypeCounters } from "./counters.ts";
export type { Resource, ResourceChange, Verdict } from "./resource.ts";
export { resourceTypes, type ResourceType } from "./resource-types.ts";
export {
  type AdsServer,
  type AdsServerOptions,
  type Authorization,
  type AuthorizeRequest,
  type ConnectionEvent,
  createAdsServer,
} from "./server.ts";
export type { Protocol } from "./stream.ts";
