import type { DesiredStatus } from "../gatewayapi/index.ts";
import { deepEqual } from "../lib/index.ts";
import { ownConditions } from "./own-conditions.ts";

/** A `status` as it is stored: conditions have times, and others may have written into it too. */
export type Status = Readonly<Record<string, unknown>>;

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
};
export type Entry = Readonly<Record<string, unknown>> & { readonly controllerName?: string };

/** Lists of entries that several controllers share: what tells one entry from another, and how many the API keeps. */
const sharedLists: ReadonlyMap<string, { readonly key: string; readonly max: number }> = new Map([
  ["parents", { key: "parentRef", max: 32 }],
  ["ancestors", { key: "ancestorRef", max: 16 }],
]);

/** The API keeps no more, everywhere. */
const maxConditions = 8;

/**
 * The status to store: what we want, with the times of `previous` where nothing changed, and with what others wrote.
 *
 * Conditions keep `lastTransitionTime` while their status stays; fields that we say nothing of, entries of other controllers and
 * conditions of types that are not ours stay as they are. Everything keeps its place: two controllers that each put their own last would
 * never come to rest. Where others have taken what the API allows, ours are left out from the end. `now` is an RFC 3339 time.
 */
export function mergeStatus(
  previous: Status | undefined,
  desired: DesiredStatus["status"],
  controllerName: string,
  now: string,
): Status {
  const merged: Record<string, unknown> = { ...previous };
  for (const [field, value] of Object.entries(desired)) {
    const before = previous?.[field];
    const shared = sharedLists.get(field);
    if (field === "conditions") merged[field] = mergeConditions(conditionsOf(before), conditionsOf(value), now);
    else if (shared !== undefined)
      merged[field] = mergeShared(entriesOf(before), entriesOf(value), { ...shared, controllerName, now });
    else if (field === "listeners") merged[field] = withTimes(entriesOf(before), entriesOf(value), "name", now);
    else merged[field] = value;
  }
  return merged;
}

/** Whether storing `after` in place of `before` would change nothing. */
export const sameStatus = (before: Status | undefined, after: Status): boolean => deepEqual(before ?? {}, after);

/** The status without our entries: of an object that is no longer our business. */
export function withoutEntriesOf(controllerName: string, status: Status): Status {
  const rest: Record<string, unknown> = { ...status };
  for (const field of sharedLists.keys())
    if (Array.isArray(status[field]))
      rest[field] = entriesOf(status[field]).filter((entry) => entry.controllerName !== controllerName);
  return rest;
}

/** The highest generation of the object that our own conditions in the status speak of. */
export function observedGenerationOf(status: Status | undefined, controllerName: string): number {
  const generations = ownConditionsIn(status, controllerName).map(({ condition }) => condition.observedGeneration ?? 0);
  return Math.max(0, ...generations);
}

/** A condition of ours, and what of the object it is about: an entry's reference, a listener's name, or nothing for the object itself. */
export type PlacedCondition = { readonly place: unknown; readonly condition: Condition };

export function ownConditionsIn(status: Status | undefined, controllerName: string): readonly PlacedCondition[] {
  if (status === undefined) return [];
  const placed = (place: unknown, value: unknown): readonly PlacedCondition[] =>
    conditionsOf(value)
      .filter(({ type }) => ownConditions.has(type))
      .map((condition) => ({ place, condition }));
  return [
    ...placed(undefined, status["conditions"]),
    ...entriesOf(status["listeners"]).flatMap((entry) => placed(entry["name"], entry["conditions"])),
    ...[...sharedLists].flatMap(([field, { key }]) =>
      entriesOf(status[field])
        .filter((entry) => entry.controllerName === controllerName)
        .flatMap((entry) => placed(entry[key], entry["conditions"])),
    ),
  ];
}

/** How many of the entries that we want found no room: others have filled the list. */
export function entriesWithoutRoom(desired: DesiredStatus["status"], merged: Status, controllerName: string): number {
  const ours = (value: unknown) => entriesOf(value).filter((entry) => entry.controllerName === controllerName).length;
  const fields = [...sharedLists.keys()].filter((field) => field in desired);
  return fields.reduce((sum, field) => sum + ours(desired[field]) - ours(merged[field]), 0);
}

function mergeConditions(
  before: readonly Condition[],
  desired: readonly Condition[],
  now: string,
): readonly Condition[] {
  const wanted = new Map(desired.map((condition) => [condition.type, condition]));
  const isForeign = ({ type }: Condition) => !ownConditions.has(type) && !wanted.has(type);
  const room = maxConditions - before.filter(isForeign).length;
  const kept = new Set(desired.slice(0, Math.max(0, room)).map(({ type }) => type));
  const timed = (condition: Condition, last?: Condition): Condition => ({
    ...condition,
    lastTransitionTime: (last?.status === condition.status ? last.lastTransitionTime : undefined) ?? now,
  });
  const merged: Condition[] = [];
  for (const last of before) {
    const condition = wanted.get(last.type);
    if (isForeign(last)) merged.push(last);
    else if (condition !== undefined && kept.delete(last.type)) merged.push(timed(condition, last));
  }
  return [...merged, ...desired.filter(({ type }) => kept.has(type)).map((condition) => timed(condition))];
}

type SharedOptions = {
  readonly key: string;
  readonly max: number;
  readonly controllerName: string;
  readonly now: string;
};

function mergeShared(
  before: readonly Entry[],
  desired: readonly Entry[],
  { key, max, controllerName, now }: SharedOptions,
): readonly Entry[] {
  const isForeign = (entry: Entry) => entry.controllerName !== controllerName;
  const room = max - before.filter(isForeign).length;
  const ours = before.filter((entry) => !isForeign(entry));
  const waiting = withTimes(ours, desired.slice(0, Math.max(0, room)), key, now).slice();
  const merged: Entry[] = [];
  for (const entry of before) {
    if (isForeign(entry)) {
      merged.push(entry);
      continue;
    }
    const at = waiting.findIndex((candidate) => deepEqual(candidate[key], entry[key]));
    if (at !== -1) merged.push(...waiting.splice(at, 1));
  }
  return [...merged, ...waiting];
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

export function entriesOf(value: unknown): readonly Entry[] {
  return Array.isArray(value)
    ? value.filter((entry): entry is Entry => typeof entry === "object" && entry !== null)
    : [];
}
