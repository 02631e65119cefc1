/** What was written to one object before: what tells whether it may be written again, and when. */
export type History = {
  /** Milliseconds to wait before a write with this effect; 0: it may go at once. */
  readonly delayMs: (effect: string) => number;
  /** A write with this effect is on its way. Returns how often in a row the same one was undone by somebody. */
  readonly written: (effect: string) => number;
};

/** So many writes may go as soon as they come; after that one a second: a Gateway counts routes while thousands come. */
const burst = 10;
const refillMs = 1_000;

/** What was undone is written again after this, then after twice as long, up to the maximum. */
const firstUndoneMs = 1_000;
const maxUndoneMs = 300_000;

/** Who stood still for so long is not fighting any more. */
const peaceMs = 900_000;

export function createHistory(nowMs: () => number, random: () => number): History {
  let tokens = burst;
  let filledMs = nowMs();
  let last:
    | { readonly effect: string; readonly atMs: number; readonly undone: number; readonly pauseMs: number }
    | undefined;

  function undoneBy(effect: string): number {
    const isAgain = last?.effect === effect && nowMs() - last.atMs < Math.max(peaceMs, 2 * last.pauseMs);
    return isAgain && last !== undefined ? last.undone + 1 : 0;
  }

  function fill(): void {
    const now = nowMs();
    tokens = Math.min(burst, tokens + (now - filledMs) / refillMs);
    filledMs = now;
  }

  return {
    delayMs: (effect) => {
      fill();
      const forTokens = tokens >= 1 ? 0 : (1 - tokens) * refillMs;
      const forPeace = undoneBy(effect) > 0 && last !== undefined ? last.atMs + last.pauseMs - nowMs() : 0;
      return Math.ceil(Math.max(0, forTokens, forPeace));
    },
    written: (effect) => {
      fill();
      tokens = Math.max(0, tokens - 1);
      const undone = undoneBy(effect);
      // The first time may have been an accident: it is mended at once.
      const pauseMs =
        undone === 0 ? 0 : Math.min(maxUndoneMs, firstUndoneMs * 2 ** (undone - 1)) * (0.75 + random() / 2);
      last = { effect, atMs: nowMs(), undone, pauseMs };
      return undone;
    },
  };
}
