import type { Logger } from "../lib/index.ts";
import { createPace } from "./pace.ts";

export type Loop = {
  /** Something is to be done: a round follows, soon. */
  readonly wake: () => void;
  /** Rounds may run from now on; before, waking only marks that one is due. */
  readonly start: () => void;
  /** Runs `action` now, or after the round that is under way. */
  readonly between: (action: () => void) => void;
  /** Resolves when no round runs and none is due. */
  readonly settled: () => Promise<void>;
  /** Ends after the round that is under way. */
  readonly stop: () => Promise<void>;
};

/** Runs `round` whenever it was woken, one at a time, gathering what comes in a burst for at most `maxDelayMs`. */
export function createLoop(maxDelayMs: number, logger: Logger, round: () => Promise<void>): Loop {
  const pace = createPace(maxDelayMs);
  let state: "stopped" | "idle" | "waiting" | "running" = "stopped";
  let due = false;
  let ended = false;
  let timer: NodeJS.Timeout | undefined;
  let between: (() => void)[] = [];
  let waiters: (() => void)[] = [];

  function schedule(): void {
    if (!due || state !== "idle") return;
    state = "waiting";
    const delayMs = pace.delayMs();
    // A turn of the event loop even when idle: changes of one file or one watch read come together.
    if (delayMs === 0) setImmediate(() => void run());
    else timer = setTimeout(() => void run(), delayMs);
  }

  async function run(): Promise<void> {
    if (state !== "waiting") return;
    state = "running";
    due = false;
    const started = performance.now();
    try {
      await round();
    } catch (error) {
      // A bug: what was published stays, and the next change tries again.
      logger.error({ err: error }, "a round of the loop failed");
    }
    pace.ended(performance.now() - started);
    state = ended ? "stopped" : "idle";
    const actions = between;
    between = [];
    for (const action of actions) action();
    schedule();
    release();
  }

  function release(): void {
    if (state !== "stopped" && (state !== "idle" || due)) return;
    const released = waiters;
    waiters = [];
    for (const waiter of released) waiter();
  }

  return {
    wake: () => {
      due = true;
      schedule();
    },
    start: () => {
      if (state !== "stopped" || ended) return;
      state = "idle";
      schedule();
    },
    between: (action) => {
      if (state === "running") between.push(action);
      else action();
    },
    settled: () =>
      new Promise((resolve) => {
        waiters.push(resolve);
        // Before the start nothing can settle; after the end nothing more will.
        if (state === "idle" || ended) release();
      }),
    stop: () => {
      ended = true;
      clearTimeout(timer);
      if (state !== "running") state = "stopped";
      return new Promise((resolve) => {
        waiters.push(resolve);
        release();
      });
    },
  };
}
