import type { PathChange, PathMatch } from "../../ir/index.ts";
import { escapeRegex } from "./regex.ts";

/** A path change in the terms that Envoy has for it. The query stays as it is in each. */
export type PathEdit =
  /** The whole path. */
  | { readonly kind: "replace"; readonly path: string }
  /** What the route matched. */
  | { readonly kind: "prefix"; readonly prefix: string }
  | { readonly kind: "regex"; readonly pattern: string; readonly substitution: string };

/**
 * Gateway API's table of `ReplacePrefixMatch`, which goes by path segments, in the terms of Envoy, which goes by characters.
 * Undefined: the path stays as it is.
 *
 * https://gateway-api.sigs.k8s.io/reference/spec/#httppathmodifier
 */
export function pathEdit(match: PathMatch, change: PathChange): PathEdit | undefined {
  // Only a prefix leaves a rest to keep.
  if (change.kind === "fullPath" || match.kind !== "prefix") return { kind: "replace", path: change.value };
  if (match.value === "/") {
    // `/` matches one character of `/a`, and what replaces it must bring a slash of its own.
    return change.value === "/" ? undefined : { kind: "prefix", prefix: `${change.value}/` };
  }
  if (change.value !== "/") return { kind: "prefix", prefix: change.value };
  // `/a` and `/a/b` come to `/` and `/b`. All slashes after the prefix go: `//host` at the start of a path is read as a
  // host by browsers and by some servers.
  return { kind: "regex", pattern: `^${escapeRegex(match.value)}/*`, substitution: "/" };
}
