import type { Cluster } from "../../ir/index.ts";

/** How to speak to a backend, and the mark of it in the cluster's name. */
export type BackendProtocol = { readonly protocol: Cluster["protocol"]; readonly mark?: string };

const http: BackendProtocol = { protocol: "http1" };
export const h2c: BackendProtocol = { protocol: "http2", mark: "h2c" };
const ws: BackendProtocol = { protocol: "websocket", mark: "ws" };

/** Kubernetes' own names and the common ones without a prefix. https://kep.k8s.io/3726 */
const known: ReadonlyMap<string, BackendProtocol> = new Map([
  ["", http],
  ["http", http],
  ["kubernetes.io/h2c", h2c],
  ["h2c", h2c],
  ["http2", h2c],
  ["grpc", h2c],
  ["kubernetes.io/ws", ws],
  ["ws", ws],
]);

/**
 * What a Service port's `appProtocol` asks for. Undefined: something that an HTTP route cannot speak, as `https` and
 * `kubernetes.io/wss` without a policy that says whom to trust.
 */
export function parseAppProtocol(appProtocol: string | undefined, isTls = false): BackendProtocol | undefined {
  const name = appProtocol?.toLowerCase() ?? "";
  return known.get(name) ?? (isTls ? overTls.get(name) : undefined);
}

/** What a policy has to stand behind. */
const overTls: ReadonlyMap<string, BackendProtocol> = new Map([
  ["https", http],
  ["kubernetes.io/https", http],
  ["kubernetes.io/wss", ws],
  ["wss", ws],
]);
