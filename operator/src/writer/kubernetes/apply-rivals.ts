/** How long a change of somebody else stands before it is undone, when it was undone before. */
const firstMs = 1_000;
const maxMs = 300_000;
/** After so long without a rival, peace is made. */
const quietMs = 600_000;

/** Who is in a fight over an object gives way ever longer: none of the two would win, and the API server would lose. */
export type Rivals = {
  /** How long to wait before the object is set right, in milliseconds. */
  readonly delayOf: (ref: string) => number;
  /** It was set right. */
  readonly note: (ref: string) => void;
};

export function createRivals(now: () => number): Rivals {
  const fights = new Map<string, { readonly rounds: number; readonly lastMs: number }>();
  const current = (ref: string) => {
    const fight = fights.get(ref);
    if (fight === undefined || now() - fight.lastMs < quietMs) return fight;
    fights.delete(ref);
    return undefined;
  };
  return {
    delayOf: (ref) => {
      const fight = current(ref);
      if (fight === undefined) return 0;
      return Math.max(0, fight.lastMs + Math.min(firstMs * 2 ** (fight.rounds - 1), maxMs) - now());
    },
    note: (ref) => {
      fights.set(ref, { rounds: (current(ref)?.rounds ?? 0) + 1, lastMs: now() });
    },
  };
}
