import type { JsonValue } from "@bufbuild/protobuf";

/** Puts `@type` first, where people look for it. */
export function readable(json: JsonValue): JsonValue {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(readable);
  const { "@type": type, ...fields } = json;
  const entries = Object.entries(fields).map(([name, value]): [string, JsonValue] => [name, readable(value)]);
  return Object.fromEntries(type === undefined ? entries : [["@type", type], ...entries]);
}
