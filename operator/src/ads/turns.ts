/** The longest that work for streams keeps the event loop. */
const sliceMs = 5;

/** Gives each of many streams its turn, at once but in slices, so that a change for a thousand clients does not stop the process. */
export class Turns<T> {
  readonly #work: (item: T) => void;
  readonly #waiting = new Set<T>();
  #scheduled = false;

  constructor(work: (item: T) => void) {
    this.#work = work;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  take(items: Iterable<T>): void {
    for (const item of items) this.#waiting.add(item);
    if (!this.#scheduled) this.#slice();
  }

  #slice(): void {
    this.#scheduled = false;
    const end = performance.now() + sliceMs;
    for (const item of this.#waiting) {
      this.#waiting.delete(item);
      this.#work(item);
      if (performance.now() >= end) break;
    }
    if (this.#waiting.size === 0 || this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#slice());
  }
}
