export { createIdentity, type Identity, type IdentityOptions, isProxy, type ObservedSecret } from "./identity.ts";
export type { SecretData } from "./trust.ts";
