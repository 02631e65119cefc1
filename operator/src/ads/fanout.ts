import { type Clock, systemClock } from "../lib/index.ts";
import { frameMessage } from "./grpc/index.ts";
import { encodeResponse } from "./response-encoding.ts";
import type { Draft } from "./type-session.ts";

type Encoded = {
  readonly draft: Draft;
  readonly serial: number;
  readonly nonce: string;
  /** As it goes over the wire, one for all. */
  readonly framed: Buffer;
};

const forgetAfterMs = 1_000;

/** Encodes the responses of one proxy's streams, once for all streams that are due the same. */
export class Fanout {
  readonly #nextSerial: () => number;
  readonly #clock: Clock;
  readonly #recent = new Map<string, Encoded>();
  #isForgetting = false;
  #isUsed = false;

  constructor(nextSerial: () => number, clock: Clock = systemClock) {
    this.#nextSerial = nextSerial;
    this.#clock = clock;
  }

  /** `after` is the serial of the stream's last response: a nonce is never used twice on a stream. */
  encode(draft: Draft, after: number): Encoded {
    const key = `${draft.type} ${draft.form}`;
    const recent = this.#recent.get(key);
    if (recent !== undefined && recent.serial > after && sameDraft(recent.draft, draft)) {
      this.#isUsed = true;
      return recent;
    }
    const serial = this.#nextSerial();
    const nonce = serial.toString(36);
    const encoded = { draft, serial, nonce, framed: frameMessage(encodeResponse(draft, nonce)) };
    this.#recent.set(key, encoded);
    this.#forgetLater();
    return encoded;
  }

  /** Clients that connect at once are due the same one after the other; when no more come, the bytes only cost memory. */
  #forgetLater(): void {
    if (this.#isForgetting) return;
    this.#isForgetting = true;
    this.#isUsed = false;
    this.#clock.after(forgetAfterMs, () => {
      this.#isForgetting = false;
      if (this.#isUsed) this.#forgetLater();
      else this.#recent.clear();
    });
  }
}

function sameDraft(left: Draft, right: Draft): boolean {
  return sameItems(left.resources, right.resources) && sameItems(left.removed, right.removed);
}

function sameItems<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
