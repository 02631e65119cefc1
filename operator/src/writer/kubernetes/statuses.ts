import { kinds } from "@gatewright/crd-types";
import type { DesiredStatus } from "../../gatewayapi/index.ts";
import { type ApiRequest, type ApiServer, resourcePath } from "../../kubernetes/index.ts";
import type { Clock, Logger, Table } from "../../lib/index.ts";
import { isStoredKind, type Store, type StoredKind, storedKinds } from "../../store/index.ts";
import { entriesWithoutRoom, type Status } from "../merge.ts";
import { formatTime } from "../time.ts";
import { createComplaints } from "./statuses-complaints.ts";
import { createGate } from "./statuses-gate.ts";
import { createHistory } from "./statuses-history.ts";
import { itemPatch } from "./statuses-items.ts";
import { isFailedTest, type Outcome, outcomeOf } from "./statuses-outcome.ts";
import { effectOf, isNewer, observedOf, type Plan, planStatus } from "./statuses-plan.ts";
import { createStatusQueue } from "./statuses-queue.ts";
import { rivalsIn } from "./statuses-rivals.ts";
import { createTracks, newestOf, type Track } from "./statuses-tracks.ts";

export type StatusWriterOptions = {
  readonly api: ApiServer;
  /** The statuses that we want, by `<kind> <object key>`. */
  readonly statuses: Pick<Table<DesiredStatus>, "get" | "keys">;
  /** What the watches have shown. */
  readonly store: Store;
  /** The version in which the cluster serves a kind, for example `v1`; undefined: it does not, and nothing is written. */
  readonly versionOf: (kind: StoredKind) => string | undefined;
  readonly controllerName: string;
  /** Asked before every request: whoever does not lead writes nothing. */
  readonly isLeader: () => boolean;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The time of day. */
  readonly now: () => Date;
  /** Told of each status that was stored. */
  readonly onWritten?: (write: StatusWrite) => void;
  /** Our name in managedFields. `gatewright` unless given. */
  readonly fieldManager?: string;
  /** Requests at a time. 16 unless given. */
  readonly maxInFlight?: number;
  /** Milliseconds that only rise. `performance.now` unless given. */
  readonly monotonicMs?: () => number;
  /** Between 0 and 1. `Math.random` unless given. */
  readonly random?: () => number;
};

/** A status that was stored. */
export type StatusWrite = {
  readonly apiVersion: string;
  readonly kind: StoredKind;
  /** `namespace/name`, or `name` where there is no namespace. */
  readonly key: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly before: Status | undefined;
  readonly after: Status | undefined;
};

/** Brings the statuses in the cluster to what we want: writes where they differ, and nowhere else. */
export type StatusWriter = {
  /** To be called after each round with the keys of statuses that changed in it. Compares these, and all objects that changed. */
  readonly update: (changed: Iterable<string>) => void;
  /** Compares everything. To be called when we begin to lead. */
  readonly compareAll: () => void;
  /** Resolves when nothing is under way or due. What waits for the watch, for the server or for peace is not due. */
  readonly settled: () => Promise<void>;
  readonly stats: () => StatusWriterStats;
  /** Begins nothing any more; resolves when what is under way has ended. */
  readonly close: () => Promise<void>;
};

export type StatusWriterStats = {
  /** Writes that were tried, by kind and by what came of them; `conflict` among others. */
  readonly writes: readonly {
    readonly kind: StoredKind;
    readonly outcome: Outcome["kind"];
    readonly count: number;
  }[];
  /** Objects that were asked for, where the watch was too slow. */
  readonly reads: number;
  readonly inFlight: number;
  /** Objects that are yet to be compared. */
  readonly queued: number;
  /** Objects that wait for the watch after a conflict, for their next try, or because somebody undoes what we write. */
  readonly waiting: number;
};

/** Kinds with a status of ours. */
const statusKinds = Object.keys(storedKinds)
  .filter(isStoredKind)
  .filter((kind) => kinds[kind].hasStatus && kinds[kind].source !== "kubernetes");

/** How long a conflict waits for the watch before the object is read; after more conflicts in a row the watch is too slow altogether. */
const watchPatienceMs = 2_000;
const patientConflicts = 1;
const maxConflictPauseMs = 500;
const firstFailureMs = 1_000;
const maxFailureMs = 60_000;
const requestTimeoutMs = 15_000;
/** Comparing goes on for so long before the event loop is free again. */
const sliceMs = 8;
/** Who undoes what we write so often in a row does not do so by accident. */
const rivalry = 3;

type Target = { readonly key: string; readonly kind: StoredKind; readonly objectKey: string; readonly version: string };
type Write = Extract<Plan, { kind: "write" }> & {
  readonly effect: string;
  readonly desired: DesiredStatus | undefined;
};

export function createStatusWriter(options: StatusWriterOptions): StatusWriter {
  const { api, statuses, store, controllerName, isLeader, logger, clock } = options;
  const { fieldManager = "gatewright", maxInFlight = 16, random = Math.random } = options;
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const queue = createStatusQueue();
  const tracks = createTracks(clock, () => createHistory(monotonicMs, random));
  const complaints = createComplaints(logger);
  const gate = createGate({ clock, monotonicMs, random }, pump);
  const watches = statusKinds.map((kind) => [kind, store.objects[kind].watch()] as const);
  const counts = new Map<string, StatusWriterStats["writes"][number]>();
  let reads = 0;
  /** Objects with a request under way, and whether they are to be compared again after it. */
  const busy = new Map<string, boolean>();
  /** Objects of which a round said that we want nothing. In the middle of a round, an absent status says nothing. */
  const left = new Set<string>();
  let isSlicing = false;
  let isClosed = false;
  let waiters: (() => void)[] = [];

  function update(changed: Iterable<string>): void {
    const edited = watches.flatMap(([kind, watch]) => [...watch.take()].map((key) => `${kind} ${key}`));
    for (const keys of [changed, edited])
      for (const key of keys) {
        if (statuses.get(key) === undefined) left.add(key);
        if (isLeader()) queue.add(key, keys === edited);
      }
    pump();
  }

  function compareAll(): void {
    for (const keys of [left, statuses.keys()]) for (const key of keys) queue.add(key, false);
    pump();
  }

  function pump(): void {
    if (isSlicing) return;
    const started = performance.now();
    for (;;) {
      const key = takeDue();
      if (key === undefined) break;
      compare(key);
      if (performance.now() - started < sliceMs) continue;
      isSlicing = true;
      setImmediate(() => {
        isSlicing = false;
        pump();
      });
      return;
    }
    release();
  }

  function takeDue(): string | undefined {
    // Whoever leads next compares everything.
    if (isClosed || !isLeader()) queue.clear();
    return gate.isOpen() && busy.size < maxInFlight ? queue.take() : undefined;
  }

  function release(): void {
    if (busy.size > 0 || (gate.isOpen() && queue.size() > 0)) return;
    const released = waiters;
    waiters = [];
    for (const waiter of released) waiter();
  }

  function compare(key: string): void {
    if (busy.has(key)) {
      busy.set(key, true);
      return;
    }
    const target = targetOf(key);
    if (target === undefined) return forget(key);
    const track = tracks.get(key);
    if (track?.reread === true) return start(target, () => readAndWrite(target));
    // The watch is too slow: what it shows now is old already.
    if (track?.wait !== undefined && track.conflicts > patientConflicts) return;
    const write = planFor(target);
    if (write !== undefined) start(target, () => perform(target, write));
  }

  function forget(key: string): void {
    tracks.forget(key);
    left.delete(key);
    const { kind, objectKey } = parseKey(key);
    complaints.forget({ kind, key: objectKey });
  }

  /** Undefined where there is no such object, or the cluster does not serve its kind. */
  function targetOf(key: string): Target | undefined {
    const { kind, objectKey } = parseKey(key);
    if (!isStoredKind(kind) || store.objects[kind].get(objectKey) === undefined) return undefined;
    const version = options.versionOf(kind);
    return version === undefined ? undefined : { key, kind, objectKey, version };
  }

  /** What to write for an object now, if anything; what has to wait is put on the clock. */
  function planFor({ key, kind, objectKey }: Target): Write | undefined {
    const seen = observedOf(store.objects[kind].get(objectKey));
    const track = tracks.get(key);
    const base = newestOf(track, seen);
    const desired = statuses.get(key);
    if (desired !== undefined) left.delete(key);
    const plan = planStatus(desired, { seen, base, controllerName, now: formatTime(options.now()) });
    if (plan.kind === "outdated") return undefined;
    tellOfRoom(key, desired, plan.status);
    if (plan.kind === "stands") {
      if (desired === undefined && track?.ahead === undefined) left.delete(key);
      if (track !== undefined) calm(track);
      return undefined;
    }
    const write = { ...plan, effect: effectOf(plan.patch), desired };
    return track !== undefined && hasToWait(key, track, write) ? undefined : write;
  }

  function hasToWait(key: string, track: Track, { base, effect, desired }: Write): boolean {
    if (track.stale !== undefined && !isNewer(base.resourceVersion, track.stale)) return true;
    if (track.wait !== undefined && track.failures > 0 && track.failed === desired) return true;
    if (track.ineffective === effect) return true;
    const delayMs = track.history.delayMs(effect);
    if (delayMs > 0) tracks.wait(track, delayMs, () => again(key));
    return delayMs > 0;
  }

  function calm(track: Track): void {
    track.wait?.();
    Object.assign(track, { wait: undefined, stale: undefined, conflicts: 0, failures: 0, failed: undefined });
  }

  function again(key: string): void {
    queue.add(key, true);
    pump();
  }

  function start({ key }: Target, work: () => Promise<void>): void {
    busy.set(key, false);
    const track = tracks.ensure(key);
    track.wait?.();
    track.wait = undefined;
    void work()
      .catch((error: unknown) => logger.error({ key, err: error }, "a bug: writing a status threw"))
      .finally(() => {
        const isToCompare = busy.get(key) === true;
        busy.delete(key);
        if (isToCompare) queue.add(key, true);
        pump();
      });
  }

  /** The watch is late: asks for the object itself, and writes upon the answer. */
  async function readAndWrite(target: Target): Promise<void> {
    const track = tracks.ensure(target.key);
    track.reread = false;
    const outcome = await send(target, { method: "GET", path: pathOf(target) });
    if (outcome.kind !== "done") return fail(target, statuses.get(target.key), outcome);
    const read = observedOf(outcome.object);
    if (track.stale !== undefined && !isNewer(read.resourceVersion, track.stale)) {
      // The server calls old what is the newest it has: whatever that means, it is not for us to hurry.
      Object.assign(track, { stale: undefined, conflicts: 0 });
      return fail(target, statuses.get(target.key), { kind: "failed", message: "409 for the newest version" });
    }
    track.ahead = read;
    const write = planFor(target);
    if (write !== undefined && isLeader() && !isClosed) await perform(target, write);
  }

  async function perform(target: Target, write: Write): Promise<void> {
    const { base, status, patch } = write;
    // Where a resourceVersion does not stand still, only what we change has to.
    const isByItem = (tracks.get(target.key)?.conflicts ?? 0) > patientConflicts;
    const outcome = await send(target, {
      method: "PATCH",
      path: pathOf(target, "status"),
      query: { fieldManager },
      ...(isByItem
        ? { contentType: "application/json-patch+json", body: itemPatch(base, status) }
        : {
            contentType: "application/merge-patch+json",
            body: { metadata: { resourceVersion: base.resourceVersion }, status: patch },
          }),
    });
    if (outcome.kind === "done") await succeed(target, write, outcome.object);
    else if (outcome.kind === "conflict") conflict(target, base.resourceVersion);
    else fail(target, write.desired, outcome);
  }

  async function send({ kind }: Target, request: ApiRequest): Promise<Outcome> {
    const beganMs = monotonicMs();
    const answer = await outcomeOf(api.request({ ...request, timeoutMs: requestTimeoutMs }));
    const outcome: Outcome = isFailedTest(answer) ? { kind: "conflict" } : answer;
    if (request.method === "GET") reads++;
    else count(kind, outcome.kind);
    if (outcome.kind === "unavailable") gate.failed(beganMs, outcome.retryAfterMs);
    else gate.succeeded();
    return outcome;
  }

  function count(kind: StoredKind, outcome: Outcome["kind"]): void {
    const name = `${kind} ${outcome}`;
    counts.set(name, { kind, outcome, count: (counts.get(name)?.count ?? 0) + 1 });
  }

  async function succeed(target: Target, { base, patch, desired, effect }: Write, object: unknown): Promise<void> {
    const { key, kind, objectKey, version } = target;
    const stored = observedOf(object);
    const track = tracks.ensure(key);
    calm(track);
    track.ahead = stored.resourceVersion === "" ? undefined : stored;
    complaints.written(resourceOf(target));
    logger.debug({ kind, key: objectKey, fields: Object.keys(patch) }, "status written");
    const undone = track.history.written(effect);
    track.ineffective = ineffectiveIn(target, desired, object);
    options.onWritten?.({
      apiVersion: `${kinds[kind].group}/${version}`,
      kind,
      key: objectKey,
      uid: stored.uid,
      resourceVersion: stored.resourceVersion,
      before: base.status,
      after: stored.status,
    });
    if (undone === rivalry) await tellOfRivals(target, Object.keys(patch));
  }

  /** What we would write upon our own write: the server did not keep it, as an older CRD does not know the field. */
  function ineffectiveIn({ kind }: Target, desired: DesiredStatus | undefined, object: unknown): string | undefined {
    const stored = observedOf(object);
    const plan = planStatus(desired, { seen: stored, base: stored, controllerName, now: formatTime(options.now()) });
    if (plan.kind !== "write") return undefined;
    complaints.notKept(kind, Object.keys(plan.patch));
    return effectOf(plan.patch);
  }

  function conflict({ key }: Target, resourceVersion: string): void {
    const track = tracks.ensure(key);
    track.conflicts++;
    track.stale = resourceVersion;
    const growing = Math.min(maxConflictPauseMs, 20 * 2 ** (track.conflicts - patientConflicts)) * random();
    tracks.wait(track, track.conflicts <= patientConflicts ? watchPatienceMs : growing, () => {
      track.reread = true;
      again(key);
    });
    // The watch may have shown it meanwhile.
    if (track.conflicts <= patientConflicts) busy.set(key, true);
  }

  function fail(target: Target, desired: DesiredStatus | undefined, outcome: Outcome): void {
    const { key } = target;
    if (outcome.kind === "gone") return forget(key);
    complaints.failed(resourceOf(target), outcome);
    // The gate holds all back; this one goes on where it was.
    if (outcome.kind === "unavailable") return queue.add(key, true);
    const track = tracks.ensure(key);
    track.failed = desired;
    const pauseMs = Math.min(maxFailureMs, firstFailureMs * 2 ** track.failures) * (0.75 + random() / 2);
    track.failures++;
    tracks.wait(track, pauseMs, () => again(key));
  }

  function tellOfRoom(key: string, desired: DesiredStatus | undefined, status: Status): void {
    if (desired === undefined) return;
    const missing = entriesWithoutRoom(desired.status, status, controllerName);
    const track = missing > 0 ? tracks.ensure(key) : tracks.get(key);
    if (track === undefined) return;
    if (missing > 0 && track.crowded !== true)
      logger.warn(
        { object: key, missing },
        "other controllers fill a list in the status of an object: ours find no room",
      );
    track.crowded = missing > 0;
  }

  async function tellOfRivals(target: Target, fields: readonly string[]): Promise<void> {
    const outcome = await send(target, { method: "GET", path: pathOf(target) });
    const rivals = outcome.kind === "done" ? rivalsIn(outcome.object, fieldManager) : [];
    logger.warn(
      { object: target.key, fields, rivals },
      `${rivals[0] ?? "another client"} keeps undoing what we write to a status; it is written again ever more seldom`,
    );
  }

  const pathOf = ({ kind, objectKey, version }: Target, subresource?: string): string => {
    const slash = objectKey.indexOf("/");
    const { group, plural } = kinds[kind];
    return resourcePath({
      group,
      version,
      plural,
      name: objectKey.slice(slash + 1),
      ...(slash !== -1 && { namespace: objectKey.slice(0, slash) }),
      ...(subresource !== undefined && { subresource }),
    });
  };

  const resourceOf = ({ kind, objectKey }: Target) => ({ ...kinds[kind], kind, key: objectKey });

  const settled = () =>
    new Promise<void>((resolve) => {
      waiters.push(resolve);
      if (!isSlicing) release();
    });

  return {
    update,
    compareAll,
    settled,
    stats: () => ({
      writes: [...counts.values()],
      reads,
      inFlight: busy.size,
      queued: queue.size(),
      waiting: tracks.waiting(),
    }),
    close: async () => {
      isClosed = true;
      queue.clear();
      gate.close();
      await settled();
      tracks.close();
    },
  };
}

function parseKey(key: string): { readonly kind: string; readonly objectKey: string } {
  const blank = key.indexOf(" ");
  return { kind: key.slice(0, blank), objectKey: key.slice(blank + 1) };
}
