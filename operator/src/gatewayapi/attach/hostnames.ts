// Hostnames of listeners and routes: exact, `*.suffix` (which takes any number of labels), or `*` for all.

/** Stands for all hosts, where none is stated. */
export const anyHost = "*";

/** Host names know no upper case (RFC 4343). */
export const normalizeHostname = (hostname: string | undefined): string =>
  hostname === undefined || hostname === "" ? anyHost : hostname.toLowerCase();

const isWildcard = (hostname: string): boolean => hostname.startsWith("*");

/** Whether every host that `inner` stands for is one that `outer` stands for. */
export function covers(outer: string, inner: string): boolean {
  if (outer === anyHost || outer === inner) return true;
  return isWildcard(outer) && inner.endsWith(outer.slice(1));
}

/** The hosts that both stand for; undefined where there is none. Suffixes of one another or apart, they never overlap in part. */
export function intersectHostnames(left: string, right: string): string | undefined {
  if (covers(left, right)) return right;
  return covers(right, left) ? left : undefined;
}

/** The wildcards that cover a hostname, itself not included, from the closest to `*`. */
export function widerHostnames(hostname: string): readonly string[] {
  if (hostname === anyHost) return [];
  const wider: string[] = [];
  const first = isWildcard(hostname) ? 2 : 0;
  for (let dot = hostname.indexOf(".", first); dot !== -1; dot = hostname.indexOf(".", dot + 1))
    wider.push(`*${hostname.slice(dot)}`);
  return [...wider, anyHost];
}

/** Sorts the more specific first: exact ones, then wildcards with the longer suffix, then `*`. */
export function compareSpecificity(left: string, right: string): number {
  const byKind = Number(isWildcard(left)) - Number(isWildcard(right));
  return byKind === 0 ? right.length - left.length : byKind;
}
