import type { Socket } from "node:net";

/**
 * Connections taken in one round of the event loop. A handshake costs a millisecond of cryptography: a thousand that are all under way
 * would be dealt with in one go, and nothing else.
 */
const perRound = 4;

/** Hands over connections, which came paused, few at a time. */
export class Pacer {
  readonly #take: (socket: Socket) => void;
  readonly #waiting = new Set<Socket>();
  #isScheduled = false;

  constructor(take: (socket: Socket) => void) {
    this.#take = take;
  }

  add(socket: Socket): void {
    // It may break while it waits.
    socket.on("error", ignore);
    this.#waiting.add(socket);
    this.#schedule();
  }

  /** Those that wait are sent away. */
  close(): void {
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting.clear();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    this.#isScheduled = false;
    let taken = 0;
    for (const socket of this.#waiting) {
      if (taken++ === perRound) return this.#schedule();
      this.#waiting.delete(socket);
      if (socket.destroyed) continue;
      this.#take(socket);
      socket.resume();
    }
  }
}

const ignore = (): void => undefined;
