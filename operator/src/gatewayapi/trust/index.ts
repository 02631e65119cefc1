export {
  type Authorities,
  type AuthorityProblem,
  type AuthorityRef,
  authorityKey,
  bundleRefOf,
  createAuthorities,
  type Trust,
} from "./authorities.ts";
export { formProblem } from "./form.ts";
export { secretText } from "./secret-text.ts";
