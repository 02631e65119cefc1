import type { StoredKind } from "./kinds.ts";

/**
 * Fields that the Gateway API has in some of its releases and channels only. Without one the API server drops what is written to it, and
 * nobody can ask for what it is about.
 */
export const optionalFields = {
  "Gateway.spec.listeners.filters": { kind: "Gateway", path: ["spec", "listeners", "filters"] },
  "Gateway.status.addresses.routability": { kind: "Gateway", path: ["status", "addresses", "routability"] },
} as const satisfies Readonly<Record<string, { readonly kind: StoredKind; readonly path: readonly string[] }>>;

/** By kind and path; lists have no step of their own. */
export type OptionalField = keyof typeof optionalFields;
