import type { Unavailability } from "../gatewayapi/index.ts";
import type { ServedKinds } from "../kubernetes/index.ts";
import { type Clock, deepEqual, systemClock } from "../lib/index.ts";
import type { KindState } from "../source/index.ts";
import type { OptionalField, StoredKind } from "../store/index.ts";

export type AvailabilityOptions = {
  /** Those that a cluster may be without, and of which nothing that was read before may be used then. */
  readonly kinds: readonly StoredKind[];
  readonly served: ServedKinds["served"];
  readonly absentFields: () => ReadonlySet<OptionalField>;
  /** Of the kinds that are read. */
  readonly states: () => ReadonlyMap<StoredKind, KindState>;
  /** Called with all that cannot be read, first when `update` is called first. */
  readonly onChange: (unavailable: ReadonlyMap<StoredKind | OptionalField, Unavailability>) => void;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
};

export type Availability = {
  /** Looks whether something has changed. */
  readonly update: () => void;
  readonly close: () => void;
};

/** A server that is starting forbids what it has not read the roles for yet. What was read meanwhile stays in effect for so long. */
const forbiddenGraceMs = 10_000;

/** Knows of some kinds whether a reference to one can be followed: whether the cluster has them, and lets us read them. */
export function createAvailability(options: AvailabilityOptions): Availability {
  const { clock = systemClock, now = Date.now } = options;
  let told: ReadonlyMap<StoredKind | OptionalField, Unavailability> | undefined;
  let cancel: (() => void) | undefined;
  let isClosed = false;

  function update(): void {
    if (isClosed) return;
    cancel?.();
    cancel = undefined;
    const states = options.states();
    const unavailable = new Map<StoredKind | OptionalField, Unavailability>();
    for (const field of options.absentFields()) unavailable.set(field, { kind: "absent" });
    for (const kind of options.kinds) {
      const state = options.served().has(kind) ? stateOf(kind, states.get(kind)) : ({ kind: "absent" } as const);
      if (state !== undefined) unavailable.set(kind, state);
    }
    if (told !== undefined && deepEqual([...told], [...unavailable])) return;
    told = unavailable;
    options.onChange(unavailable);
  }

  /** Of a kind that is served. Until it has been read, what counted before goes on. */
  function stateOf(kind: StoredKind, state: KindState | undefined): Unavailability | undefined {
    const before = told === undefined ? ({ kind: "absent" } as const) : told.get(kind);
    if (state === undefined) return before;
    const { isListed, trouble } = state;
    if (trouble?.kind !== "forbidden") return isListed ? undefined : before;
    const remainingMs = isListed ? trouble.since + forbiddenGraceMs - now() : 0;
    if (remainingMs <= 0) return { kind: "unreadable", message: trouble.message };
    cancel = clock.after(remainingMs, update);
    return before;
  }

  return {
    update,
    close: () => {
      isClosed = true;
      cancel?.();
    },
  };
}
