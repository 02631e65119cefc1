import type { Clock } from "../lib/index.ts";
import type { ResourceType } from "./resource-types.ts";

/** A client's search for what is bad in a response that it refused. */
export type RunningSearch = { readonly isOver: boolean };

export type OwnSearch = RunningSearch & { readonly end: () => void };

/**
 * Which client of a proxy searches, by type. The others that refuse the same wait for what it finds: a thousand that search for one bad
 * resource would all be sent it again and again.
 */
export class Searches {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  readonly #onOver: () => void;
  readonly #running = new Map<ResourceType, RunningSearch>();

  /** Nobody waits longer than `patienceMs`, for the one that searches may not answer. `onOver`: those that wait are to go on. */
  constructor(clock: Clock, patienceMs: number, onOver: () => void) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#onOver = onOver;
  }

  running(type: ResourceType): RunningSearch | undefined {
    return this.#running.get(type);
  }

  begin(type: ResourceType): OwnSearch {
    const search = { isOver: false, end: () => this.#end(type, search, cancel) };
    const cancel = this.#clock.after(this.#patienceMs, search.end);
    if (!this.#running.has(type)) this.#running.set(type, search);
    return search;
  }

  #end(type: ResourceType, search: { isOver: boolean }, cancel: () => void): void {
    if (search.isOver) return;
    search.isOver = true;
    cancel();
    if (this.#running.get(type) !== search) return;
    this.#running.delete(type);
    this.#onOver();
  }
}
