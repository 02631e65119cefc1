import type { Clock } from "../lib/index.ts";

export type OutflowOptions = {
  readonly clock: Clock;
  /** While so much is under way to clients that read, nothing more is sent: a thousand that connect at once are served in turn. */
  readonly maxBytes: number;
  /** A client that takes nothing for so long counts as slow, and holds up nobody. */
  readonly slowMs: number;
  /** After so long it is sent away. */
  readonly stuckMs: number;
  /** There is room again. */
  readonly onRoom: () => void;
};

export type Pipe = {
  readonly wrote: (bytes: number) => void;
  /** The network has taken so many bytes. */
  readonly drained: (bytes: number) => void;
  readonly close: () => void;
};

/**
 * What was sent to clients and is not read yet. The bytes are shared by all clients that are sent the same; what each costs is to remember
 * what it was sent.
 */
export class Outflow {
  readonly #options: OutflowOptions;
  /** Bytes of clients that read. */
  #bytes = 0;
  readonly #slow = new Set<Pipe>();

  constructor(options: OutflowOptions) {
    this.#options = options;
  }

  get hasRoom(): boolean {
    return this.#bytes < this.#options.maxBytes;
  }

  /** Clients that hardly read. */
  get slow(): number {
    return this.#slow.size;
  }

  /** `onStuck` is to end the connection; `unreadBytes` is what was sent and not read. */
  open(onStuck: (unreadBytes: number) => void): Pipe {
    const { clock, slowMs, stuckMs } = this.#options;
    let unread = 0;
    let cancel: (() => void) | undefined;
    let isClosed = false;
    const count = (bytes: number) => {
      unread += bytes;
      if (!this.#slow.has(pipe)) this.#bytes += bytes;
    };
    const stuck = () => onStuck(unread);
    const quicken = () => {
      if (!this.#slow.delete(pipe)) return;
      this.#bytes += unread;
    };
    const becomeSlow = () => {
      this.#bytes -= unread;
      this.#slow.add(pipe);
      cancel = clock.after(stuckMs - slowMs, stuck);
      this.#options.onRoom();
    };
    const watch = () => {
      cancel?.();
      cancel = unread === 0 ? undefined : clock.after(slowMs, becomeSlow);
    };
    const pipe: Pipe = {
      wrote: (bytes) => {
        if (isClosed) return;
        count(bytes);
        if (cancel === undefined) watch();
      },
      drained: (bytes) => {
        if (isClosed) return;
        quicken();
        count(-bytes);
        watch();
        if (this.hasRoom) this.#options.onRoom();
      },
      close: () => {
        if (isClosed) return;
        isClosed = true;
        quicken();
        count(-unread);
        watch();
        this.#options.onRoom();
      },
    };
    return pipe;
  }
}
