export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export type JsonObject = Readonly<Record<string, unknown>>;

/** The type of a value that came from YAML or JSON. Whole numbers that fit into 64 bits are integers, however written. */
export function typeOf(value: unknown): JsonType {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? "integer" : "number";
    case "boolean":
      return "boolean";
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "array" : "object";
    default:
      throw new TypeError(`a ${typeof value} is no JSON value`);
  }
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const has = (object: JsonObject, name: string): boolean =>
  Object.hasOwn(object, name) && object[name] !== undefined;
