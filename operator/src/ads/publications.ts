import type { AppliedChange } from "./resource.ts";

type Entry = { readonly changes: readonly AppliedChange[]; left: number };

/**
 * What was published for a proxy and not yet taken in by each of its streams: a change of a thousand resources for a thousand clients is
 * a million steps, so each takes it in when it has its turn.
 */
export class Publications {
  readonly #entries: Entry[] = [];
  /** The number of the first entry that is kept. */
  #first = 0;
  #readers = 0;

  /** For tests: how many are kept. */
  get size(): number {
    return this.#entries.length;
  }

  add(changes: readonly AppliedChange[]): void {
    if (this.#readers > 0 && changes.length > 0) this.#entries.push({ changes, left: this.#readers });
  }

  /** For one who has taken in all that there was. */
  open(): PublicationReader {
    this.#readers++;
    let next = this.#first + this.#entries.length;
    let isOpen = true;
    const take = (): readonly (readonly AppliedChange[])[] => {
      const entries = this.#entries.slice(next - this.#first);
      if (entries.length === 0 || !isOpen) return [];
      next += entries.length;
      for (const entry of entries) entry.left--;
      while (this.#entries[0]?.left === 0) {
        this.#entries.shift();
        this.#first++;
      }
      return entries.map(({ changes }) => changes);
    };
    return {
      take,
      close: () => {
        take();
        if (isOpen) this.#readers--;
        isOpen = false;
      },
    };
  }
}

export type PublicationReader = {
  /** What has been published since this was asked last. */
  readonly take: () => readonly (readonly AppliedChange[])[];
  readonly close: () => void;
};
