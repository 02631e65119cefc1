import {
  type ApiServer,
  createListWatch,
  type ListWatch,
  type ListWatchState,
  type ObjectEvent,
  resourcePath,
  type ServedKind,
  type ServedKinds,
} from "../../kubernetes/index.ts";
import type { Clock, Logger } from "../../lib/index.ts";
import { type Change, isStoredKind, type StoredKind, storedKinds } from "../../store/index.ts";
import { readClusterObject } from "./read-object.ts";
import { selectorsOf } from "./selectors.ts";

export type KubernetesSourceOptions = {
  readonly api: ApiServer;
  /** Has had a first answer: what it does not have at `start` is taken to be not there. */
  readonly served: ServedKinds;
  readonly logger: Logger;
  readonly onChanges: (changes: readonly Change[]) => void;
  /** Called once: all kinds that are served have been read. */
  readonly onSynced: () => void;
  /** What `state` says has changed: which kinds are read, whether they have been, and whether they can be. */
  readonly onState?: () => void;
  /** A kind that was served is not there any more, which whoever knows what is served may not have noticed yet. */
  readonly onMissing?: () => void;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  /** See `ListWatchOptions`. */
  readonly silenceMs?: number;
};

export type KindState = ListWatchState & {
  /** Objects that came in a form that we cannot take. Their last good form stays, if there is one. */
  readonly skipped: number;
  readonly version: string;
};

export type KubernetesSource = {
  readonly start: () => void;
  readonly isSynced: () => boolean;
  /** Of the kinds that are served. */
  readonly state: () => ReadonlyMap<StoredKind, KindState>;
  readonly close: () => void;
};

type Reading = { readonly watch: ListWatch; readonly skipped: Set<string>; version: string };

/** The objects of a cluster, and what becomes of them: all kinds that the store has, as far as the server has them. */
export function createKubernetesSource(options: KubernetesSourceOptions): KubernetesSource {
  const { served, logger, onChanges } = options;
  const readings = new Map<StoredKind, Reading>();
  let isSynced = false;
  let stopListening: (() => void) | undefined;

  /** Follows what is served now. */
  function follow(): void {
    const now = served.served();
    for (const kind of allKinds) {
      const reading = readings.get(kind);
      const at = now.get(kind);
      if (at === undefined) {
        if (reading !== undefined) drop(kind, reading);
      } else if (reading === undefined) readings.set(kind, open(kind, at));
      else {
        reading.version = at.version;
        reading.watch.moveTo(resourcePath(at));
        if (reading.watch.state().trouble?.kind === "missing") reading.watch.retry();
      }
    }
    tellState();
  }

  function open(kind: StoredKind, at: ServedKind): Reading {
    const skipped = new Set<string>();
    const watch = createListWatch({
      ...options,
      path: resourcePath(at),
      name: kind,
      selectors: selectorsOf(kind),
      onEvents: (events) => {
        const changes = events.flatMap((event) => take(kind, event, skipped) ?? []);
        if (changes.length > 0) onChanges(changes);
      },
      onState: () => {
        if (readings.get(kind)?.watch.state().trouble?.kind === "missing") options.onMissing?.();
        tellState();
      },
    });
    return { watch, skipped, version: at.version };
  }

  function take(kind: StoredKind, event: ObjectEvent, skipped: Set<string>): Change | undefined {
    const { key } = event;
    skipped.delete(key);
    if (event.kind === "gone") return { kind, key, object: undefined };
    const reading = readClusterObject(kind, event.object);
    if (reading.kind === "change") return reading.change;
    skipped.add(key);
    const message = `${kind} ${key} is left out as it is now: it does not fit the schema`;
    if (skipped.size <= maxTold) logger.warn({ problems: reading.problems }, message);
    else logger.debug({ problems: reading.problems }, message);
    if (skipped.size === maxTold) logger.warn({}, `${kind}: whatever else does not fit is told at level debug only`);
    return undefined;
  }

  function drop(kind: StoredKind, { watch }: Reading): void {
    readings.delete(kind);
    watch.close();
    const changes = [...watch.keys()].map((key): Change => ({ kind, key, object: undefined }));
    if (changes.length > 0) onChanges(changes);
  }

  function tellState(): void {
    options.onState?.();
    checkSynced();
  }

  function checkSynced(): void {
    // Only once all kinds are being read.
    if (isSynced || stopListening === undefined || ![...readings].every(([kind, { watch }]) => isSettled(kind, watch)))
      return;
    isSynced = true;
    options.onSynced();
  }

  return {
    start: () => {
      if (stopListening !== undefined) return;
      stopListening = served.onChange(follow);
      follow();
    },
    isSynced: () => isSynced,
    state: () =>
      new Map(
        [...readings].map(([kind, { watch, skipped, version }]) => [
          kind,
          { ...watch.state(), skipped: skipped.size, version },
        ]),
      ),
    close: () => {
      stopListening?.();
      for (const { watch } of readings.values()) watch.close();
    },
  };
}

/** Where all objects of a kind do not fit, the first say enough. */
const maxTold = 20;

const allKinds = Object.keys(storedKinds).filter(isStoredKind);

/** Kinds without which an operator that may not read them does its work: what refers to them says so, and nothing is lost by it. */
const dispensable: ReadonlySet<StoredKind> = new Set(["ClusterTrustBundle"]);

/**
 * Whoever may not read a kind waits for it: what Envoys were told of it before would be taken from them. That may be a mistake in a role,
 * and a server that is starting forbids everything until it has read its roles.
 */
function isSettled(kind: StoredKind, watch: ListWatch): boolean {
  const { isListed, trouble } = watch.state();
  return isListed || trouble?.kind === "missing" || (trouble?.kind === "forbidden" && dispensable.has(kind));
}
