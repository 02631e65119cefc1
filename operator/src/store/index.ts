export { isStoredKind, type StoredKind, type StoredKinds, storedKindOf, storedKinds } from "./kinds.ts";
export { type OptionalField, optionalFields } from "./optional-fields.ts";
export { type Change, createStore, keyOf, objectKey, type Store } from "./store.ts";
