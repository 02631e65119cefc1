// What every implementation gets alike; only the class differs.
import { hostAddress } from "./own-network.ts";

export const namespace = "bench";
export const gatewayName = "gw";
/** Free of what the implementations listen on themselves. */
export const httpPort = 10_080;
export const httpsPort = 10_443;
/** Of the two backends, and of the one that speaks TLS. The same in every cluster: snapshots have them. */
export const backendPorts = [10_081, 10_082] as const;
export const tlsBackendPort = 10_083;
export const secureHost = "secure.example.com";

export type KubernetesObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
};

export const gatewayClass = (name: string, controllerName: string): KubernetesObject => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name },
  spec: { controllerName },
});

export const secret = (certificate: string, privateKey: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "certificate", namespace },
  type: "kubernetes.io/tls",
  data: {
    "tls.crt": Buffer.from(certificate).toString("base64"),
    "tls.key": Buffer.from(privateKey).toString("base64"),
  },
});

export const gateway = (className: string): KubernetesObject => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  metadata: { name: gatewayName, namespace },
  spec: {
    gatewayClassName: className,
    listeners: [
      { name: "http", port: httpPort, protocol: "HTTP" },
      {
        name: "https",
        port: httpsPort,
        protocol: "HTTPS",
        hostname: secureHost,
        tls: { certificateRefs: [{ name: "certificate" }] },
      },
    ],
  },
});

export const services = ["app-a", "app-b"] as const;

export const service = (name: string): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace },
  spec: { ports: [{ name: "http", port: 80 }] },
});

export const endpointSlice = (name: string, port: number): KubernetesObject => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: `${name}-1`, namespace, labels: { "kubernetes.io/service-name": name } },
  addressType: "IPv4",
  ports: [{ name: "http", port, protocol: "TCP" }],
  endpoints: [{ addresses: [hostAddress], conditions: { ready: true } }],
});

export const hostOf = (name: string): string => `${name}.example.com`;
export const routeName = (index: number): string => `r${index}`;

export type RouteOptions = {
  readonly version?: string;
  readonly backend?: string;
  /** A rule before the usual one, so that its place can change. */
  readonly extraFirst?: boolean;
  /** What a rule names besides. */
  readonly extension?: ExtensionRef;
  /** Unless it is one made of the route's name. */
  readonly host?: string;
};

export type ExtensionRef = { readonly group: string; readonly kind: string; readonly name: string };

/** The name of the header that tells which edition of a route answers. */
export const versionHeader = "x-version";

/** A route with a host of its own, one prefix rule and one header filter, as in published comparisons. */
export function route(name: string, options: RouteOptions = {}): KubernetesObject {
  const { version = "0", backend = "app-a", extension, host = hostOf(name) } = options;
  const set = [{ name: versionHeader, value: version }];
  const filters = [
    { type: "ResponseHeaderModifier", responseHeaderModifier: { set } },
    ...(extension === undefined ? [] : [{ type: "ExtensionRef", extensionRef: extension }]),
  ];
  const backendRefs = [{ name: backend, port: 80 }];
  const rule = { matches: [{ path: { type: "PathPrefix", value: "/" } }], filters, backendRefs };
  const extra = { matches: [{ path: { type: "PathPrefix", value: "/extra" } }], filters, backendRefs };
  const rules = options.extraFirst === undefined ? [rule] : options.extraFirst ? [extra, rule] : [rule, extra];
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, namespace },
    spec: { parentRefs: [{ name: gatewayName }], hostnames: [host], rules },
  };
}
