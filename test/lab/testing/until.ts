import { setTimeout as sleep } from "node:timers/promises";

/** Asks until the answer is not undefined, and fails with the last error if that takes too long. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, timeoutMs = 60_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline)
      throw new Error(`waited ${timeoutMs / 1000} s in vain for: ${what}`, { cause: last });
    await sleep(100);
  }
}
