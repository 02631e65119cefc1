import {
  checkApiServer,
  type Cluster,
  ClusterError,
  connectToCluster,
  type ConnectOptions,
  createBackoff,
} from "../kubernetes/index.ts";

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

const pause = (delayMs: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, delayMs);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
