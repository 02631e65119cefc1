import { setImmediate } from "node:timers/promises";
import { type Clock, type Logger, silentLogger, systemClock } from "../lib/index.ts";
import { apiFailure, isSuccess } from "./api-failure.ts";
import { type ApiRequest, type ApiResponse, type ApiServer, ApiUnreachableError } from "./api-server.ts";
import { createBackoff } from "./backoff.ts";
import { createListing, createPageSize, type Listing } from "./listing.ts";
import { keyOfRaw, type RawObject } from "./raw-object.ts";
import { stayAlive } from "./stay.ts";
import { createTroubles, type Trouble } from "./trouble.ts";
import { parseWatchEvent, type WatchEvent } from "./watch-event.ts";

/** An object that is there in this form, or that is no more. */
export type ObjectEvent =
  | { readonly kind: "present"; readonly key: string; readonly object: RawObject }
  | { readonly kind: "gone"; readonly key: string };

export type ListWatchOptions = {
  readonly api: ApiServer;
  /** Of the list, for example `/apis/apps/v1/deployments`. */
  readonly path: string;
  /** What is read, in the log: `HTTPRoute`. */
  readonly name: string;
  /** `labelSelector`, `fieldSelector`. */
  readonly selectors?: Readonly<Record<string, string>>;
  /** Objects come without anything but apiVersion, kind and metadata. */
  readonly metadataOnly?: boolean;
  readonly logger: Logger;
  /** Nothing is missing where it cannot be read: nobody need be warned. */
  readonly isOptional?: boolean;
  /** Differences, in their order. The objects are the caller's: nobody else holds them. Not called any more after `close`. */
  readonly onEvents: (events: readonly ObjectEvent[]) => void;
  /** Called when `isListed` or `trouble` of the state has changed. */
  readonly onState?: () => void;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  /** A watch without a sign of life for so long is begun anew. Bookmarks come once a minute. 150,000 unless given. */
  readonly silenceMs?: number;
};

export type ListWatchState = {
  /** A whole list has been read. */
  readonly isListed: boolean;
  readonly objects: number;
  /** Lists begun. More than one: something may have been missed, and was looked for. */
  readonly lists: number;
  /** Watches begun. */
  readonly watches: number;
  /** When an object or a bookmark came last. Milliseconds since 1970. */
  readonly lastSign?: number;
  readonly trouble?: Trouble;
};

export type ListWatch = {
  readonly state: () => ListWatchState;
  /** Keys of the objects that are there, as far as is known. */
  readonly keys: () => Iterable<string>;
  /** Reads the same objects by another path from now on: another version of the API. */
  readonly moveTo: (path: string) => void;
  /** Tries again at once if it waits to do so. */
  readonly retry: () => void;
  readonly close: () => void;
};

type Outcome =
  | { readonly kind: "listed" }
  | { readonly kind: "ended" }
  /** The server does not know any more what was to go on. */
  | { readonly kind: "expired" }
  | { readonly kind: "answer"; readonly response: ApiResponse }
  | { readonly kind: "unreadable" | "unreachable"; readonly message: string }
  | { readonly kind: "failed"; readonly error: unknown };

/** Ends a watch from within. */
class Interruption extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

/** So many objects are handed over at once; after some milliseconds of it others have their turn. */
const batchSize = 50;
const sliceMs = 4;
const listTimeoutMs = 60_000;
/** A watch that ends sooner, and without a sign of life, is no success. */
const shortMs = 5_000;
/** After so many attempts to watch on from a version, all is read anew. */
const maxWatchFailures = 3;
const minPauseMs = 100;
const maxRetryAfterMs = 60_000;

/**
 * Keeps somebody told of the objects of a kind: reads the list, then watches from there, until it is closed. What was missed while
 * the server was away, or had forgotten, is found by comparing with a new list; only differences are told, deletions too.
 */
export function createListWatch(options: ListWatchOptions): ListWatch {
  const { api, name, selectors, logger, clock = systemClock, random = Math.random, silenceMs = 150_000 } = options;
  /** The resourceVersion of each object as it was told. */
  const known = new Map<string, string>();
  const pageSize = createPageSize();
  const backoff = createBackoff({ firstMs: 200, maxMs: 10_000, random });
  /** For what changes only when somebody does something. */
  const patience = createBackoff({ firstMs: 500, maxMs: 30_000, random });
  const troubles = createTroubles(name, options.isOptional ? quiet(logger) : logger, () => options.onState?.());
  let path = options.path;
  /** A list that is being read; what came of it stays when a page does not come. */
  let listing: Listing | undefined;
  /** Where the next watch goes on; undefined: a list comes first. */
  let position: string | undefined;
  /** Lists that expired while they were read, one after the other. */
  let expiredLists = 0;
  let watchFailures = 0;
  /** Whether something came in this attempt. */
  let sawSign = false;
  let isListed = false;
  let lists = 0;
  let watches = 0;
  let lastSign: number | undefined;
  let attempt = new AbortController();
  let wake: (() => void) | undefined;
  const closing = new AbortController();

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      attempt = new AbortController();
      sawSign = false;
      const { signal } = attempt;
      const started = performance.now();
      const outcome = await (position === undefined ? list(signal) : watch(position, signal)).catch(outcomeOf);
      // Given up by `moveTo`, which has said what comes next, or by `close`.
      if (signal.aborted) continue;
      const delayMs = conclude(outcome, performance.now() - started);
      if (delayMs > 0) await sleep(delayMs);
    }
  }

  async function list(signal: AbortSignal): Promise<Outcome> {
    if (listing === undefined) {
      lists++;
      // Where pages expire one after the other, all come at once, at whatever cost.
      listing = createListing(pageSize, expiredLists > 1);
    }
    const { query, read, seen, resourceVersion } = listing;
    for (let isLast = false; !isLast; ) {
      const response = await api.request({ ...requestOf(query(), signal, "List"), timeoutMs: listTimeoutMs });
      signal.throwIfAborted();
      if (!isSuccess(response)) return answered(response);
      const page = read(response);
      if (page === undefined) return { kind: "unreadable", message: "the answer is not a list" };
      troubles.settled();
      await tellPage(page.objects, signal);
      ({ isLast } = page);
    }
    tell([...known.keys()].filter((key) => !seen.has(key)).map((key) => ({ kind: "gone", key })));
    position = resourceVersion();
    return { kind: "listed" };
  }

  async function tellPage(objects: readonly RawObject[], signal: AbortSignal): Promise<void> {
    let since = performance.now();
    for (let at = 0; at < objects.length; at += batchSize) {
      tell(objects.slice(at, at + batchSize).flatMap(presence));
      if (performance.now() - since < sliceMs) continue;
      await setImmediate();
      signal.throwIfAborted();
      since = performance.now();
    }
  }

  async function watch(resourceVersion: string, signal: AbortSignal): Promise<Outcome> {
    watches++;
    // Spread, so that not all watches end at once.
    const timeoutSeconds = Math.round(300 * (1 + random()));
    const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds };
    const onLine = (line: string) => {
      if (!signal.aborted) take(parseWatchEvent(line));
    };
    const request = { ...requestOf(query, signal, ""), timeoutMs: silenceMs };
    const response = await api.stream(request, onLine, troubles.settled);
    return isSuccess(response) ? { kind: "ended" } : answered(response);
  }

  function take(event: WatchEvent): void {
    if (event.kind === "unreadable") throw new Interruption(event);
    if (event.kind === "error") throw new Interruption(answered(event.response));
    lastSign = Date.now();
    sawSign = true;
    watchFailures = 0;
    if (event.kind === "bookmark") {
      position = event.resourceVersion;
      return;
    }
    const { object } = event;
    tell(event.kind === "present" ? presence(object) : absence(keyOfRaw(object)));
    position = object.metadata.resourceVersion;
  }

  function presence(object: RawObject): readonly ObjectEvent[] {
    const key = keyOfRaw(object);
    return known.get(key) === object.metadata.resourceVersion ? [] : [{ kind: "present", key, object }];
  }

  const absence = (key: string): readonly ObjectEvent[] => (known.has(key) ? [{ kind: "gone", key }] : []);

  function tell(events: readonly ObjectEvent[]): void {
    if (events.length === 0) return;
    lastSign = Date.now();
    // Before they are handed over: afterwards they belong to others.
    for (const event of events) {
      if (event.kind === "gone") known.delete(event.key);
      else known.set(event.key, event.object.metadata.resourceVersion);
    }
    try {
      options.onEvents(events);
    } catch (error) {
      // Nobody knows what of it has arrived: all is to be told anew, deletions too.
      for (const { key } of events) known.set(key, "");
      for (const key of known.keys()) known.set(key, "");
      throw new Interruption({ kind: "failed", error });
    }
  }

  /** What follows from the end of an attempt, and how long to wait before the next. */
  function conclude(outcome: Outcome, tookMs: number): number {
    // Only a watch shows that all is well: a list may be answered while watches are not.
    if (sawSign || (position !== undefined && tookMs >= shortMs)) {
      backoff.reset();
      patience.reset();
    }
    switch (outcome.kind) {
      case "listed":
        return concludeList();
      case "ended":
        return pauseAfter(tookMs);
      case "expired":
        logger.debug({}, `${name}: too far behind, reading all anew`);
        if (position === undefined) expiredLists++;
        restart();
        return pauseAfter(tookMs);
      case "answer":
        return concludeAnswer(outcome.response);
      case "unreadable":
        countWatchFailure();
        troubles.note("refused", outcome.message);
        return backoff.next();
      case "unreachable":
        troubles.note("unreachable", outcome.message);
        return backoff.next();
      case "failed":
        restart();
        logger.error({ err: outcome.error }, `${name}: what was read could not be taken; reading all anew`);
        troubles.note("failed", String(outcome.error));
        return patience.next();
    }
  }

  /** None after a watch as it should be; but no server is asked without pause, whatever it answers. */
  function pauseAfter(tookMs: number): number {
    if (tookMs >= shortMs) return 0;
    return sawSign ? minPauseMs : backoff.next();
  }

  function concludeList(): number {
    listing = undefined;
    expiredLists = 0;
    if (!isListed) {
      isListed = true;
      options.onState?.();
    }
    return 0;
  }

  function concludeAnswer(response: ApiResponse): number {
    const { status, retryAfterMs = 0 } = response;
    troubles.note(status === 403 ? "forbidden" : status === 404 ? "missing" : "refused", apiFailure(response));
    // The kind may come back with other objects, and nobody tells of the old ones.
    if (status === 404) restart();
    else if (status !== 401 && status !== 403 && status !== 429) countWatchFailure();
    const delayMs = status >= 401 && status <= 404 ? patience.next() : backoff.next();
    return Math.max(delayMs, Math.min(retryAfterMs, maxRetryAfterMs));
  }

  function countWatchFailure(): void {
    if (position !== undefined && ++watchFailures >= maxWatchFailures) restart();
  }

  function restart(): void {
    listing = undefined;
    position = undefined;
    watchFailures = 0;
  }

  function requestOf(query: ApiRequest["query"], signal: AbortSignal, suffix: "List" | ""): ApiRequest {
    const accept = `application/json;as=PartialObjectMetadata${suffix};g=meta.k8s.io;v=v1`;
    const request = { method: "GET", path, query: { ...selectors, ...query }, signal } as const;
    return options.metadataOnly ? { ...request, accept } : request;
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        wake = undefined;
        resolve();
      };
      const cancel = clock.after(ms, end);
      wake = end;
    });
  }

  const release = stayAlive();
  void run();
  return {
    state: () => {
      const trouble = troubles.current();
      return {
        isListed,
        objects: known.size,
        lists,
        watches,
        ...(lastSign !== undefined && { lastSign }),
        ...(trouble !== undefined && { trouble }),
      };
    },
    keys: () => known.keys(),
    moveTo: (to) => {
      if (to === path) return;
      path = to;
      restart();
      attempt.abort();
      wake?.();
    },
    retry: () => wake?.(),
    close: () => {
      release();
      closing.abort();
      attempt.abort();
      wake?.();
    },
  };
}

const quiet = (logger: Logger): Logger => ({
  ...silentLogger,
  debug: (fields, message) => logger.debug(fields, message),
  info: (fields, message) => logger.debug(fields, message),
  warn: (fields, message) => logger.debug(fields, message),
});

const answered = (response: ApiResponse): Outcome =>
  response.status === 410 ? { kind: "expired" } : { kind: "answer", response };

function outcomeOf(error: unknown): Outcome {
  if (error instanceof Interruption) return error.outcome;
  if (error instanceof ApiUnreachableError) return { kind: "unreachable", message: error.message };
  return { kind: "failed", error };
}
