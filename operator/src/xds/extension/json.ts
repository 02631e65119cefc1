import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A mapping, as parsers of YAML and JSON give it. */
export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function isJson(value: unknown): value is JsonValue {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return true;
    default:
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isJson);
      return isPlainObject(value) && Object.values(value).every(isJson);
  }
}

/** Sorts the keys of all objects: the same configuration, written in another order, must give the same bytes. */
export function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  return sortObject(value);
}

const sortObject = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key): [string, JsonValue] => [key, sortKeys(value[key] ?? null)]),
  );
