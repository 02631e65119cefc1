import type { ProxyKey } from "./keys.ts";
import type { Origin } from "./origin.ts";
import type { ListenerFilters } from "./request-filter.ts";

/** One Envoy listener: everything that a Gateway serves on one port. */
export type Listener = {
  readonly proxy: ProxyKey;
  /** Unique in its proxy, also the name in Envoy: `http-80`, `tls-443`. */
  readonly name: string;
  /** As the Gateway states it; where the proxy really binds is the proxy's business (`Proxy.bindings`). */
  readonly port: number;
  /** Envoy's address and port. */
  readonly bind: Binding;
  /** Empty for UDP. */
  readonly filterChains: readonly FilterChain[];
  readonly udp?: UdpProxy;
  readonly accessLog?: AccessLog;
};

export type Binding = {
  readonly address: string;
  readonly port: number;
  /** `address` is `::` and takes connections over IPv4 as well. */
  readonly ipv4Compat?: true;
};

export type FilterChain = {
  /** Unique in the listener; stable under edits of its siblings. */
  readonly name: string;
  /** SNI names that choose this chain: `example.com` or `*.example.com`. Empty: any. */
  readonly serverNames: readonly string[];
  readonly tls?: DownstreamTls;
  /** The connection is TLS and goes on as it is; never beside `tls`. */
  readonly passthrough?: true;
  /** What is done with the connection: this, or `tcp`. */
  readonly http?: HttpConnectionManager;
  readonly tcp?: TcpProxy;
};

/** Connections go to one of the backends, by weight. Where there is none, they are closed. */
export type TcpProxy = {
  /** Weights are > 0. */
  readonly backends: readonly { readonly cluster: string; readonly weight: number }[];
  /** The weight of backends that are invalid: connections that they would get are closed. */
  readonly failingWeight: number;
};

/** Datagrams of one client go to one endpoint of the cluster, until it is silent for a while. Without a cluster they are dropped. */
export type UdpProxy = { readonly cluster?: string };

export type DownstreamTls = {
  /** Names of server certificates in the `secrets` table, in the Gateway's order. Never empty. */
  readonly certificates: readonly string[];
  readonly alpnProtocols: readonly string[];
  /** What clients have to show; undefined: nothing. */
  readonly clients?: ClientValidation;
};

/** How clients prove who they are. */
export type ClientValidation = {
  /** Certificates of authorities in PEM, never empty: who has a certificate of one of them is known. */
  readonly authorities: string;
  /** `valid`: who cannot prove it is turned away. `any`: clients are asked, and let in whatever they show. */
  readonly accept: "valid" | "any";
};

export type HttpConnectionManager = {
  /** Key and name of the route table. */
  readonly routeTable: string;
  /** Extension filters that some route of this table uses, in chain order; their configuration is in the `extensions` table. */
  readonly extensions: readonly string[];
  /** Whether some route of this table has CORS. */
  readonly cors: boolean;
  /** What listeners do with requests before a route is chosen. Undefined: none of this chain does anything. */
  readonly requestFilters?: readonly ListenerFilters[];
  /** Paths with escaped slashes are taken as they are, and not redirected to what they mean. */
  readonly keepsEscapedSlashes?: true;
};

export type AccessLog = {
  /** A file's path, or `stdout`. */
  readonly path: string;
  /** An Envoy format string, the line feed at its end included. Undefined, as `json` is: Envoy's own. */
  readonly format?: string;
  /** Each line is a JSON object with these members, whose values are Envoy format strings. Never beside `format`. */
  readonly json?: Readonly<Record<string, string>>;
  /** The MeshConfig that asks for it, where one does. */
  readonly origin?: Origin;
};
