import { type DescMessage, type JsonValue, type MessageShape, toJson } from "@bufbuild/protobuf";
import { protoRegistry } from "./registry.ts";

/**
 * A message as Envoy's configuration files spell it: field names in snake_case as in Envoy's documentation, extensions
 * unpacked under `@type`.
 */
export function messageToJson<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): JsonValue {
  return toJson(schema, message, { registry: protoRegistry(), useProtoFieldName: true });
}
