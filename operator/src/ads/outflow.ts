import type { Clock } from "../lib/index.ts";

export type OutflowOptions = {
  readonly clock: Clock;
  /** While so much is under way to clients that read, nothing more is sent: a thousand that connect at once are served in turn. */
  readonly maxBytes: number;
  /** Where more than this is under way to clients that hardly read, those that have held it longest are sent away. */
  readonly maxSlowBytes: number;
  /** After so long without one response being read to its end, a client counts as slow, and holds up nobody. */
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

/** What was sent to clients and is still in memory because they do not read it. */
export class Outflow {
  readonly #options: OutflowOptions;
  /** Bytes of clients that read. */
  #bytes = 0;
  #slowBytes = 0;
  /** The longest first. */
  readonly #slow = new Map<Pipe, () => void>();

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
    const isSlow = () => this.#slow.has(pipe);
    const count = (bytes: number) => {
      unread += bytes;
      if (isSlow()) this.#slowBytes += bytes;
      else this.#bytes += bytes;
    };
    const stuck = () => onStuck(unread);
    const quicken = () => {
      if (!this.#slow.delete(pipe)) return;
      this.#slowBytes -= unread;
      this.#bytes += unread;
    };
    const becomeSlow = () => {
      this.#bytes -= unread;
      this.#slowBytes += unread;
      this.#slow.set(pipe, stuck);
      cancel = clock.after(stuckMs - slowMs, stuck);
      this.#shed();
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

  #shed(): void {
    for (const stuck of this.#slow.values()) {
      if (this.#slowBytes <= this.#options.maxSlowBytes) return;
      stuck();
    }
  }
}
