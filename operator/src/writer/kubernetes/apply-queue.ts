import type { Clock } from "../../lib/index.ts";

export type ApplyQueueOptions = {
  readonly clock: Clock;
  readonly maxInFlight: number;
  /** Asked before anything begins. */
  readonly mayRun: () => boolean;
  /** Returns after how many milliseconds it is to be called again, whatever happens; undefined: when it is woken. */
  readonly work: (key: string) => Promise<number | undefined>;
  readonly onError: (key: string, error: unknown) => void;
};

/** Works on keys that were woken: on one key once at a time, on so many keys at a time. */
export type ApplyQueue = {
  readonly wake: (key: string) => void;
  /** Goes on with what was woken while nothing could begin. */
  readonly resume: () => void;
  /** A delay that doubles with each failure of a key in a row, starting longer for one that only somebody else can cure. */
  readonly nextRetryMs: (key: string, needsHelp: boolean) => number;
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const retry = { firstMs: 500, maxMs: 30_000 };
const help = { firstMs: 5_000, maxMs: 300_000 };

export function createApplyQueue({ clock, maxInFlight, mayRun, work, onError }: ApplyQueueOptions): ApplyQueue {
  const due = new Set<string>();
  const running = new Map<string, Promise<void>>();
  const timers = new Map<string, () => void>();
  const failures = new Map<string, number>();
  let isClosed = false;
  let idle: (() => void)[] = [];

  function wake(key: string): void {
    due.add(key);
    pump();
  }

  function pump(): void {
    if (!isClosed && mayRun())
      for (const key of due) {
        if (running.size >= maxInFlight) break;
        if (!running.has(key)) begin(key);
      }
    if (running.size > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  }

  function begin(key: string): void {
    due.delete(key);
    timers.get(key)?.();
    timers.delete(key);
    // Not at once: who wakes many is to have woken all.
    const turn = Promise.resolve().then(() => work(key));
    running.set(
      key,
      turn.then(
        (delayMs) => conclude(key, delayMs),
        (error: unknown) => fail(key, error),
      ),
    );
  }

  function conclude(key: string, delayMs: number | undefined): void {
    if (delayMs === undefined) failures.delete(key);
    else schedule(key, delayMs);
    running.delete(key);
    pump();
  }

  function fail(key: string, error: unknown): void {
    onError(key, error);
    conclude(key, nextRetryMs(key, true));
  }

  function schedule(key: string, delayMs: number): void {
    if (isClosed) return;
    timers.get(key)?.();
    timers.set(
      key,
      clock.after(delayMs, () => {
        timers.delete(key);
        wake(key);
      }),
    );
  }

  function nextRetryMs(key: string, needsHelp: boolean): number {
    const count = failures.get(key) ?? 0;
    failures.set(key, count + 1);
    const { firstMs, maxMs } = needsHelp ? help : retry;
    return Math.min(firstMs * 2 ** count, maxMs);
  }

  return {
    wake,
    resume: pump,
    nextRetryMs,
    settled: () =>
      running.size === 0 && (due.size === 0 || !mayRun())
        ? Promise.resolve()
        : new Promise((resolve) => idle.push(resolve)),
    close: async () => {
      isClosed = true;
      due.clear();
      for (const cancel of timers.values()) cancel();
      timers.clear();
      await Promise.all(running.values());
    },
  };
}
