import { bootstrapNeeds, proxyFolders } from "../infra/index.ts";
import type { Proxy } from "../ir/index.ts";
import { adsIdentityFiles, buildBootstrap } from "../xds/index.ts";

/** Where proxies reach the operator. The name is also what its certificate says. */
export type AdsLocation = {
  readonly name: string;
  readonly port: number;
  /** Pods of the cluster have an address of IPv6 first, which is where the kubelet asks whether they are ready. */
  readonly prefersIPv6?: boolean;
};

/** What the Envoys of a Gateway read when they start, by file name. */
export function proxyFiles(
  proxy: Proxy,
  { name, port, prefersIPv6 = false }: AdsLocation,
): Readonly<Record<string, string>> {
  const { nodeCluster, admin, management, maxHeapBytes } = bootstrapNeeds(proxy);
  const identity = { ...proxyFolders, serverName: name };
  const files = {
    "bootstrap.json": buildBootstrap({
      nodeCluster,
      ads: { address: name, port },
      identity,
      admin,
      probePort: management.port,
      prefersIPv6,
      ...(management.drain && { drain: management.drain }),
      ...(maxHeapBytes !== undefined && { maxHeapBytes }),
    }),
    ...adsIdentityFiles(identity),
  };
  return Object.fromEntries(Object.entries(files).map(([file, content]) => [file, JSON.stringify(content)]));
}
