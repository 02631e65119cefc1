import type { ProxyKey } from "./keys.ts";
import type { Origin } from "./origin.ts";

/** The routes of one listener or port. Its virtual hosts are in a table of their own, keyed `routeTable/host`. */
export type RouteTable = {
  readonly proxy: ProxyKey;
  /** How the virtual hosts reach Envoy: inside the table (RDS), or each as a resource (VHDS) where they are many. */
  readonly discovery: "inline" | "vhds";
  /** The table's name in Envoy. It names the way of discovery too: a table that changes it is a new table, which Envoy warms before it drops the old one. */
  readonly name: string;
  /**
   * Requests pass filters before a route is chosen. Envoy then has made the chain of filters already: extension filters of the table are
   * switched on for all of its routes. In chain order; undefined where there are no such filters.
   */
  readonly switchedOn?: readonly string[];
};

export type VirtualHost = {
  readonly proxy: ProxyKey;
  /** Key of its route table. */
  readonly routeTable: string;
  /** `*`, `*.example.com` or `a.example.com`. */
  readonly host: string;
  /** In order of precedence: the first match wins. Empty: every request is answered 404. */
  readonly routes: readonly Route[];
};

export type Route = {
  /** For logs and metrics: `namespace/name/rule-or-index/match-index`. */
  readonly name: string;
  readonly origin: Origin;
  readonly match: RouteMatch;
  readonly action: RouteAction;
  readonly requestHeaders?: HeaderChange;
  readonly responseHeaders?: HeaderChange;
  readonly cors?: CorsPolicy;
  /** Configuration of extension filters for this route. */
  readonly extensions: readonly RouteExtension[];
};

export type RouteMatch = {
  readonly path: PathMatch;
  readonly method?: string;
  readonly headers: readonly ValueMatch[];
  readonly queryParams: readonly ValueMatch[];
};

export type PathMatch =
  | { readonly kind: "exact"; readonly value: string }
  /** Matches whole segments: `/a` takes `/a` and `/a/b`, never `/ab`. `/` takes all. No slash at the end, but for `/` itself. */
  | { readonly kind: "prefix"; readonly value: string }
  /** RE2, the whole path, within `maxRegexProgramSize`. */
  | { readonly kind: "regex"; readonly value: string };

export type ValueMatch = { readonly name: string; readonly kind: "exact" | "regex"; readonly value: string };

export type RouteAction =
  | ForwardAction
  | RedirectAction
  /** Answers by itself; 500 where a reference of the rule cannot be resolved. */
  | { readonly kind: "respond"; readonly status: number };

export type ForwardAction = {
  readonly kind: "forward";
  /** Never empty; weights are > 0. */
  readonly backends: readonly WeightedBackend[];
  /** Share of the requests answered 500, or `status`, since some backends are invalid: `weight` of `total`. */
  readonly failing?: { readonly weight: number; readonly total: number; readonly status?: number };
  readonly rewrite?: Rewrite;
  readonly mirrors: readonly Mirror[];
  /** For the whole request; 0 is none. Undefined: Envoy's default is switched off too (Gateway API has none). */
  readonly requestTimeoutMs?: number;
  /** For one try at a backend. */
  readonly backendTimeoutMs?: number;
  readonly retry?: RetryPolicy;
};

export type WeightedBackend = {
  /** Name in the `clusters` table. */
  readonly cluster: string;
  readonly weight: number;
  readonly requestHeaders?: HeaderChange;
  readonly responseHeaders?: HeaderChange;
  readonly hostRewrite?: string;
};

export type Rewrite = {
  readonly host?: string;
  readonly path?: PathChange;
};

export type PathChange =
  /** Replaces the path and keeps the query. Starts with `/`. */
  | { readonly kind: "fullPath"; readonly value: string }
  /**
   * Replaces the prefix of the route's own path match, which is always a prefix match. Starts with `/` and has no slash at
   * the end, but for `/` itself: `/a` by `/` turns `/a/b` and `/a` into `/b` and `/`, and `/` by `/a` turns `/b` into `/a/b`.
   */
  | { readonly kind: "prefix"; readonly value: string };

export type RedirectAction = {
  readonly kind: "redirect";
  /** Undefined: that of the request. */
  readonly scheme?: "http" | "https";
  /** Undefined: that of the request, without its port where `port` is given. */
  readonly host?: string;
  /** Undefined: none is added. The rules of Gateway API for a port that is not stated are settled already. */
  readonly port?: number;
  readonly path?: PathChange;
  readonly status: 301 | 302 | 303 | 307 | 308;
};

export type Mirror = {
  readonly cluster: string;
  /** `numerator` of `denominator` requests. */
  readonly fraction: { readonly numerator: number; readonly denominator: number };
};

export type RetryPolicy = {
  /** Retries, not tries. */
  readonly attempts: number;
  readonly statusCodes: readonly number[];
  readonly backoffMs?: number;
};

/** Names are in lower case, each in one of the lists. */
export type HeaderChange = {
  readonly set: readonly Header[];
  readonly add: readonly Header[];
  readonly remove: readonly string[];
};

/** The value is meant literally: a `%` in it is a percent sign. */
export type Header = { readonly name: string; readonly value: string };

export type CorsPolicy = {
  /** `*`, exact origins, or origins with `*` in the host (`https://*.example.com`). */
  readonly allowOrigins: readonly string[];
  readonly allowMethods: readonly string[];
  readonly allowHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  readonly allowCredentials: boolean;
  readonly maxAgeSeconds: number;
};

export type RouteExtension = {
  /** Envoy's filter name, for example `envoy.filters.http.header_to_metadata`. */
  readonly filter: string;
  readonly config: ExtensionConfig;
  readonly origin: Origin;
};

/** An encoded `google.protobuf.Any`, already checked. */
export type ExtensionConfig = { readonly typeUrl: string; readonly value: Uint8Array };
