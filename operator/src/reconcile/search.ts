/**
 * Finds which of several suspects spoil what they are part of, when only the whole can be tried.
 *
 * All suspects are held back first, so that everything else is served at once; then groups are let go and tried, and a
 * group that spoils is halved. With n suspects and k culprits some 2·k·log₂(n) trials are needed; one suspect needs none.
 */
export type Search = {
  /** Suspects that are held back now. */
  readonly held: ReadonlySet<string>;
  /** Whether a trial is under way or due: its verdict is wanted. */
  readonly active: () => boolean;
  /** The present trial went well: its group is innocent. Returns what was acquitted. */
  readonly passed: () => readonly string[];
  /** The present trial failed: its group is held back again, and halved. Returns the culprit where it is only one. */
  readonly failed: () => string | undefined;
};

export function createSearch(suspects: readonly string[]): Search {
  const held = new Set(suspects);
  // Groups still to be tried. The trial that is under way is `current`; the first is "everything held back".
  const queue: (readonly string[])[] = suspects.length > 1 ? halve(suspects) : [];
  let current: readonly string[] = [];
  let open = true;

  function next(): void {
    const group = queue.shift();
    current = group ?? [];
    open = group !== undefined;
    for (const suspect of current) held.delete(suspect);
  }

  return {
    held,
    active: () => open,
    passed: () => {
      const acquitted = current;
      next();
      return acquitted;
    },
    failed: () => {
      const group = current;
      for (const suspect of group) held.add(suspect);
      if (group.length > 1) queue.unshift(...halve(group));
      next();
      return group.length === 1 ? group[0] : undefined;
    },
  };
}

function halve(group: readonly string[]): (readonly string[])[] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)].filter((half) => half.length > 0);
}
