// A backend is a port of a Service. Its cluster is named after it and after the policy that clients of it need, so that all
// routes share it and an edit of a route never renames it.

/** `namespace/service|port`. */
export const backendKey = (namespace: string, service: string, port: number): string =>
  `${namespace}/${service}|${port}`;

export function parseBackendKey(key: string): { readonly service: string; readonly port: number } {
  const [service = "", port = ""] = key.split("|");
  return { service, port: Number(port) };
}

export const clusterName = (backend: string, policy: string | undefined): string =>
  policy === undefined ? backend : `${backend}|${policy}`;

export const backendOfCluster = (cluster: string): string => cluster.split("|", 2).join("|");
