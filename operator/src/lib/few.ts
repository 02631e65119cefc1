/**
 * A set that mostly holds nothing or one item, and costs next to nothing then: a graph of 10,000 routes has 400,000 of them,
 * and a `Set` takes 200 bytes when empty. Items are neither arrays nor sets nor undefined.
 */
export type Few<T extends object | string> = undefined | T | readonly T[] | Set<T>;

/** Beyond this, looking through a list takes longer than asking a set. */
const maxListed = 8;

/** The set with `item`: to be stored in the place of `few`, which is not to be used any more. */
export function withItem<T extends object | string>(few: Few<T>, item: T): Few<T> {
  if (few === undefined) return item;
  if (few instanceof Set) return few.add(item);
  if (!isList(few)) return few === item ? few : [few, item];
  if (few.includes(item)) return few;
  // Copied: a list that grows in place is given room for many more.
  return few.length < maxListed ? few.concat([item]) : new Set([...few, item]);
}

/** The set without `item`: to be stored in the place of `few`, which is not to be used any more. */
export function withoutItem<T extends object | string>(few: Few<T>, item: T): Few<T> {
  if (few === undefined) return undefined;
  if (few instanceof Set) {
    few.delete(item);
    return few.size === 0 ? undefined : few;
  }
  if (!isList(few)) return few === item ? undefined : few;
  const rest = few.filter((other) => other !== item);
  return rest.length === 1 ? rest[0] : rest;
}

const none: readonly never[] = [];

export function itemsOf<T extends object | string>(few: Few<T>): Iterable<T> {
  if (few === undefined) return none;
  return few instanceof Set || isList(few) ? few : [few];
}

export function hasItem<T extends object | string>(few: Few<T>, item: T): boolean {
  if (few === undefined) return false;
  if (few instanceof Set) return few.has(item);
  return isList(few) ? few.includes(item) : few === item;
}

const isList = <T extends object | string>(few: T | readonly T[]): few is readonly T[] => Array.isArray(few);
