import type { DesiredStatus } from "../gatewayapi/index.ts";
import { deepEqual } from "../lib/index.ts";

/** A `status` as it is stored: conditions have times, and others may have written into it too. */
export type Status = Readonly<Record<string, unknown>>;

type Condition = { readonly type: string; readonly status: string; readonly lastTransitionTime?: string };
type Entry = Readonly<Record<string, unknown>> & { readonly controllerName?: string };

/** Condition types that Gateway API and we define: one that we no longer want goes. Every other type is somebody else's. */
const ownConditions: ReadonlySet<string> = new Set([
  "Accepted",
  "Conflicted",
  "OverlappingTLSConfig",
  "PartiallyInvalid",
  "Programmed",
  "Ready",
  "ResolvedRefs",
  "Scheduled",
  "SupportedVersion",
]);

/** Lists of entries that several controllers share, and what tells one entry from another. */
const sharedLists: Readonly<Record<string, string>> = { parents: "parentRef", ancestors: "ancestorRef" };

/**
 * The status to store: what we want, with the times of `previous` where nothing changed, and with what others wrote.
 *
 * Conditions keep `lastTransitionTime` while their status stays; entries of other controllers and conditions of types that are not
 * ours stay as they are. `now` is an RFC 3339 time.
 */
export function mergeStatus(
  previous: Status | undefined,
  desired: DesiredStatus["status"],
  controllerName: string,
  now: string,
): Status {
  const merged: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(desired)) {
    const before = previous?.[field];
    const key = sharedLists[field];
    if (field === "conditions") merged[field] = mergeConditions(conditionsOf(before), conditionsOf(value), now);
    else if (key !== undefined)
      merged[field] = mergeShared(entriesOf(before), entriesOf(value), key, controllerName, now);
    else if (field === "listeners") merged[field] = withTimes(entriesOf(before), entriesOf(value), "name", now);
    else merged[field] = value;
  }
  return merged;
}

/** Whether storing `after` in place of `before` would change anything but times. */
export const sameStatus = (before: Status | undefined, after: Status): boolean => deepEqual(before, after);

function mergeConditions(
  before: readonly Condition[],
  desired: readonly Condition[],
  now: string,
): readonly Condition[] {
  const foreign = before.filter(
    ({ type }) => !ownConditions.has(type) && desired.every((wanted) => wanted.type !== type),
  );
  const ours = desired.map((condition) => {
    const last = before.find(({ type }) => type === condition.type);
    const since = last?.status === condition.status ? last.lastTransitionTime : undefined;
    return { ...condition, lastTransitionTime: since ?? now };
  });
  return [...ours, ...foreign];
}

function mergeShared(
  before: readonly Entry[],
  desired: readonly Entry[],
  key: string,
  controllerName: string,
  now: string,
): readonly Entry[] {
  const foreign = before.filter((entry) => entry.controllerName !== controllerName);
  const ours = before.filter((entry) => entry.controllerName === controllerName);
  return [...foreign, ...withTimes(ours, desired, key, now)];
}

/** Entries with conditions of their own, matched with their predecessors by the value at `key`. */
function withTimes(before: readonly Entry[], desired: readonly Entry[], key: string, now: string): readonly Entry[] {
  return desired.map((entry) => {
    const last = before.find((candidate) => deepEqual(candidate[key], entry[key]));
    return {
      ...entry,
      conditions: mergeConditions(conditionsOf(last?.["conditions"]), conditionsOf(entry["conditions"]), now),
    };
  });
}

// What is stored may have been written by anybody: what does not look like a condition or an entry is not taken over.

function conditionsOf(value: unknown): readonly Condition[] {
  return entriesOf(value).filter(
    (entry): entry is Entry & Condition => typeof entry["type"] === "string" && typeof entry["status"] === "string",
  );
}

function entriesOf(value: unknown): readonly Entry[] {
  return Array.isArray(value)
    ? value.filter((entry): entry is Entry => typeof entry === "object" && entry !== null)
    : [];
}
