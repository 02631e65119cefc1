import { randomBytes } from "node:crypto";
import {
  apiFailure,
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  ApiUnreachableError,
  isOfEndingNamespace,
  isSuccess,
  resourcePath,
} from "../../kubernetes/index.ts";
import type { Clock, Logger } from "../../lib/index.ts";
import { formatMicroTime } from "../time.ts";
import { type Happening, happeningsIn } from "./events-transitions.ts";
import type { StatusWrite } from "./statuses.ts";

export type EventRecorderOptions = {
  readonly api: ApiServer;
  /** Whose events these are: `reportingController`. */
  readonly controllerName: string;
  /** Which replica of it, for example the pod's name. */
  readonly instance: string;
  readonly isLeader: () => boolean;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The time of day. */
  readonly now: () => Date;
  /** Milliseconds that only rise. `performance.now` unless given. */
  readonly monotonicMs?: () => number;
};

/** Tells people of troubles, and of their end, by events at their objects: `kubectl describe` shows them. Best effort, and never in anybody's way. */
export type EventRecorder = {
  readonly record: (write: StatusWrite) => void;
  /** Something else that happened to an object. */
  readonly tell: (object: Regarding, happening: Happening) => void;
  readonly stats: () => EventRecorderStats;
  readonly close: () => Promise<void>;
};

export type Regarding = Pick<StatusWrite, "apiVersion" | "kind" | "key" | "uid" | "resourceVersion">;

export type EventRecorderStats = {
  readonly written: number;
  /** Too many at a time. */
  readonly dropped: number;
  readonly failed: number;
};

/** The same thing again becomes a count at the event there is, told at most so often. */
const seriesMs = 300_000;
/** Of all events together: so many at once, then one each `refillMs`. */
const burst = 50;
const refillMs = 500;
const maxWaiting = 200;
/** How long nothing is tried after a refusal. */
const pauseMs = 300_000;
const requestTimeoutMs = 10_000;
const maxNameLength = 253;

/** An event that was written, and what has happened again since. */
type Series = { readonly path: string; count: number; told: number; last: Date; cancel: () => void };

/** A request, and what to do where nothing comes of it. */
type Job = { readonly request: ApiRequest; readonly giveUp: () => void };

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { api, controllerName, isLeader, logger, clock } = options;
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const series = new Map<string, Series>();
  let waiting: Job[] = [];
  let work: Promise<void> | undefined;
  let cancelRefill: (() => void) | undefined;
  let tokens = burst;
  let filledMs = monotonicMs();
  let quietUntilMs = -Infinity;
  let toldProblem = "";
  let toldDroppedMs = -Infinity;
  const stats = { written: 0, dropped: 0, failed: 0 };

  function record(write: StatusWrite): void {
    for (const happening of happeningsIn(write.before, write.after, controllerName)) tell(write, happening);
  }

  function tell(object: Regarding, happening: Happening): void {
    if (!isLeader() || monotonicMs() < quietUntilMs) return;
    const key = JSON.stringify([object.uid, happening.type, happening.action, happening.reason]);
    const known = series.get(key);
    if (known === undefined) return begin(key, object, happening);
    known.count++;
    known.last = options.now();
  }

  function begin(key: string, object: Regarding, happening: Happening): void {
    const event = eventOf(object, happening);
    const { namespace, name } = event.metadata;
    const collection = { group: "events.k8s.io", version: "v1", plural: "events", namespace };
    series.set(key, {
      path: resourcePath({ ...collection, name }),
      count: 1,
      told: 1,
      last: options.now(),
      cancel: clock.after(seriesMs, () => tellCount(key)),
    });
    send({ request: { method: "POST", path: resourcePath(collection), body: event }, giveUp: () => end(key) });
  }

  function end(key: string): void {
    series.get(key)?.cancel();
    series.delete(key);
  }

  function tellCount(key: string): void {
    const known = series.get(key);
    if (known === undefined) return;
    if (known.count === known.told) return end(key);
    const { path, count, last } = known;
    known.told = count;
    known.cancel = clock.after(seriesMs, () => tellCount(key));
    const body = { series: { count, lastObservedTime: formatMicroTime(last) } };
    send({
      request: { method: "PATCH", path, contentType: "application/merge-patch+json", body },
      giveUp: () => end(key),
    });
  }

  function eventOf({ apiVersion, kind, key, uid, resourceVersion }: Regarding, happening: Happening) {
    const slash = key.indexOf("/");
    const name = key.slice(slash + 1);
    const namespace = slash === -1 ? undefined : key.slice(0, slash);
    const suffix = `.${randomBytes(8).toString("hex")}`;
    return {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: {
        // Events of objects without a namespace stand in this one: https://github.com/kubernetes/kubernetes/issues/6577
        namespace: namespace ?? "default",
        name: `${name.slice(0, maxNameLength - suffix.length).replace(/[^a-z0-9]+$/, "")}${suffix}`,
      },
      eventTime: formatMicroTime(options.now()),
      type: happening.type,
      action: happening.action,
      reason: happening.reason,
      note: happening.note,
      regarding: { apiVersion, kind, name, uid, resourceVersion, ...(namespace !== undefined && { namespace }) },
      reportingController: controllerName,
      reportingInstance: options.instance.slice(0, 128),
    };
  }

  function send(job: Job): void {
    if (waiting.length < maxWaiting) {
      waiting.push(job);
      return wake();
    }
    job.giveUp();
    stats.dropped++;
    if (monotonicMs() - toldDroppedMs < pauseMs) return;
    toldDroppedMs = monotonicMs();
    logger.warn({}, "too many events at a time: some are left out");
  }

  function wake(): void {
    cancelRefill?.();
    cancelRefill = undefined;
    work ??= drain()
      .catch((error: unknown) => logger.error({ err: error }, "a bug: writing an event threw"))
      .finally(() => {
        work = undefined;
        // Those who wait for their turn in time; the last of a burst is not forgotten.
        if (waiting.length > 0) cancelRefill = clock.after(refillMs, wake);
      });
  }

  async function drain(): Promise<void> {
    for (;;) {
      if (!isLeader() || monotonicMs() < quietUntilMs) {
        for (const { giveUp } of waiting) giveUp();
        waiting = [];
      }
      const [next] = waiting;
      if (next === undefined || !takeToken()) return;
      waiting.shift();
      if (!(await isDone(next.request))) next.giveUp();
    }
  }

  async function isDone(request: ApiRequest): Promise<boolean> {
    try {
      const response = await api.request({ ...request, timeoutMs: requestTimeoutMs });
      if (isSuccess(response)) {
        stats.written++;
        toldProblem = "";
        return true;
      }
      refused(response);
    } catch (error) {
      if (!(error instanceof ApiUnreachableError)) throw error;
      failed("unreachable", error.message);
    }
    return false;
  }

  function refused(response: ApiResponse): void {
    const message = apiFailure(response);
    // A namespace that ends takes no events, and an event that has expired no count.
    if (response.status === 404 || isOfEndingNamespace(response)) return;
    if (response.status !== 403) return failed(`${response.status}`, message);
    quietUntilMs = monotonicMs() + pauseMs;
    failed("403", `${message}; a ClusterRole must allow create and patch on events in events.k8s.io`);
  }

  function failed(problem: string, message: string): void {
    stats.failed++;
    if (toldProblem !== problem) logger.warn({ err: message }, "events cannot be written");
    toldProblem = problem;
  }

  function takeToken(): boolean {
    const now = monotonicMs();
    tokens = Math.min(burst, tokens + (now - filledMs) / refillMs);
    filledMs = now;
    if (tokens < 1) return false;
    tokens--;
    return true;
  }

  return {
    record,
    tell,
    stats: () => ({ ...stats }),
    close: async () => {
      waiting = [];
      await work;
      cancelRefill?.();
      for (const { cancel } of series.values()) cancel();
      series.clear();
    },
  };
}
