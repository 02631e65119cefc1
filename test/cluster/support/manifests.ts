// Objects of the cluster in which faults are tried.
const gatewayApi = "gateway.networking.k8s.io";

export const systemNamespace = "gatewright-system";
export const gatewayClass = "gatewright";

/** Two Envoys, which are soon gone when they are asked to end. */
export const meshConfig = (proxy: object = {}) => ({
  apiVersion: "config.aether.io/v1",
  kind: "MeshConfig",
  metadata: { name: "proxies" },
  spec: { proxy: { replicas: 2, drainSeconds: 5, ...proxy } },
});

export type Listener = { readonly name: string; readonly port: number; readonly protocol: string };

export const httpListener: Listener = { name: "http", port: 80, protocol: "HTTP" };

export const httpsListener = (hostname: string, secret: string) => ({
  name: secret,
  port: 443,
  protocol: "HTTPS",
  hostname,
  tls: { certificateRefs: [{ name: secret }] },
});

export const gateway = (name: string, listeners: readonly Listener[] = [httpListener]) => ({
  apiVersion: `${gatewayApi}/v1`,
  kind: "Gateway",
  metadata: { name },
  spec: {
    gatewayClassName: gatewayClass,
    listeners,
    infrastructure: { parametersRef: { group: "config.aether.io", kind: "MeshConfig", name: "proxies" } },
  },
});

export type RouteOptions = {
  readonly gateway: string;
  readonly backend?: string;
  readonly filters?: readonly object[];
};

/** For the host `NAME.example`. */
export const route = (name: string, { gateway: parent, backend = "echo", filters = [] }: RouteOptions) => ({
  apiVersion: `${gatewayApi}/v1`,
  kind: "HTTPRoute",
  metadata: { name },
  spec: {
    parentRefs: [{ name: parent }],
    hostnames: [`${name}.example`],
    rules: [{ filters, backendRefs: [{ name: backend, port: 8080 }] }],
  },
});

export const secret = (name: string, { certificate, privateKey }: { certificate: string; privateKey: string }) => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name },
  type: "kubernetes.io/tls",
  data: { "tls.crt": base64(certificate), "tls.key": base64(privateKey) },
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

export type BackendOptions = {
  /** The Secret with its certificate: it speaks TLS. */
  readonly tlsSecret?: string;
  /** It serves on for a while when it is to end, as it must where no request may fail. */
  readonly drains?: boolean;
};

/** A backend that answers everything with 200, and its Service. */
export const backend = (name: string, replicas = 2, { tlsSecret, drains = false }: BackendOptions = {}) => [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          terminationGracePeriodSeconds: drains ? 20 : 1,
          containers: [
            {
              name: "echo",
              image: "gateway-api/conformance/echo-basic:v1",
              env: [
                { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
                { name: "NAMESPACE", value: "faults" },
                ...(tlsSecret === undefined ? [] : tlsEnvironment),
              ],
              // Without it a pod counts as ready before it listens.
              readinessProbe: { tcpSocket: { port: tlsSecret === undefined ? 3000 : 8443 }, periodSeconds: 1 },
              ...(drains && { lifecycle: { preStop: { sleep: { seconds: 5 } } } }),
              volumeMounts: tlsSecret === undefined ? [] : [{ name: "tls", mountPath: "/tls" }],
            },
          ],
          volumes: tlsSecret === undefined ? [] : [{ name: "tls", secret: { secretName: tlsSecret } }],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 8080, targetPort: tlsSecret === undefined ? 3000 : 8443 }] },
  },
];

const tlsEnvironment = [
  { name: "TLS_SERVER_CERT", value: "/tls/tls.crt" },
  { name: "TLS_SERVER_PRIVKEY", value: "/tls/tls.key" },
];
