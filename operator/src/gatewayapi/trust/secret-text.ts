import type { Secret } from "@gatewright/crd-types/core/v1";

/** As the API server merges them when it takes the object; from a file it comes unmerged. */
export function secretText({ data, stringData }: Secret, field: string): string | undefined {
  const encoded = data?.[field];
  return stringData?.[field] ?? (encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString("latin1"));
}
