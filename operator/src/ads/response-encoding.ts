import type { Resource } from "./resource.ts";
import { traits } from "./resource-types.ts";
import type { Draft } from "./type-session.ts";
import { versionOf } from "./version.ts";

// Responses are put together by hand: the resources' bytes are copied once, from where they were encoded into the message, and by no
// object in between. Field numbers are those of envoy/service/discovery/v3/discovery.proto.

const lengthDelimited = 2;

const any = { typeUrl: 1, value: 2 } as const;
const resourceFields = { version: 1, resource: 2, name: 3 } as const;
const deltaResponse = { resources: 2, typeUrl: 4, nonce: 5, removedResources: 6 } as const;
const sotwResponse = { versionInfo: 1, resources: 2, typeUrl: 4, nonce: 5 } as const;

/** Encodes a `DeltaDiscoveryResponse` or, for the other forms, a `DiscoveryResponse`. */
export function encodeResponse(draft: Draft, nonce: string): Buffer {
  return draft.form === "delta" ? encodeDelta(draft, nonce) : encodeSotw(draft, nonce);
}

function encodeDelta({ type, resources, removed }: Draft, nonce: string): Buffer {
  const { typeUrl } = traits[type];
  const sizes = resources.map(deltaResourceSize);
  let size = fieldSize(utf8Size(typeUrl)) + fieldSize(utf8Size(nonce));
  for (const one of sizes) size += fieldSize(one);
  for (const name of removed) size += fieldSize(utf8Size(name));
  const writer = new Writer(size);
  resources.forEach((resource, index) => {
    writer.head(deltaResponse.resources, sizes[index] ?? 0);
    writer.text(resourceFields.version, resource.version);
    writer.head(resourceFields.resource, anySize(resource));
    writer.any(resource);
    writer.text(resourceFields.name, resource.name);
  });
  writer.text(deltaResponse.typeUrl, typeUrl);
  writer.text(deltaResponse.nonce, nonce);
  for (const name of removed) writer.text(deltaResponse.removedResources, name);
  return writer.buffer;
}

function encodeSotw({ type, resources }: Draft, nonce: string): Buffer {
  const { typeUrl } = traits[type];
  const version = versionOf(resources);
  let size = fieldSize(utf8Size(version)) + fieldSize(utf8Size(typeUrl)) + fieldSize(utf8Size(nonce));
  for (const resource of resources) size += fieldSize(anySize(resource));
  const writer = new Writer(size);
  writer.text(sotwResponse.versionInfo, version);
  for (const resource of resources) {
    writer.head(sotwResponse.resources, anySize(resource));
    writer.any(resource);
  }
  writer.text(sotwResponse.typeUrl, typeUrl);
  writer.text(sotwResponse.nonce, nonce);
  return writer.buffer;
}

function deltaResourceSize(resource: Resource): number {
  return fieldSize(utf8Size(resource.version)) + fieldSize(anySize(resource)) + fieldSize(utf8Size(resource.name));
}

const anySize = ({ typeUrl, body }: Resource): number => fieldSize(utf8Size(typeUrl)) + fieldSize(body.length);

const utf8Size = (text: string): number => Buffer.byteLength(text);

/** All our field numbers are below 16: a tag is one byte. */
const fieldSize = (length: number): number => 1 + varintSize(length) + length;

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}

class Writer {
  readonly buffer: Buffer;
  #at = 0;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  head(field: number, length: number): void {
    this.buffer[this.#at++] = (field << 3) | lengthDelimited;
    let rest = length;
    for (; rest > 127; rest = Math.floor(rest / 128)) this.buffer[this.#at++] = (rest % 128) | 128;
    this.buffer[this.#at++] = rest;
  }

  text(field: number, text: string): void {
    this.head(field, utf8Size(text));
    this.#at += this.buffer.write(text, this.#at);
  }

  any({ typeUrl, body }: Resource): void {
    this.text(any.typeUrl, typeUrl);
    this.head(any.value, body.length);
    this.buffer.set(body, this.#at);
    this.#at += body.length;
  }
}
