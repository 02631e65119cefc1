import { type KindName, kinds } from "@gatewright/crd-types";
import {
  type ApiServer,
  ApiUnreachableError,
  createBackoff,
  isSuccess,
  resourcePath,
  type ServedKind,
  type ServedKinds,
  stayAlive,
} from "../kubernetes/index.ts";
import { type Clock, deepEqual, type Logger, systemClock } from "../lib/index.ts";
import type { OptionalField } from "../store/index.ts";
import { watchDefinitions } from "./definitions.ts";
import { createFieldReading } from "./fields.ts";
import { type GroupVersion, groupVersionPlurals, type Offer, offerKey, readOffer } from "./group-documents.ts";

export type DiscoveryOptions = {
  readonly api: ApiServer;
  /** The kinds that somebody wants to know of. */
  readonly kinds: readonly KindName[];
  readonly logger: Logger;
  /** How often to look, give or take a tenth. 30,000 unless given. */
  readonly intervalMs?: number;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
};

export type Discovery = ServedKinds & {
  /** Resolves when the server has said what it has; tries until then. */
  readonly start: () => Promise<void>;
  /** Looks now. Resolves when that is done, whatever came of it. */
  readonly probe: () => Promise<void>;
  /** Fields that the definitions of the cluster do not have. */
  readonly absentFields: () => ReadonlySet<OptionalField>;
  readonly state: () => DiscoveryState;
  readonly close: () => void;
};

export type DiscoveryState = {
  /** When the server said last what it has. Milliseconds since 1970. */
  readonly lastProbe?: number;
  /** Why it could not be asked since. */
  readonly problem?: string;
};

/** So often must a kind be missing, one after the other, before it may be gone; the pauses between, which are short. */
const missesToGo = 3;
const afterMissMs = [1_000, 4_000];
/** After a definition has changed, the server needs a moment to tell of it. */
const afterChangeMs = [200, 1_000, 5_000];

/**
 * Knows which kinds the server has, and in which of the versions that we read. What a server says while it starts, or while a
 * part of it is away, takes nothing from anybody: a kind is gone only when it is missing again and again, and nobody answers for it.
 */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  const { api, logger, intervalMs = 30_000, clock = systemClock, random = Math.random } = options;
  const closing = new AbortController();
  const backoff = createBackoff({ firstMs: 250, maxMs: intervalMs, random });
  const listeners = new Set<() => void>();
  const misses = new Map<KindName, number>();
  const fieldReading = createFieldReading(api, options.kinds);
  let served: ReadonlyMap<KindName, ServedKind> = new Map();
  let probing: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let lastProbe: number | undefined;
  let problem: string | undefined;
  let cancelNext: (() => void) | undefined;
  let started: (() => void) | undefined;
  let isRunning = false;
  let release: (() => void) | undefined;

  /** One at a time; whoever asks while one is under way waits for another, which sees what has changed meanwhile. */
  function probe(): Promise<void> {
    if (probing === undefined) {
      probing = look().finally(() => {
        probing = undefined;
        if (isRunning) schedule();
      });
      return probing;
    }
    following ??= probing.then(() => {
      following = undefined;
      return probe();
    });
    return following;
  }

  async function look(): Promise<void> {
    try {
      const reading = await readOffer(api, versionsOf(options.kinds), closing.signal);
      const found = reading.kind === "offer" ? await judge(reading.offer) : reading.message;
      if (typeof found === "string") return fail(found);
      const hasOtherFields = await fieldReading.look(closing.signal);
      lastProbe = Date.now();
      problem = undefined;
      backoff.reset();
      take(found, hasOtherFields);
    } catch (error) {
      if (!(error instanceof ApiUnreachableError)) throw error;
      fail(error.message);
    }
  }

  function fail(message: string): void {
    if (closing.signal.aborted) return;
    const fields = { problem: message };
    if (problem === undefined) logger.warn(fields, "the API server could not say which kinds it has; trying again");
    else logger.debug(fields, "the API server could not say which kinds it has");
    problem = message;
  }

  /** What is served by this offer, or why that cannot be told. */
  async function judge({ plurals, stale }: Offer): Promise<ReadonlyMap<KindName, ServedKind> | string> {
    const result = new Map<KindName, ServedKind>();
    for (const name of options.kinds) {
      const { group, kind, versions } = kinds[name];
      const offered = versions.find((version) => plurals.has(offerKey(group, version.name, kind)));
      if (offered !== undefined) {
        misses.delete(name);
        const plural = plurals.get(offerKey(group, offered.name, kind)) ?? kinds[name].plural;
        result.set(name, { group, version: offered.name, plural });
        continue;
      }
      const before = served.get(name);
      const isUncertain = versions.some((version) => stale.has(`${group}/${version.name}`));
      const kept = isUncertain ? before : await judgeMissing(name, before);
      if (typeof kept === "string") return kept;
      if (kept !== undefined) result.set(name, kept);
    }
    return result;
  }

  /** What counts of a kind that is not offered: what was before, until nobody answers for it any more. */
  async function judgeMissing(
    name: KindName,
    before: ServedKind | undefined,
  ): Promise<ServedKind | string | undefined> {
    const times = (misses.get(name) ?? 0) + 1;
    misses.set(name, times);
    if (before === undefined) return lastProbe === undefined ? await confirmMissing(name) : undefined;
    if (times < missesToGo) return before;
    const isGone = isBuiltIn(name) ? (await offeredBuiltIn(name)) === undefined : (await statusOf(before)) === 404;
    return isGone ? undefined : before;
  }

  /** At first nothing is known, and a server that is starting offers less than it has: it says 404 only once it has all. */
  async function confirmMissing(name: KindName): Promise<ServedKind | string | undefined> {
    if (isBuiltIn(name)) return offeredBuiltIn(name);
    const { group, version, plural } = kinds[name];
    const status = await statusOf({ group, version, plural });
    if (status === 404 || status === 403) return undefined;
    return status === 200 ? { group, version, plural } : `${plural} are answered by ${status}`;
  }

  /**
   * What the server says of the versions of a kind that it has by itself or not at all: the list of what is in a version is
   * complete from the first. Objects of such a kind are never asked for in vain.
   */
  async function offeredBuiltIn(name: KindName): Promise<ServedKind | string | undefined> {
    const { group, kind, versions } = kinds[name];
    for (const { name: version } of versions) {
      const plurals = await groupVersionPlurals(api, { group, version }, closing.signal);
      if (typeof plurals === "string") return plurals;
      const plural = plurals.get(kind);
      if (plural !== undefined) return { group, version, plural };
    }
    return undefined;
  }

  async function statusOf(kind: ServedKind): Promise<number> {
    const path = resourcePath(kind);
    const response = await api.request({ method: "GET", path, query: { limit: 1 }, signal: closing.signal });
    return isSuccess(response) ? 200 : response.status;
  }

  function take(found: ReadonlyMap<KindName, ServedKind>, hasOtherFields: boolean): void {
    const before = served;
    served = found;
    const isFirst = started !== undefined;
    started?.();
    started = undefined;
    if (deepEqual(before, found) && !hasOtherFields) return;
    for (const name of options.kinds) tellChange(name, before.get(name), found.get(name), isFirst);
    for (const listener of listeners) listener();
  }

  function tellChange(
    name: KindName,
    before: ServedKind | undefined,
    now: ServedKind | undefined,
    isFirst: boolean,
  ): void {
    if (isFirst || deepEqual(before, now)) return;
    if (now === undefined) logger.warn({}, `the API server does not have ${name} any more`);
    else if (before === undefined) logger.info({ version: now.version }, `the API server has ${name} now`);
    else logger.info({ before: before.version, now: now.version }, `${name} is read in another version`);
  }

  /** When to look next, whoever asked for this look. */
  function schedule(): void {
    cancelNext?.();
    if (closing.signal.aborted) return;
    cancelNext = clock.after(problem === undefined ? pauseMs() : backoff.next(), () => void probe());
  }

  /** What may be going is looked at sooner. */
  function pauseMs(): number {
    const doubts = [...served.keys()].flatMap((name) => misses.get(name) ?? []);
    const doubt = afterMissMs[Math.max(0, ...doubts) - 1];
    return Math.min(intervalMs, doubt ?? intervalMs) * (0.9 + 0.2 * random());
  }

  const definitions = watchDefinitions({
    ...options,
    clock,
    groups: new Set(options.kinds.map((name) => kinds[name].group)),
    delaysMs: afterChangeMs,
    onChange: () => {
      fieldReading.doubt();
      void probe();
    },
    // What was read before may be older than the list; the next round looks.
    onListed: fieldReading.doubt,
  });

  return {
    absentFields: fieldReading.absent,
    served: () => served,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: () =>
      new Promise((resolve) => {
        started = resolve;
        isRunning = true;
        release = stayAlive();
        definitions.start();
        void probe();
      }),
    probe,
    state: () => ({ ...(lastProbe !== undefined && { lastProbe }), ...(problem !== undefined && { problem }) }),
    close: () => {
      release?.();
      closing.abort();
      cancelNext?.();
      definitions.close();
    },
  };
}

const isBuiltIn = (name: KindName): boolean => kinds[name].source === "kubernetes";

function versionsOf(names: readonly KindName[]): readonly GroupVersion[] {
  const all = names.flatMap((name) =>
    kinds[name].versions.map((version) => ({ group: kinds[name].group, version: version.name })),
  );
  return [...new Map(all.map((one) => [`${one.group}/${one.version}`, one])).values()];
}
