import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A message as JSON, with `@type` first, where people look for it. */
export function readableMessage(json: JsonValue): JsonObject {
  const sorted = readable(json);
  if (typeof sorted !== "object" || sorted === null || Array.isArray(sorted)) throw new TypeError("this is no message");
  return sorted;
}

function readable(json: JsonValue): JsonValue {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(readable);
  const { "@type": type, ...fields } = json;
  const entries = Object.entries(fields).map(([name, value]): [string, JsonValue] => [name, readable(value)]);
  return Object.fromEntries(type === undefined ? entries : [["@type", type], ...entries]);
}
