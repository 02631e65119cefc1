import {
  checkApiServer,
  type Cluster,
  ClusterError,
  connectToCluster,
  type ConnectOptions,
  createBackoff,
} from "../kubernetes/index.ts";
import { pause } from "./abortable.ts";

/** Finds the API server and waits until it answers. Throws `ClusterError` where it is not known which one, or where it does not know us. */
export async function reachCluster(options: ConnectOptions, signal: AbortSignal): Promise<Cluster> {
  const { logger } = options;
  const cluster = await connectToCluster(options);
  const backoff = createBackoff({ firstMs: 250, maxMs: 10_000 });
  for (let said = ""; !signal.aborted; ) {
    const check = await checkApiServer(cluster.api);
    if (check.kind === "reachable") {
      logger.info({ server: cluster.api.address, version: check.version }, "found the API server");
      return cluster;
    }
    if (check.kind === "refused") throw new ClusterError(check.message);
    if (check.message !== said) logger.warn({}, `${check.message}; trying again`);
    said = check.message;
    await pause(backoff.next(), signal);
  }
  return cluster;
}
