/**
 * How long to wait for more changes before a round: not at all when idle, longer the busier it gets, never longer than
 * `maxMs` after the first change of the round.
 */
export type Pace = {
  /** Milliseconds to wait before the next round may start, measured from now. */
  readonly delayMs: () => number;
  /** A round is over; `tookMs` is how long it worked. */
  readonly ended: (tookMs: number) => void;
};

export function createPace(maxMs: number, now: () => number = () => performance.now()): Pace {
  let lastEnd = Number.NEGATIVE_INFINITY;
  let lastTook = 0;
  return {
    delayMs: () => {
      // As much rest as the last round took work, so that a burst is gathered rather than chased.
      const rest = lastEnd + Math.min(lastTook, maxMs) - now();
      return Math.max(0, rest);
    },
    ended: (tookMs) => {
      lastEnd = now();
      lastTook = tookMs;
    },
  };
}
