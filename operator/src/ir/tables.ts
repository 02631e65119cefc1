import type { Table } from "../lib/index.ts";
import type { Cluster, Endpoints } from "./cluster.ts";
import type { Listener } from "./listener.ts";
import type { Proxy } from "./proxy.ts";
import type { RouteTable, VirtualHost } from "./route.ts";
import type { TlsCertificate } from "./secret.ts";

/** The IR: all that translation hands to the xDS builder. `…Uses` say which proxies need what of the shared tables. */
export type Ir = {
  /** By `ProxyKey`. */
  readonly proxies: Table<Proxy>;
  /** By `listenerKey`. */
  readonly listeners: Table<Listener>;
  /** By `routeTableKey`. */
  readonly routeTables: Table<RouteTable>;
  /** By `virtualHostKey`. */
  readonly virtualHosts: Table<VirtualHost>;
  /** Keys of virtual hosts by route table key. */
  readonly virtualHostsOf: Table<ReadonlySet<string>>;
  /** By cluster name. */
  readonly clusters: Table<Cluster>;
  /** By cluster name; only for clusters with EDS. */
  readonly endpoints: Table<Endpoints>;
  /** By `useKey(proxy, cluster name)`; the members are keys of virtual hosts, or of listeners. */
  readonly clusterUses: Table<ReadonlySet<string>>;
  /** By secret name. */
  readonly secrets: Table<TlsCertificate>;
  /** By `useKey(proxy, secret name)`; the members are keys of listeners, or of Gateways. */
  readonly secretUses: Table<ReadonlySet<string>>;
  /** By `useKey(proxy, filter name)`; the members are keys of listeners. */
  readonly extensionUses: Table<ReadonlySet<string>>;
};
