// A backend is a port of a Service. Its cluster is named after it and after the policy that clients of it need, so that all
// routes share it and an edit of a route never renames it.

/**
 * What routes want to speak to it, whatever its port says of itself. `tcp` and `udp` pass on what comes, as it is; `reencrypt` is for
 * connections as well, within TLS of our own where a policy says so.
 */
export type BackendTransport = (typeof transports)[number];

const transports = ["http", "grpc", "tcp", "reencrypt", "udp"] as const;

/** `namespace/service|port`, and the transport after it where that is not HTTP. */
export const backendKey = (
  namespace: string,
  service: string,
  port: number,
  transport: BackendTransport = "http",
): string => `${namespace}/${service}|${port}${transport === "http" ? "" : `|${transport}`}`;

export function parseBackendKey(key: string): {
  readonly service: string;
  readonly port: number;
  readonly transport: BackendTransport;
} {
  const [service = "", port = "", stated] = key.split("|");
  const transport = transports.find((each) => each === stated) ?? "http";
  return { service, port: Number(port), transport };
}

export const serviceOfBackend = (backend: string): string => parseBackendKey(backend).service;

// A cluster's name: `namespace/service|port`, then the mark of how it is spoken to, then the certificate that is shown to it.

const tlsMark = "tls";

/** `mark` is that of the protocol; undefined for HTTP/1.1. */
export function clusterName(backend: string, mark: string | undefined, isTls: boolean): string {
  const port = backend.split("|", 2).join("|");
  const marks = [mark, isTls ? tlsMark : undefined].filter((each) => each !== undefined).join("+");
  return marks === "" ? port : `${port}|${marks}`;
}

function parseClusterName(cluster: string): {
  readonly port: string;
  readonly marks: readonly string[];
  readonly certificate: string | undefined;
} {
  const [service = "", port = "", marks = "", certificate] = cluster.split("|");
  return { port: `${service}|${port}`, marks: marks.split("+"), certificate };
}

/** The backends that a cluster may come from. */
export function backendsOfCluster(cluster: string): readonly string[] {
  const { port, marks } = parseClusterName(cluster);
  if (marks.includes("udp")) return [`${port}|udp`];
  if (marks.includes("tcp")) return [`${port}|tcp`, `${port}|reencrypt`];
  return [port, `${port}|grpc`];
}

/** The cluster for a proxy that shows this certificate to backends: connections of its own where they are TLS. */
export const presenting = (cluster: string, certificate: string | undefined): string =>
  certificate !== undefined && parseClusterName(cluster).marks.includes(tlsMark)
    ? `${cluster}|${certificate}`
    : cluster;

/** The opposite of `presenting`. */
export function parsePresenting(cluster: string): { readonly base: string; readonly certificate?: string } {
  const { certificate } = parseClusterName(cluster);
  return certificate === undefined
    ? { base: cluster }
    : { base: cluster.slice(0, -certificate.length - 1), certificate };
}

const weightedMark = "|udp|weighted";

/** The cluster that shares out a UDPRoute's datagrams; no Service can have a port of this name. */
export const weightedClusterName = (namespace: string, route: string): string => `${namespace}/${route}${weightedMark}`;

export const isWeighted = (cluster: string): boolean => cluster.endsWith(weightedMark);
