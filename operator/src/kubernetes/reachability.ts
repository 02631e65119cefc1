import type { Logger } from "../lib/index.ts";

/** Says once that the server cannot be reached, and once that it can again, however many ask it meanwhile. */
export function createReachability(logger: Logger): {
  readonly answered: () => void;
  readonly failed: (message: string) => void;
} {
  let downSince: number | undefined;
  return {
    answered: () => {
      if (downSince === undefined) return;
      logger.info({ downMs: Math.round(performance.now() - downSince) }, "the API server answers again");
      downSince = undefined;
    },
    failed: (message) => {
      if (downSince !== undefined) return;
      downSince = performance.now();
      logger.warn({}, `${message}; trying again`);
    },
  };
}
