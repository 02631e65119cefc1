import type { Clock } from "../../lib/index.ts";

export type ManualClock = Clock & {
  /** Lets this much time pass; what is due meanwhile runs in its order. */
  readonly advance: (ms: number) => void;
  /** How many actions wait. */
  readonly waiting: () => number;
};

export function createManualClock(): ManualClock {
  const timers = new Set<{ readonly dueMs: number; readonly action: () => void }>();
  let nowMs = 0;
  return {
    after: (delayMs, action) => {
      const timer = { dueMs: nowMs + delayMs, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      const end = nowMs + ms;
      for (;;) {
        const [next] = [...timers].filter(({ dueMs }) => dueMs <= end).sort((left, right) => left.dueMs - right.dueMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = next.dueMs;
        next.action();
      }
      nowMs = end;
    },
    waiting: () => timers.size,
  };
}
