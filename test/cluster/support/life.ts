// One of each kind that has a part in a Gateway, all of them good.
import { makeCertificate } from "../../support/certificates.ts";
import { gateway, httpListener, httpsListener, route, secret } from "./manifests.ts";

const gatewayApi = "gateway.networking.k8s.io/v1";
const here = (name: string) => ({ name });
const parents = (sectionName: string) => [{ name: "life", sectionName }];
const rulesTo = (name: string) => [{ backendRefs: [{ name, port: 8080 }] }];
const rules = rulesTo("echo");
const service = (name: string, protocol: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: here(name),
  spec: { selector: { app: "echo" }, ports: [{ port: 8080, targetPort: 3000, protocol }] },
});

const listener = (protocol: string, port: number, more: object = {}) => ({
  name: protocol.toLowerCase(),
  port,
  protocol,
  ...more,
});

/** In the order in which they can be made; all of them in one namespace. */
export function wholeLife(): readonly object[] {
  const { metadata, spec, ...rest } = gateway("life", [
    httpListener,
    httpsListener("life.example", "life"),
    listener("TLS", 8443, { hostname: "tls.example", tls: { mode: "Passthrough" } }),
    listener("TCP", 9000),
    listener("UDP", 9000),
  ]);
  const infrastructure = { parametersRef: { group: "config.aether.io", kind: "MeshConfig", name: "life" } };
  const allowedListeners = { namespaces: { from: "Same" } };
  const authority = makeCertificate({ dnsNames: ["authority"], authority: true });
  const extension = { group: "config.aether.io", kind: "HTTPFilter", name: "life" };
  return [
    {
      apiVersion: "config.aether.io/v1",
      kind: "MeshConfig",
      metadata: here("life"),
      spec: { proxy: { autoscaling: { minReplicas: 2, maxReplicas: 3 }, drainSeconds: 5 } },
    },
    secret("life", makeCertificate({ dnsNames: ["life.example"] })),
    { apiVersion: "v1", kind: "ConfigMap", metadata: here("life"), data: { "ca.crt": authority.certificate } },
    { ...rest, metadata, spec: { ...spec, infrastructure, allowedListeners } },
    {
      apiVersion: gatewayApi,
      kind: "ListenerSet",
      metadata: here("life"),
      spec: { parentRef: { name: "life" }, listeners: [{ name: "more", port: 8080, protocol: "HTTP" }] },
    },
    {
      apiVersion: "config.aether.io/v1",
      kind: "HTTPFilter",
      metadata: here("life"),
      spec: {
        headerToMetadata: { rules: [{ header: "x-tenant", metadataNamespace: "demo", metadataKey: "tenant" }] },
      },
    },
    route("life", { gateway: "life", filters: [{ type: "ExtensionRef", extensionRef: extension }] }),
    { apiVersion: gatewayApi, kind: "GRPCRoute", metadata: here("life"), spec: { parentRefs: parents("http"), rules } },
    {
      apiVersion: gatewayApi,
      kind: "TLSRoute",
      metadata: here("life"),
      spec: { parentRefs: parents("tls"), hostnames: ["tls.example"], rules },
    },
    { apiVersion: gatewayApi, kind: "TCPRoute", metadata: here("life"), spec: { parentRefs: parents("tcp"), rules } },
    service("datagrams", "UDP"),
    {
      apiVersion: gatewayApi,
      kind: "UDPRoute",
      metadata: here("life"),
      spec: { parentRefs: parents("udp"), rules: rulesTo("datagrams") },
    },
    {
      apiVersion: gatewayApi,
      kind: "BackendTLSPolicy",
      metadata: here("life"),
      spec: {
        targetRefs: [{ group: "", kind: "Service", name: "secure" }],
        validation: { hostname: "secure.example", caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "life" }] },
      },
    },
    service("secure", "TCP"),
    route("secure", { gateway: "life", backend: "secure" }),
    {
      apiVersion: gatewayApi,
      kind: "ReferenceGrant",
      metadata: here("life"),
      spec: {
        from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "elsewhere" }],
        to: [{ group: "", kind: "Service" }],
      },
    },
    // And one that is in trouble, for its events.
    route("troubled", { gateway: "life", backend: "missing" }),
  ];
}
