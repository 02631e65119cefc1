import { createHash } from "node:crypto";
import type { Resource } from "./resource.ts";

/** A version of a set of resources: equal for equal names and contents, in whatever order. */
export function versionOf(resources: readonly Resource[]): string {
  const hash = createHash("sha256");
  for (const line of resources.map(({ name, version }) => `${name}\n${version}\n`).sort()) hash.update(line);
  return hash.digest("base64url").slice(0, 11);
}
