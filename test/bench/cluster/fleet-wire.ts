// The delta protocol by hand: a thousand clients in one process have to be cheaper than the server that they measure.
import { create, toBinary } from "@bufbuild/protobuf";
import { DeltaDiscoveryRequestSchema } from "@gatewright/crd-types/proto/envoy/service/discovery/v3/discovery_pb";

export type WireResource = { readonly name: string; readonly version: string; readonly body: Uint8Array };

export type WireResponse = {
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resources: readonly WireResource[];
  readonly removed: readonly string[];
};

/** Reads the length-delimited fields of a message; our messages have no others. */
function* fields(bytes: Buffer): Generator<readonly [field: number, value: Buffer]> {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at++] ?? 0;
    if ((tag & 7) !== 2 || tag > 127) throw new Error(`a field of a kind that no response has: ${tag}`);
    let length = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      length += (byte & 127) * shift;
      if (byte < 128) break;
    }
    yield [tag >> 3, bytes.subarray(at, at + length)];
    at += length;
  }
}

export function decodeResponse(bytes: Buffer): WireResponse {
  let typeUrl = "";
  let nonce = "";
  const resources: WireResource[] = [];
  const removed: string[] = [];
  for (const [field, value] of fields(bytes)) {
    if (field === 2) resources.push(decodeResource(value));
    else if (field === 4) typeUrl = value.toString();
    else if (field === 5) nonce = value.toString();
    else if (field === 6) removed.push(value.toString());
  }
  return { typeUrl, nonce, resources, removed };
}

function decodeResource(bytes: Buffer): WireResource {
  let name = "";
  let version = "";
  let body: Uint8Array = bytes.subarray(0, 0);
  for (const [field, value] of fields(bytes)) {
    if (field === 1) version = value.toString();
    else if (field === 3) name = value.toString();
    else if (field === 2) for (const [inner, content] of fields(value)) if (inner === 2) body = content;
  }
  return { name, version, body };
}

export type WireRequest = {
  readonly node?: { readonly id: string; readonly cluster: string };
  readonly typeUrl: string;
  readonly subscribe?: readonly string[];
  readonly initialVersions?: Readonly<Record<string, string>>;
  readonly nonce?: string;
  /** Why the response with this nonce is refused. */
  readonly error?: string;
};

/** A request in gRPC's frame. */
export function encodeRequest(request: WireRequest): Buffer {
  const message = toBinary(
    DeltaDiscoveryRequestSchema,
    create(DeltaDiscoveryRequestSchema, {
      ...(request.node !== undefined && { node: request.node }),
      typeUrl: request.typeUrl,
      resourceNamesSubscribe: [...(request.subscribe ?? [])],
      initialResourceVersions: { ...request.initialVersions },
      responseNonce: request.nonce ?? "",
      ...(request.error !== undefined && { errorDetail: { code: 13, message: request.error } }),
    }),
  );
  const framed = Buffer.allocUnsafe(message.length + 5);
  framed.writeUInt8(0, 0);
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, 5);
  return framed;
}

/** Cuts a stream of bytes into gRPC's messages. */
export class Deframer {
  #parts: Buffer[] = [];
  #length = 0;

  push(bytes: Buffer): Buffer[] {
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length < this.#wanted()) return [];
    let rest = this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts);
    const messages: Buffer[] = [];
    for (let size = sizeOf(rest); size !== undefined && rest.length >= size; size = sizeOf(rest)) {
      messages.push(rest.subarray(5, size));
      rest = rest.subarray(size);
    }
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    return messages;
  }

  /** A large message comes in hundreds of pieces: they are put together once. */
  #wanted(): number {
    const [first] = this.#parts;
    return (first && sizeOf(first)) ?? 5;
  }
}

const sizeOf = (bytes: Buffer): number | undefined => (bytes.length < 5 ? undefined : 5 + bytes.readUInt32BE(1));
