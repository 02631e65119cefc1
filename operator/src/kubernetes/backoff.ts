export type Backoff = {
  /** How long to wait before the next attempt: doubles with each, and is spread so that many do not come at once. */
  readonly next: () => number;
  readonly reset: () => void;
};

export type BackoffOptions = {
  readonly firstMs: number;
  readonly maxMs: number;
  /** In [0, 1). */
  readonly random?: () => number;
};

export function createBackoff({ firstMs, maxMs, random = Math.random }: BackoffOptions): Backoff {
  let ms = firstMs;
  return {
    next: () => {
      const delay = ms * (0.5 + random() / 2);
      ms = Math.min(ms * 2, maxMs);
      return delay;
    },
    reset: () => {
      ms = firstMs;
    },
  };
}
