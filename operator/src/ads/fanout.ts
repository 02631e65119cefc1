import { encodeResponse } from "./response-encoding.ts";
import type { Draft } from "./type-session.ts";

type Encoded = { readonly draft: Draft; readonly serial: number; readonly nonce: string; readonly bytes: Buffer };

/** Encodes the responses of one proxy's streams, once for all streams that are due the same. */
export class Fanout {
  readonly #nextSerial: () => number;
  readonly #recent = new Map<string, Encoded>();
  #forgetting = false;

  constructor(nextSerial: () => number) {
    this.#nextSerial = nextSerial;
  }

  /** `after` is the serial of the stream's last response: a nonce is never used twice on a stream. */
  encode(draft: Draft, after: number): Encoded {
    const key = `${draft.type} ${draft.form}`;
    const recent = this.#recent.get(key);
    if (recent !== undefined && recent.serial > after && sameDraft(recent.draft, draft)) return recent;
    const serial = this.#nextSerial();
    const nonce = serial.toString(36);
    const encoded = { draft, serial, nonce, bytes: encodeResponse(draft, nonce) };
    this.#recent.set(key, encoded);
    this.#forgetSoon();
    return encoded;
  }

  /** Streams that are due the same are served in one turn; to keep the bytes longer would only cost memory. */
  #forgetSoon(): void {
    if (this.#forgetting) return;
    this.#forgetting = true;
    setImmediate(() => {
      this.#forgetting = false;
      this.#recent.clear();
    });
  }
}

function sameDraft(left: Draft, right: Draft): boolean {
  return sameItems(left.resources, right.resources) && sameItems(left.removed, right.removed);
}

function sameItems<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}
