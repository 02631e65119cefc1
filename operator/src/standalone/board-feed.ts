import type { DesiredStatus } from "../gatewayapi/index.ts";
import type { Board, RowChange } from "./board.ts";

export type BoardFeed = {
  /** Statuses that may have changed, by key. */
  readonly push: (keys: Iterable<string>) => void;
  /** Resolves when all that was pushed is on the board. */
  readonly settled: () => Promise<void>;
};

export type BoardFeedOptions = {
  readonly board: Board;
  readonly statusOf: (key: string) => DesiredStatus | undefined;
  /** Called once for all that was pushed together. */
  readonly show: (changes: readonly RowChange[]) => void;
  /** So many rows are made at a time, with the event loop free in between: 400 unless given, a few milliseconds. */
  readonly sliceSize?: number;
};

/** Puts statuses on the board. At the start there may be ten thousand at once, and Envoys must not wait for the table. */
export function createBoardFeed({ board, statusOf, show, sliceSize = 400 }: BoardFeedOptions): BoardFeed {
  let pending = new Set<string>();
  let working = Promise.resolve();
  let isWorking = false;

  async function work(): Promise<void> {
    isWorking = true;
    const changes: RowChange[] = [];
    while (pending.size > 0) {
      const slice = [...pending].slice(0, sliceSize);
      pending = new Set([...pending].slice(sliceSize));
      changes.push(...board.update(slice.map((key) => [key, statusOf(key)] as const)));
      if (pending.size > 0) await new Promise((resolve) => setImmediate(resolve));
    }
    isWorking = false;
    show(changes);
  }

  return {
    push: (keys) => {
      for (const key of keys) pending.add(key);
      if (!isWorking) working = work();
    },
    settled: () => working,
  };
}
