import type { Clock } from "../../lib/index.ts";

/** Holds everybody back while the server serves nobody. */
export type Gate = {
  readonly isOpen: () => boolean;
  /** The server failed a request that began at `beganMs`; it may have asked for a pause. */
  readonly failed: (beganMs: number, retryAfterMs?: number) => void;
  readonly succeeded: () => void;
  readonly close: () => void;
};

const firstMs = 500;
const maxMs = 30_000;

/** Opens by itself, each time later, and calls `onOpen`. */
export function createGate(
  { clock, monotonicMs, random }: { clock: Clock; monotonicMs: () => number; random: () => number },
  onOpen: () => void,
): Gate {
  let cancel: (() => void) | undefined;
  let failures = 0;
  let openedMs = -Infinity;

  return {
    isOpen: () => cancel === undefined,
    failed: (beganMs, retryAfterMs = 0) => {
      // Requests that were under way together fail together: once.
      if (cancel !== undefined || beganMs < openedMs) return;
      const pauseMs = Math.max(retryAfterMs, Math.min(maxMs, firstMs * 2 ** failures)) * (1 + random() / 2);
      failures++;
      cancel = clock.after(pauseMs, () => {
        cancel = undefined;
        openedMs = monotonicMs();
        onOpen();
      });
    },
    succeeded: () => {
      failures = 0;
    },
    close: () => cancel?.(),
  };
}
