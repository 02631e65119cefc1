import { createHash } from "node:crypto";
import type { Proxy } from "../ir/index.ts";
import { parseQuantity } from "../lib/index.ts";

/** The one port of a proxy that no Gateway can have: there it answers whether it is ready, its metrics, and the kubelet's call to drain. */
const managementPort = 19_001;

/** Ports that listeners of Gateways cannot have in a cluster, with the reason in words. */
export const reservedPorts: ReadonlyMap<number, string> = new Map([
  [managementPort, "the proxy answers there whether it is ready"],
]);

export const bootstrapFile = "bootstrap.json";
export const configFolder = "/etc/envoy";
export const secretFolder = "/etc/gatewright/identity";
/** The only one that Envoy can write to. */
export const workFolder = "/tmp";

const defaultDrainSeconds = 30;

/** What the configuration that an Envoy starts with must hold so that the rest of the deployment works with it. */
export type BootstrapNeeds = {
  /** Who the proxy is for: `namespace/name` of the Gateway. Which one of its pods it is, each pod says by `--service-node`. */
  readonly nodeCluster: string;
  /** Nobody outside of the container reaches it. */
  readonly admin: { readonly path: string };
  /** A listener on all addresses. GET of `drain.path` begins to drain, and is answered after so many seconds. */
  readonly management: {
    readonly port: number;
    readonly drain?: { readonly path: string; readonly seconds: number };
  };
  /** Undefined: there is no limit. */
  readonly maxHeapBytes?: number;
};

/** Where a proxy finds the files of its ConfigMap and those of its Secret: `ca.crt`, `tls.crt`, `tls.key`, replaced while it runs. */
export const proxyFolders = { configFolder, secretFolder } as const;

/** Envoy uses more than its heap. */
const heapShare = 0.85;

export function bootstrapNeeds({ namespace, name, uid, deployment }: Proxy): BootstrapNeeds {
  const limit = parseQuantity(deployment.resources?.limits?.["memory"] ?? "");
  const seconds = deployment.drainSeconds ?? defaultDrainSeconds;
  // Others reach the port too, and can call only what they can guess.
  const path = `/drain/${createHash("sha256").update(uid).digest("hex").slice(0, 32)}`;
  return {
    nodeCluster: `${namespace}/${name}`,
    admin: { path: `${workFolder}/admin.sock` },
    management: { port: managementPort, ...(seconds > 0 && { drain: { path, seconds } }) },
    ...(limit !== undefined && limit > 0 && { maxHeapBytes: Math.floor(limit * heapShare) }),
  };
}
