import { setTimeout } from "node:timers/promises";

/** Waits for a condition to come true; the test's own time limit is the only one. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setTimeout(2);
}
