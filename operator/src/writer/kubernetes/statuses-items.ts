import { deepEqual } from "../../lib/index.ts";
import type { Status } from "../merge.ts";
import type { Observed } from "./statuses-plan.ts";

/** One step of a JSON patch: https://www.rfc-editor.org/rfc/rfc6902 */
export type PatchStep =
  | { readonly op: "test" | "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/**
 * The JSON patch that makes `after` of `before`, item by item of lists, each only if it is still as it was. What others change meanwhile, in
 * the same object and even in the same list, is neither in the way nor lost: so a status gets through where a resourceVersion never stands
 * still for long enough. Items of `after` must be in the order of `before`, new ones last, as `mergeStatus` leaves them.
 */
export function itemPatch({ uid, status: before }: Observed, after: Status): readonly PatchStep[] {
  // Another object by the same name has another story.
  const isSame = { op: "test", path: "/metadata/uid", value: uid } as const;
  if (before === undefined) return [isSame, ...put("/status", undefined, after)];
  const steps = Object.keys({ ...before, ...after }).flatMap((field): readonly PatchStep[] => {
    const [from, to] = [before[field], after[field]];
    if (deepEqual(from, to)) return [];
    const path = `/status/${field}`;
    return isItems(from) && isItems(to) && hasOrder(from, to) ? patchItems(path, from, to) : put(path, from, to);
  });
  return [isSame, ...steps];
}

/** Tests with null that nothing is there. */
function put(path: string, from: unknown, to: unknown): readonly PatchStep[] {
  const test = { op: "test", path, value: from ?? null } as const;
  return [
    test,
    to === undefined ? { op: "remove", path } : { op: from === undefined ? "add" : "replace", path, value: to },
  ];
}

type Item = Readonly<Record<string, unknown>>;

function patchItems(path: string, from: readonly Item[], to: readonly Item[]): readonly PatchStep[] {
  const wanted = new Map(to.map((item) => [identityOf(item), item]));
  const had = new Set(from.map(identityOf));
  const replaced: PatchStep[] = [];
  const removed: PatchStep[] = [];
  for (const [i, item] of from.entries()) {
    const at = `${path}/${i}`;
    const next = wanted.get(identityOf(item));
    const test = { op: "test", path: at, value: item } as const;
    // From the end, so that places of the others stay what they are.
    if (next === undefined) removed.unshift(test, { op: "remove", path: at });
    else if (!deepEqual(item, next)) replaced.push(test, { op: "replace", path: at, value: next });
  }
  const added = to.filter((item) => !had.has(identityOf(item)));
  return [...replaced, ...removed, ...added.map((value) => ({ op: "add", path: `${path}/-`, value }) as const)];
}

/** What tells an item of a status from its neighbours, in whatever list. */
const identityOf = ({ controllerName, parentRef, ancestorRef, name, type }: Item): string =>
  JSON.stringify([controllerName, canonical(parentRef), canonical(ancestorRef), name, type]);

const canonical = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value;

const isItems = (value: unknown): value is readonly Item[] =>
  Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null);

/** Whether items stay in their places, each once: else the list is replaced as a whole. */
function hasOrder(from: readonly Item[], to: readonly Item[]): boolean {
  const [before, after] = [from.map(identityOf), to.map(identityOf)];
  if (new Set(before).size < before.length || new Set(after).size < after.length) return false;
  const [had, wanted] = [new Set(before), new Set(after)];
  const made = [...before.filter((each) => wanted.has(each)), ...after.filter((each) => !had.has(each))];
  return deepEqual(made, after);
}
