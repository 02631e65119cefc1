import type { ObjectMeta } from "@gatewright/crd-types/meta/v1";

/** Of one form, so that it sorts by age. Where a file states none, an object counts as old. */
export function createdAt({ metadata }: { readonly metadata: ObjectMeta }): string {
  const time = Date.parse(metadata.creationTimestamp ?? "");
  return Number.isNaN(time) ? "" : new Date(time).toISOString();
}
