// What the demo puts into its folder: what a user would write, but for the ports of the two backends.

export const demoNamespace = "demo";
export const demoHost = "shop.example.com";

const service = (name: string, port: number): string => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${demoNamespace}}
spec:
  ports: [{name: http, port: 80}]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: ${name}-1
  namespace: ${demoNamespace}
  labels: {kubernetes.io/service-name: ${name}}
addressType: IPv4
ports: [{name: http, port: ${port}}]
endpoints: [{addresses: ["127.0.0.1"]}]
`;

export const backends = (ports: Readonly<Record<string, number>>): string =>
  Object.entries(ports)
    .map(([name, port]) => service(name, port).trimStart())
    .join("---\n");

export const gateway = (port: number): string => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: ${demoNamespace}}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: http, port: ${port}, protocol: HTTP}
`;

/** What only an administrator may set: here, what Envoy logs of a request. */
export const mesh = (accessLogPath: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec:
  controllerName: gatewright.dev/gateway-controller
  parametersRef: {group: config.aether.io, kind: MeshConfig, name: mesh, namespace: gatewright-system}
---
apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: mesh, namespace: gatewright-system}
spec:
  telemetry:
    accessLog:
      path: ${accessLogPath}
      format: "%REQ(:PATH)% tenant=%DYNAMIC_METADATA(demo:tenant)%"
`;

export const filter = `apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: tenant, namespace: ${demoNamespace}}
spec:
  filter: envoy.filters.http.header_to_metadata
  typedConfig:
    "@type": type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config
    request_rules:
    - header: x-tenant
      on_header_present: {metadata_namespace: demo, key: tenant, type: STRING}
`;

/** `/plain` goes to green and has no filter; everything else goes to `backend` and passes the filter. */
export const routes = (backend: string): string => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop, namespace: ${demoNamespace}}
spec:
  parentRefs: [{name: web}]
  hostnames: [${demoHost}]
  rules:
  - matches: [{path: {value: /plain}}]
    backendRefs: [{name: green, port: 80}]
  - filters:
    - type: ExtensionRef
      extensionRef: {group: config.aether.io, kind: HTTPFilter, name: tenant}
    backendRefs: [{name: ${backend}, port: 80}]
`;
