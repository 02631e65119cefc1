/** Time as something that tests can hold in their hands. */
export type Clock = {
  /** Runs `action` once after the delay, unless the returned function is called before. */
  readonly after: (delayMs: number, action: () => void) => () => void;
};

export const systemClock: Clock = {
  after: (delayMs, action) => {
    const timer = setTimeout(action, delayMs);
    // A pending action alone is no reason to keep the process alive.
    timer.unref();
    return () => clearTimeout(timer);
  },
};
