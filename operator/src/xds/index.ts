export { type AdsIdentity, adsIdentityFiles } from "./ads-identity.ts";
export { type BootstrapOptions, buildBootstrap, type SocketLocation } from "./bootstrap.ts";
export {
  checkExtension,
  defaultFilters,
  type ExtensionCheck,
  type ExtensionProblem,
  type ExtensionSpec,
  knownFilters,
} from "./extension/index.ts";
export type { NeutralConfig } from "./filters/index.ts";
export {
  type ProblemDetail,
  type ProxyResource,
  type ResourceType,
  resourceTypes,
  type XdsProblem,
} from "./resource.ts";
export { dumpByType, staticConfig } from "./static-config.ts";
export { createXdsTables, type XdsOptions, type XdsTables } from "./tables.ts";
