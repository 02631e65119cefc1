// Keys of the IR's tables. `|` cannot stand in a Kubernetes name, a host or a port, so parts never run together.

/** A proxy's key is that of its Gateway, `namespace/name`. All Envoys of a Gateway are one proxy: they get the same configuration. */
export type ProxyKey = string;

/** UDP has ports of its own beside those of TCP. */
export const listenerKey = (proxy: ProxyKey, port: number, transport: "tcp" | "udp" = "tcp"): string =>
  `${proxy}|${port}${transport === "udp" ? "|udp" : ""}`;

/** HTTP listeners of one port share a route table; each HTTPS listener has its own, chosen by SNI. */
export const routeTableKey = (proxy: ProxyKey, port: number, httpsListener?: string): string =>
  httpsListener === undefined ? `${proxy}|${port}` : `${proxy}|${port}|${httpsListener}`;

const vhdsMark = "+vhds";

/**
 * A route table's name in Envoy. It tells how the virtual hosts come: a table that changes this is a new table to Envoy,
 * which warms it before it lets go of the old one.
 */
export const routeTableName = (key: string, discovery: "inline" | "vhds"): string =>
  discovery === "vhds" ? key + vhdsMark : key;

export const routeTableKeyOf = (name: string): string =>
  name.endsWith(vhdsMark) ? name.slice(0, -vhdsMark.length) : name;

/** A virtual host's name as a resource (VHDS): `<route table's name>/<host>`, as Envoy asks for it. */
export const virtualHostName = (routeTable: string, host: string): string => `${routeTable}/${host}`;

export function virtualHostKeyOf(name: string): string {
  const slash = name.lastIndexOf("/");
  return virtualHostKey(routeTableKeyOf(name.slice(0, slash)), name.slice(slash + 1));
}

export function parseRouteTableKey(key: string): {
  readonly proxy: ProxyKey;
  readonly port: number;
  readonly httpsListener?: string;
} {
  const [proxy = "", port = "", httpsListener] = key.split("|");
  return { proxy, port: Number(port), ...(httpsListener !== undefined && { httpsListener }) };
}

export const virtualHostKey = (routeTable: string, host: string): string => `${routeTable}/${host}`;

export function parseVirtualHostKey(key: string): { readonly routeTable: string; readonly host: string } {
  const slash = key.lastIndexOf("/");
  return { routeTable: key.slice(0, slash), host: key.slice(slash + 1) };
}

/** What a proxy uses of a table that proxies share: `proxy name`, split at the first blank. */
export const useKey = (proxy: ProxyKey, name: string): string => `${proxy} ${name}`;

export function parseUseKey(key: string): { readonly proxy: ProxyKey; readonly name: string } {
  const blank = key.indexOf(" ");
  return { proxy: key.slice(0, blank), name: key.slice(blank + 1) };
}
