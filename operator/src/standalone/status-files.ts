import { kinds } from "@gatewright/crd-types";
import type { Settings } from "../gatewayapi/index.ts";
import { type Clock, type Logger, systemClock } from "../lib/index.ts";
import type { Reconciler } from "../reconcile/index.ts";
import { createStatusFiles, type StatusFiles } from "../writer/index.ts";

export type StatusFileKeeper = Pick<StatusFiles, "close"> & {
  /**
   * Writes from now on, and what has changed until now. Before Envoys are up every Gateway is pending; a run that comes to what the last one
   * left has nothing to write then.
   */
  readonly open: () => void;
};

/** The longest that first statuses wait for Envoys to be up. */
const patienceMs = 10_000;

/** Writes statuses to files as they change, once it is opened. */
export function keepStatusFiles(
  { onRound, statuses }: Pick<Reconciler, "onRound" | "statuses">,
  directory: string,
  { controllerName }: Settings,
  logger: Logger,
  clock: Clock = systemClock,
): StatusFileKeeper {
  const files = createStatusFiles({
    directory,
    controllerName,
    apiVersionOf: (kind) => kinds[kind].apiVersion,
    clock,
    now: () => new Date(),
    logger,
  });
  const waiting = new Set<string>();
  let isOpen = false;
  const write = (keys: Iterable<string>) => files.write([...keys].map((key) => [key, statuses.get(key)] as const));

  function open(): void {
    if (isOpen) return;
    isOpen = true;
    write(waiting);
    waiting.clear();
    // Objects may have gone while we did not run.
    void files.prune(new Set(statuses.keys()));
  }

  onRound(({ statuses: changed }) => {
    if (isOpen) write(changed);
    else for (const key of changed) waiting.add(key);
  });
  const cancel = clock.after(patienceMs, open);
  return {
    open,
    // A run that ends before it came up has nothing to say: not even what is gone is known.
    close: async () => {
      cancel();
      await files.close();
    },
  };
}
