import {
  create,
  type DescMessage,
  fromBinary,
  type Message,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import { messageOf } from "../../lib/index.ts";
import { protoRegistry } from "./registry.ts";

const prefix = "type.googleapis.com/";

/** The type URL by which Envoy and the discovery protocol name a message type. */
export const typeUrl = (schema: { readonly typeName: string }): string => prefix + schema.typeName;

/** The full name of the message type that a type URL names. Envoy looks only at what follows the last slash. */
export const typeNameOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);

/** Serializes a message: fields by number, map entries in the order in which they were set. */
export function encode<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Uint8Array<ArrayBuffer> {
  return toBinary(schema, message);
}

/** Packs a message, or what one is made from, for a field that takes any type. */
export function packAny<Desc extends DescMessage>(schema: Desc, message: MessageInitShape<Desc>): Any {
  return create(AnySchema, { typeUrl: typeUrl(schema), value: encode(schema, create(schema, message)) });
}

/** What an Any holds. */
export type Unpacked =
  | { readonly kind: "message"; readonly desc: DescMessage; readonly message: Message }
  | { readonly kind: "unknown-type"; readonly typeName: string }
  | { readonly kind: "malformed"; readonly typeName: string; readonly message: string };

/** Unpacks any message of Envoy's API, without a generated schema at hand. */
export function unpackAny(any: Any): Unpacked {
  const typeName = typeNameOf(any.typeUrl);
  const desc = protoRegistry().getMessage(typeName);
  if (desc === undefined) return { kind: "unknown-type", typeName };
  try {
    return { kind: "message", desc, message: fromBinary(desc, any.value) };
  } catch (error) {
    return { kind: "malformed", typeName, message: messageOf(error) };
  }
}
