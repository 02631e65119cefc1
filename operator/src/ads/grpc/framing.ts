const headerBytes = 5;

/** A message as it goes over the wire: not compressed, its length before it. */
export function frameMessage(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(headerBytes + message.length);
  framed.writeUInt8(0, 0);
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, headerBytes);
  return framed;
}

export type Deframed =
  | { readonly kind: "messages"; readonly messages: readonly Buffer[] }
  | { readonly kind: "too large" | "compressed" };

/** Cuts what comes in, in whatever pieces, into messages. */
export class Deframer {
  readonly #maxBytes: number;
  #parts: Buffer[] = [];
  #length = 0;
  /** Bytes that the next message has in all, once its header is known. */
  #wanted = headerBytes;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  push(bytes: Buffer): Deframed {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    const messages: Buffer[] = [];
    // A large message comes in hundreds of pieces, which are put together once.
    while (this.#length >= this.#wanted) {
      const all =
        this.#parts.length === 1 && this.#parts[0] !== undefined ? this.#parts[0] : Buffer.concat(this.#parts);
      const isCompressed = all[0] !== 0;
      const size = headerBytes + all.readUInt32BE(1);
      if (isCompressed) return { kind: "compressed" };
      if (size - headerBytes > this.#maxBytes) return { kind: "too large" };
      const isComplete = all.length >= size;
      if (isComplete) messages.push(all.subarray(headerBytes, size));
      const rest = isComplete ? all.subarray(size) : all;
      this.#parts = rest.length === 0 ? [] : [rest];
      this.#length = rest.length;
      this.#wanted = isComplete ? headerBytes : size;
    }
    return { kind: "messages", messages };
  }
}
