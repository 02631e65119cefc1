// Parts of objects that get in each other's way, for random histories: listeners that compete, references that lead nowhere, filters
// that are bad.

const tls = (namespace: string) => ({ certificateRefs: [{ name: "cert", namespace }] });
export const selector = { matchLabels: { team: "blue" } };

const extension = (name: string) => ({
  type: "ExtensionRef",
  extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name },
});
const auth = (backendRef: object, protocol: "HTTP" | "GRPC") => ({
  type: "ExternalAuth",
  externalAuth: { protocol, [protocol.toLowerCase()]: {}, backendRef },
});

export const listeners = [
  { name: "any", port: 80, protocol: "HTTP" },
  {
    name: "all",
    port: 80,
    protocol: "HTTP",
    hostname: "*.example.com",
    allowedRoutes: { namespaces: { from: "All" } },
  },
  {
    name: "one",
    port: 80,
    protocol: "HTTP",
    hostname: "a.example.com",
    allowedRoutes: { namespaces: { from: "All" } },
  },
  { name: "again", port: 80, protocol: "HTTP", hostname: "a.example.com" },
  { name: "blue", port: 81, protocol: "HTTP", allowedRoutes: { namespaces: { from: "Selector", selector } } },
  { name: "kinds", port: 81, protocol: "HTTP", hostname: "b.io", allowedRoutes: { kinds: [{ kind: "TCPRoute" }] } },
  { name: "tcp", port: 82, protocol: "TCP" },
  {
    name: "filtered",
    port: 80,
    protocol: "HTTP",
    hostname: "a.example.com",
    allowedRoutes: { namespaces: { from: "All" } },
    filters: { requests: [extension("f"), auth({ name: "app", port: 80 }, "HTTP"), extension("f")] },
  },
  {
    name: "asked",
    port: 80,
    protocol: "HTTP",
    hostname: "*.io",
    filters: { requests: [auth({ name: "app", namespace: "infra", port: 80 }, "GRPC")] },
  },
  {
    name: "secured",
    port: 443,
    protocol: "HTTPS",
    hostname: "f.example.com",
    tls: tls("infra"),
    filters: { requests: [auth({ name: "app", port: 80 }, "HTTP"), extension("f")] },
  },
  { name: "secure", port: 443, protocol: "HTTPS", tls: tls("infra") },
  { name: "granted", port: 443, protocol: "HTTPS", hostname: "*.example.com", tls: tls("certs") },
  { name: "rival", port: 80, protocol: "HTTPS", tls: tls("infra") },
  { name: "passed", port: 443, protocol: "TLS", hostname: "b.example.com", tls: { mode: "Passthrough" } },
  { name: "ended", port: 443, protocol: "TLS", hostname: "d.example.com", tls: tls("infra") },
  { name: "datagrams", port: 80, protocol: "UDP" },
];

const trusting = (name: string, namespace = "infra", mode = "AllowValidOnly") => ({
  validation: { mode, caCertificateRefs: [{ group: "", kind: "ConfigMap", namespace, name }] },
});

/** Names of ClusterTrustBundles. */
export const bundles = ["platform", "example.com:signer:v1"] as const;
export const bundleRef = (name: string) => ({ group: "certificates.k8s.io", kind: "ClusterTrustBundle", name });

/** `spec.tls` of Gateways. */
export const gatewayTls = [
  { frontend: { default: { validation: { caCertificateRefs: [bundleRef(bundles[0])] } } } },
  {
    frontend: {
      default: { validation: { clusterTrustBundleRef: { name: bundles[1] } } },
      perPort: [{ port: 443, tls: { validation: { caCertificateRefs: bundles.map(bundleRef) } } }],
    },
  },
  { frontend: { default: trusting("ca") } },
  { frontend: { default: trusting("ca", "certs"), perPort: [{ port: 443, tls: {} }] } },
  { frontend: { default: {}, perPort: [{ port: 443, tls: trusting("ca", "infra", "AllowInsecureFallback") }] } },
  { backend: { clientCertificateRef: { name: "cert", namespace: "infra" } } },
  { backend: { clientCertificateRef: { name: "cert", namespace: "certs" } } },
];

export const rules: readonly object[] = [
  { backendRefs: [{ name: "app", port: 80 }] },
  {
    matches: [{ path: { value: "/x" } }],
    backendRefs: [
      { name: "app", port: 80, weight: 3 },
      { name: "missing", port: 80 },
    ],
  },
  { matches: [{ path: { type: "Exact", value: "/y" } }], backendRefs: [{ name: "app", namespace: "infra", port: 80 }] },
  { filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https" } }] },
  {
    filters: [{ type: "ExtensionRef", extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name: "f" } }],
    backendRefs: [{ name: "app", port: 80 }],
  },
  {
    filters: [
      { type: "RequestRedirect", requestRedirect: { scheme: "https" } },
      { type: "URLRewrite", urlRewrite: { hostname: "a.io" } },
    ],
  },
];

export const mutation = (value: string, field = "append") => ({
  filter: "envoy.filters.http.header_mutation",
  typedConfig: {
    "@type": "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
    mutations: { request_mutations: [{ [field]: { header: { key: "x-a", value } } }] },
  },
});

/** Two that are good, and one with a field that Envoy does not know. */
export const filterSpecs = [mutation("1"), mutation("2"), mutation("3", "bad")];

export const parentRefs = [
  { name: "g0", namespace: "infra" },
  { name: "g0", namespace: "infra", sectionName: "one" },
  { name: "g1", namespace: "infra", port: 80 },
  { name: "g2", namespace: "apps" },
  { name: "g2", namespace: "apps", sectionName: "secure" },
  { kind: "ListenerSet", name: "s0", namespace: "infra" },
  { kind: "ListenerSet", name: "s1", namespace: "apps" },
  { kind: "ListenerSet", name: "s2", namespace: "apps", sectionName: "one" },
];
