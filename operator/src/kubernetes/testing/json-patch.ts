import { deepEqual } from "../../lib/index.ts";
import { isRecord, type JsonObject } from "./merge-patch.ts";

/** What a JSON patch makes of an object, or undefined where one of its tests fails: https://www.rfc-editor.org/rfc/rfc6902 */
export function applyJsonPatch(target: JsonObject, steps: readonly unknown[]): JsonObject | undefined {
  let result: JsonObject = target;
  for (const step of steps) {
    if (!isRecord(step)) return undefined;
    const next = applyStep(result, String(step["path"]).split("/").slice(1), step);
    if (!isRecord(next)) return undefined;
    result = next;
  }
  return result;
}

function applyStep(target: unknown, [key = "", ...rest]: readonly string[], step: JsonObject): unknown {
  const isList = Array.isArray(target);
  if (!isList && !isRecord(target)) return undefined;
  const current: unknown = isList ? target[Number(key)] : target[key];
  if (rest.length > 0) {
    const changed = applyStep(current, rest, step);
    return changed === undefined ? undefined : put(target, key, changed);
  }
  const { op, value } = step;
  if (op === "test") return deepEqual(current ?? null, value) ? target : undefined;
  if (op === "add") return isList && key !== "-" ? target.toSpliced(Number(key), 0, value) : put(target, key, value);
  if (current === undefined) return undefined;
  return op === "replace" ? put(target, key, value) : without(target, key);
}

function put(target: JsonObject | readonly unknown[], key: string, value: unknown): unknown {
  if (isRecord(target)) return { ...target, [key]: value };
  return key === "-" ? [...target, value] : target.with(Number(key), value);
}

function without(target: JsonObject | readonly unknown[], key: string): unknown {
  if (Array.isArray(target)) return target.toSpliced(Number(key), 1);
  return Object.fromEntries(Object.entries(target).filter(([name]) => name !== key));
}
