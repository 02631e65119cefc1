export type JsonObject = { readonly [key: string]: unknown };

export const isRecord = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a JSON merge patch makes of an object: https://www.rfc-editor.org/rfc/rfc7396 */
export function applyMergePatch(target: unknown, patch: JsonObject): JsonObject {
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = isRecord(value) ? applyMergePatch(result[key], value) : value;
  }
  return result;
}
