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

/** Sorts the more specific first: exact ones, then wildcards with the longer suffix, then `*`. */
export function compareSpecificity(left: string, right: string): number {
  const byKind = Number(isWildcard(left)) - Number(isWildcard(right));
  return byKind === 0 ? right.length - left.length : byKind;
}

/** Of `hostnames`, the most specific that covers `host`: the one whose owner is asked for it. */
export function ownerOf(host: string, hostnames: Iterable<string>): string | undefined {
  let owner: string | undefined;
  for (const hostname of hostnames)
    if (covers(hostname, host) && (owner === undefined || compareSpecificity(hostname, owner) < 0)) owner = hostname;
  return owner;
}
