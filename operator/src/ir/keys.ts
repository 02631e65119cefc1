// Keys of the IR's tables. `|` cannot stand in a Kubernetes name, a host or a port, so parts never run together.

/** A proxy's key is that of its Gateway, `namespace/name`. All Envoys of a Gateway are one proxy: they get the same configuration. */
export type ProxyKey = string;

export const listenerKey = (proxy: ProxyKey, port: number): string => `${proxy}|${port}`;

/** HTTP listeners of one port share a route table; each HTTPS listener has its own, chosen by SNI. */
export const routeTableKey = (proxy: ProxyKey, port: number, httpsListener?: string): string =>
  httpsListener === undefined ? `${proxy}|${port}` : `${proxy}|${port}|${httpsListener}`;

export const virtualHostKey = (routeTable: string, host: string): string => `${routeTable}/${host}`;

/** What a proxy uses of a table that proxies share: `proxy name`, split at the first blank. */
export const useKey = (proxy: ProxyKey, name: string): string => `${proxy} ${name}`;

export function parseUseKey(key: string): { readonly proxy: ProxyKey; readonly name: string } {
  const blank = key.indexOf(" ");
  return { proxy: key.slice(0, blank), name: key.slice(blank + 1) };
}
