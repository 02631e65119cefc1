import { deepEqual } from "../lib/index.ts";
import type { Status } from "./merge.ts";

export type StatusPatch = Readonly<Record<string, unknown>>;

/**
 * The JSON merge patch that makes `after` of `before`, or undefined where they say the same: only fields that differ, so that what others
 * write beside them is not touched. https://www.rfc-editor.org/rfc/rfc7396
 */
export function statusPatch(before: Status | undefined, after: Status): StatusPatch | undefined {
  const patch = mergePatch(before ?? {}, after);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function mergePatch(before: StatusPatch, after: StatusPatch): StatusPatch {
  const patch: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [before[key], after[key]];
    if (deepEqual(from, to)) continue;
    // A merge patch says with null that a field goes.
    if (to === undefined) patch[key] = null;
    else patch[key] = isRecord(from) && isRecord(to) ? mergePatch(from, to) : to;
  }
  return patch;
}

const isRecord = (value: unknown): value is StatusPatch =>
  typeof value === "object" && value !== null && !Array.isArray(value);
