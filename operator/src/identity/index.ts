export {
  createIdentity,
  type Identity,
  type IdentityOptions,
  isProxy,
  type ObservedSecret,
  type SecretDamage,
} from "./identity.ts";
export type { SecretData } from "./trust.ts";
