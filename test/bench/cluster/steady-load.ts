import { Agent } from "node:http";
import { send, type Target } from "../../support/http-client.ts";
import { pause } from "./program.ts";

export type SteadyLoad = {
  /** Ends it and tells what came back, by status or error code, with how often. */
  readonly stop: () => Promise<ReadonlyMap<string, number>>;
};

/** So many requests a second in all, over a few connections that are kept. Whoever is late does not hurry afterwards. */
export function startSteadyLoad(
  target: Target,
  { connections, perSecond }: { readonly connections: number; readonly perSecond: number },
): SteadyLoad {
  const counts = new Map<string, number>();
  const stopped = new AbortController();
  const everyMs = (connections * 1000) / perSecond;
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let dueMs = performance.now(); !stopped.signal.aborted; ) {
      const outcome = await send(target, "/", { agent }).then(
        ({ status }) => String(status),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      dueMs = Math.max(dueMs + everyMs, performance.now() - everyMs);
      if (dueMs > performance.now()) await pause(dueMs - performance.now());
    }
    agent.destroy();
  };
  const clients = Array.from({ length: connections }, client);
  return {
    stop: async () => {
      stopped.abort();
      await Promise.all(clients);
      return counts;
    },
  };
}
