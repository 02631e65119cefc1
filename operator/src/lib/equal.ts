import { Sensitive } from "./sensitive.ts";

/**
 * Whether two values of plain data say the same: objects by their own keys, arrays, maps, sets, bytes and sensitive values
 * by content, everything else by identity. A key that holds undefined counts as absent. Data must not be circular.
 */
export function deepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && equalArrays(left, right);
  if (isPlain(left)) return isPlain(right) && equalRecords(left, right);
  return equalInstances(left, right);
}

function equalArrays(left: readonly unknown[], right: readonly unknown[]): boolean {
  return left.length === right.length && left.every((value, index) => deepEqual(value, right[index]));
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function equalRecords(left: Readonly<Record<string, unknown>>, right: Readonly<Record<string, unknown>>): boolean {
  for (const key in left) if (left[key] !== undefined && !deepEqual(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}

/** Of objects with a class of their own, only those known here are equal by content. */
function equalInstances(left: object, right: object): boolean {
  if (left instanceof Uint8Array) return right instanceof Uint8Array && Buffer.compare(left, right) === 0;
  if (left instanceof Sensitive) return right instanceof Sensitive && left.equals(right);
  if (left instanceof Map) return right instanceof Map && equalMaps(left, right);
  if (left instanceof Set) return right instanceof Set && left.size === right.size && left.isSubsetOf(right);
  return false;
}

function equalMaps(left: ReadonlyMap<unknown, unknown>, right: ReadonlyMap<unknown, unknown>): boolean {
  if (left.size !== right.size) return false;
  for (const [key, value] of left) if (!right.has(key) || !deepEqual(value, right.get(key))) return false;
  return true;
}
