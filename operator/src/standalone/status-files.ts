import { kinds } from "@gatewright/crd-types";
import type { Settings } from "../gatewayapi/index.ts";
import { type Logger, systemClock } from "../lib/index.ts";
import type { Reconciler } from "../reconcile/index.ts";
import { createStatusFiles, type StatusFiles } from "../writer/index.ts";

/** Writes statuses to files as they change. */
export function keepStatusFiles(
  { onRound, statuses }: Reconciler,
  directory: string,
  { controllerName }: Settings,
  logger: Logger,
): StatusFiles {
  const files = createStatusFiles({
    directory,
    controllerName,
    apiVersionOf: (kind) => kinds[kind].apiVersion,
    clock: systemClock,
    now: () => new Date(),
    logger,
  });
  let isFirst = true;
  onRound(({ statuses: changed }) => {
    files.write([...changed].map((key) => [key, statuses.get(key)] as const));
    // Objects may have gone while we did not run.
    if (isFirst) void files.prune(new Set(statuses.keys()));
    isFirst = false;
  });
  return files;
}
