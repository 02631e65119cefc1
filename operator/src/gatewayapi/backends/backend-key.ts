// A backend is a port of a Service. Its cluster is named after it and after the policy that clients of it need, so that all
// routes share it and an edit of a route never renames it.

/** What routes want to speak to it, whatever its port says of itself. */
export type BackendTransport = "http" | "grpc" | "tcp" | "udp";

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
  readonly transport: string;
} {
  const [service = "", port = "", transport = "http"] = key.split("|");
  return { service, port: Number(port), transport };
}

export const serviceOfBackend = (backend: string): string => parseBackendKey(backend).service;

export function clusterName(backend: string, mark: string | undefined): string {
  const port = backend.split("|", 2).join("|");
  return mark === undefined ? port : `${port}|${mark}`;
}

/** The backends that a cluster may come from. */
export function backendsOfCluster(cluster: string): readonly string[] {
  const port = cluster.split("|", 2).join("|");
  if (cluster === port) return [port];
  return cluster === `${port}|tcp` || cluster === `${port}|udp` ? [cluster] : [port, `${port}|grpc`];
}

const weightedMark = "|udp|weighted";

/** The cluster that shares out a UDPRoute's datagrams; no Service can have a port of this name. */
export const weightedClusterName = (namespace: string, route: string): string => `${namespace}/${route}${weightedMark}`;

export const isWeighted = (cluster: string): boolean => cluster.endsWith(weightedMark);
