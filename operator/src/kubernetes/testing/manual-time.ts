import type { Clock } from "../../lib/index.ts";

/** Time that passes only when it is told to. */
export type ManualTime = Clock & {
  /** Milliseconds since the start. */
  readonly now: () => number;
  /** Lets what is under way go on until it waits for something, without time passing. */
  readonly settle: () => Promise<void>;
  /** Lets time pass: what is due meanwhile runs in its order, each followed by what it sets off. */
  readonly advance: (ms: number) => Promise<void>;
  /** Lets time pass without anything running, as when a process is stopped and goes on later. What is due runs at the next `advance`. */
  readonly freeze: (ms: number) => void;
  readonly waiting: () => number;
};

export function createManualTime(): ManualTime {
  const timers = new Set<{ readonly dueMs: number; readonly action: () => void }>();
  let nowMs = 0;

  /** Promises that follow each other are all done once the event loop has turned a few times. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  }

  return {
    now: () => nowMs,
    settle,
    after: (delayMs, action) => {
      const timer = { dueMs: nowMs + delayMs, action };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const endMs = nowMs + ms;
      await settle();
      for (;;) {
        const [next] = [...timers].filter(({ dueMs }) => dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs);
        if (next === undefined) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.dueMs);
        next.action();
        await settle();
      }
      nowMs = endMs;
    },
    freeze: (ms) => {
      nowMs += ms;
    },
    waiting: () => timers.size,
  };
}
