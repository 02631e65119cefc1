/** The longest that work for streams keeps the event loop. */
const sliceMs = 5;

/**
 * Gives each of many streams its turn, at once but in slices, so that a change for a thousand clients does not stop the process; nor do
 * the requests of a thousand clients, which come in one by one but all in one round of the event loop.
 */
export class Turns<T> {
  readonly #work: (item: T) => void;
  readonly #mayGoOn: () => boolean;
  readonly #waiting = new Set<T>();
  /** Milliseconds worked in this round of the event loop. */
  #spentMs = 0;
  #isRoundOpen = false;
  #isWorking = false;

  /** While `mayGoOn` says no, items wait; `resume` is to follow. */
  constructor(work: (item: T) => void, mayGoOn: () => boolean = () => true) {
    this.#work = work;
    this.#mayGoOn = mayGoOn;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  take(items: Iterable<T>): void {
    for (const item of items) this.#waiting.add(item);
    this.resume();
  }

  /** The item is gone: it needs no turn any more. */
  drop(item: T): void {
    this.#waiting.delete(item);
  }

  resume(): void {
    if (this.#isWorking || this.#waiting.size === 0 || this.#spentMs >= sliceMs) return;
    this.#openRound();
    this.#isWorking = true;
    const began = performance.now() - this.#spentMs;
    try {
      for (const item of this.#waiting) {
        if (!this.#mayGoOn()) break;
        this.#waiting.delete(item);
        this.#work(item);
        this.#spentMs = performance.now() - began;
        if (this.#spentMs >= sliceMs) break;
      }
    } finally {
      this.#isWorking = false;
    }
  }

  #openRound(): void {
    if (this.#isRoundOpen) return;
    this.#isRoundOpen = true;
    setImmediate(() => {
      this.#isRoundOpen = false;
      this.#spentMs = 0;
      this.resume();
    });
  }
}
