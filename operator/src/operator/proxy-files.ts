import { bootstrapNeeds, proxyFolders } from "../infra/index.ts";
import type { Proxy } from "../ir/index.ts";
import { adsIdentityFiles, buildBootstrap } from "../xds/index.ts";

/** Where proxies reach the operator. The name is also what its certificate says. */
export type AdsLocation = { readonly name: string; readonly port: number };

/** What the Envoys of a Gateway read when they start, by file name. */
export function proxyFiles(proxy: Proxy, { name, port }: AdsLocation): Readonly<Record<string, string>> {
  const { nodeCluster, admin, management, maxHeapBytes } = bootstrapNeeds(proxy);
  const identity = { ...proxyFolders, serverName: name };
  const files = {
    "bootstrap.json": buildBootstrap({
      nodeCluster,
      ads: { address: name, port },
      identity,
      admin,
      probePort: management.port,
      ...(management.drain && { drain: management.drain }),
      ...(maxHeapBytes !== undefined && { maxHeapBytes }),
    }),
    ...adsIdentityFiles(identity),
  };
  return Object.fromEntries(Object.entries(files).map(([file, content]) => [file, JSON.stringify(content)]));
}
