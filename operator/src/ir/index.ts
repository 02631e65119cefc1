export type { Cluster, EndpointAddress, Endpoints, UpstreamTls } from "./cluster.ts";
export {
  listenerKey,
  parseRouteTableKey,
  parseUseKey,
  parseVirtualHostKey,
  type ProxyKey,
  routeTableKey,
  routeTableKeyOf,
  routeTableName,
  useKey,
  virtualHostKey,
  virtualHostKeyOf,
  virtualHostName,
} from "./keys.ts";
export { maxRegexProgramSize } from "./limits.ts";
export type {
  AccessLog,
  Binding,
  ClientValidation,
  DownstreamTls,
  FilterChain,
  HttpConnectionManager,
  Listener,
  TcpProxy,
  UdpProxy,
} from "./listener.ts";
export { formatOrigin, type Origin } from "./origin.ts";
export {
  type Proxy,
  type ProxyDeployment,
  type ProxyPort,
  type RequestedAddress,
  requestKey,
  type Toleration,
} from "./proxy.ts";
export type {
  CorsPolicy,
  ExtensionConfig,
  ForwardAction,
  Header,
  HeaderChange,
  Mirror,
  PathChange,
  PathMatch,
  RedirectAction,
  RetryPolicy,
  Rewrite,
  Route,
  RouteAction,
  RouteExtension,
  RouteMatch,
  RouteTable,
  ValueMatch,
  VirtualHost,
  WeightedBackend,
} from "./route.ts";
export {
  type ExternalAuth,
  type ListenerFilters,
  originOfRequestFilter,
  type RequestFilter,
  requestFilterName,
} from "./request-filter.ts";
export type { TlsCertificate } from "./secret.ts";
export type { Ir } from "./tables.ts";
