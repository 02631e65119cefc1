import { setTimeout } from "node:timers/promises";

/** Waits for a condition to come true. Gives up in the end, so that a failed test does not keep the process alive. */
export async function until(condition: () => boolean, withinMs = 10_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`not true within ${withinMs} ms: ${condition.toString()}`);
    await setTimeout(2);
  }
}
