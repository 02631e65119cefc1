// Short forms of the manifests that end-to-end tests write.
import type { EchoBackend } from "../../support/echo-backend.ts";

export const joinDocuments = (...documents: string[]): string => documents.join("\n---\n");

export const gatewayClass = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}`;

/** A Gateway \`team-a/<name>\` with one HTTP listener that takes routes of all namespaces. */
export const httpGateway = (port: number, name = "gw"): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: team-a}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: web, port: ${port}, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}`;

/** A Service of the backend's name with an EndpointSlice that holds the backends' ports on loopback. */
export function service(name: string, backends: readonly Pick<EchoBackend, "port">[], namespace = "team-a"): string {
  const slices = backends.map(
    ({ port }, index) => `
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}-${index}, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: http, port: ${port}}]
endpoints: [{addresses: ["127.0.0.1"], conditions: {ready: true}}]`,
  );
  return joinDocuments(
    `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {ports: [{name: http, port: 80}]}`,
    ...slices,
  );
}

/** An HTTPRoute in team-a; `spec` is the YAML of its rules (and more), indented by two. */
export const httpRoute = (name: string, host: string | undefined, spec: string, gateway = "gw"): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: team-a}
spec:
  parentRefs: [{name: ${gateway}}]
${host === undefined ? "" : `  hostnames: ["${host}"]\n`}${spec}`;
