import { kinds } from "@gatewright/crd-types";
import type { DesiredStatus } from "../../../gatewayapi/index.ts";
import {
  createFakeApiServer,
  createManualTime,
  type FakeApiServer,
  type FakeObject,
  type JsonObject,
  type ManualTime,
} from "../../../kubernetes/testing/index.ts";
import { createGraph, deepEqual, type Logger, type Source } from "../../../lib/index.ts";
import { type Change, createStore, type Store } from "../../../store/index.ts";
import type { Status } from "../../merge.ts";
import { createStatusWriter, type StatusWrite, type StatusWriter, type StatusWriterOptions } from "../statuses.ts";

export const ours = "gatewright.dev/gateway-controller";
export const theirs = "example.com/other";

type StatusKind = DesiredStatus["kind"];
/** What translation makes of an object: its status, or nothing. */
export type Translate = (object: FakeObject) => Status | undefined;

export type LogLine = { readonly level: string; readonly fields: object; readonly message: string };

/** An API server, what its watch has shown, a translation of it, and a writer: all in one process, with time in hand. */
export type StatusWorld = {
  readonly api: FakeApiServer;
  readonly time: ManualTime;
  readonly store: Store;
  readonly writer: StatusWriter;
  readonly log: LogLine[];
  readonly writes: StatusWrite[];
  /** Stores an object as a user would, or anybody else. */
  readonly put: (kind: StatusKind, key: string, object?: JsonObject) => FakeObject;
  /** Status and all, as they are in the cluster. */
  readonly get: (kind: StatusKind, key: string) => FakeObject | undefined;
  readonly path: (kind: StatusKind, key: string) => string;
  /** Says what the status of an object is to be, from the next round on. */
  readonly want: (kind: StatusKind, key: string, translate: Translate | undefined) => void;
  /** One turn of the loop: what the watch has shown is stored and translated, and the writer told. */
  readonly round: () => void;
  /** Whether each change in the cluster is shown, and followed by a round, at once. True at first. */
  readonly showChanges: (show: boolean) => void;
  readonly lead: (leads: boolean) => void;
  /** Lets everything come to rest without time passing. */
  readonly rest: () => Promise<void>;
  /** Requests since the last call, `GET` and `PATCH` with their objects' names. */
  readonly takeRequests: () => readonly string[];
  readonly close: () => Promise<void>;
};

export function createStatusWorld(
  options: Partial<StatusWriterOptions> & { readonly leads?: boolean } = {},
): StatusWorld {
  const api = createFakeApiServer();
  const time = createManualTime();
  const graph = createGraph();
  const store = createStore(graph);
  const statuses: Source<DesiredStatus> = graph.source<DesiredStatus>("statuses", deepEqual);
  const changedStatuses = statuses.watch();
  const translations = new Map<string, { kind: StatusKind; key: string; translate: Translate | undefined }>();
  const log: LogLine[] = [];
  const writes: StatusWrite[] = [];
  /** What the watch has to show, and what it has shown. */
  const pending = new Map<string, Shown>();
  const shown = new Map<string, Shown>();
  let leads = options.leads ?? true;
  let shows = true;
  let isDue = false;

  const path = (kind: StatusKind, key: string) => {
    const { group, version, plural } = kinds[kind];
    const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
    const within = namespace === undefined ? "" : `namespaces/${namespace}/`;
    return `/apis/${group}/${version}/${within}${plural}/${name}`;
  };
  const identity = new Map<string, { readonly kind: StatusKind; readonly key: string }>();

  function round(): void {
    store.apply([...pending.values()].map(changeOf));
    for (const [key, change] of pending) shown.set(key, change);
    pending.clear();
    for (const { kind, key, translate } of translations.values()) {
      const object = shown.get(`${kind} ${key}`)?.object;
      const status = object && translate?.(object);
      const generation = object?.metadata.generation ?? 0;
      statuses.set(`${kind} ${key}`, status && { kind, key, generation, status });
    }
    writer.update(changedStatuses.take());
  }

  function soon(): void {
    if (isDue) return;
    isDue = true;
    setImmediate(() => {
      isDue = false;
      if (shows) round();
    });
  }

  api.onChange((at, object) => {
    const known = identity.get(at);
    if (known === undefined) return;
    pending.set(`${known.kind} ${known.key}`, { ...known, object });
    if (shows) soon();
  });

  const logger = createRecordingLogger(log);
  const writer = createStatusWriter({
    api,
    statuses,
    store,
    versionOf: (kind) => kinds[kind].version,
    controllerName: ours,
    isLeader: () => leads,
    logger,
    clock: time,
    now: () => new Date(Date.UTC(2026, 0, 1) + time.now()),
    monotonicMs: time.now,
    random: () => 0.5,
    onWritten: (write) => writes.push(write),
    ...options,
  });
  let taken = 0;

  return {
    api,
    time,
    store,
    writer,
    log,
    writes,
    path,
    put: (kind, key, object = {}) => {
      const at = path(kind, key);
      identity.set(at, { kind, key });
      const [namespace, name] = key.includes("/") ? key.split("/") : [undefined, key];
      return api.put(at, {
        apiVersion: kinds[kind].apiVersion,
        kind,
        metadata: { name, ...(namespace !== undefined && { namespace }) },
        spec: {},
        ...object,
      });
    },
    get: (kind, key) => api.get(path(kind, key)),
    want: (kind, key, translate) => translations.set(`${kind} ${key}`, { kind, key, translate }),
    round,
    showChanges: (show) => {
      shows = show;
      if (show) soon();
    },
    lead: (now) => {
      leads = now;
      if (now) writer.compareAll();
    },
    rest: async () => {
      for (let turn = 0; turn < 3; turn++) {
        await time.settle();
        await writer.settled();
      }
    },
    takeRequests: () => {
      const requests = api.requests.slice(taken).map(({ method, path: at }) => {
        const parts = at.replace(/\/status$/, "").split("/");
        return `${method} ${parts.at(-1)}`;
      });
      taken = api.requests.length;
      return requests;
    },
    close: writer.close,
  };
}

type Shown = { readonly kind: StatusKind; readonly key: string; readonly object: FakeObject | undefined };

/** What a watch shows has passed through JSON, and is of the type that the server says. */
const changeOf = (shown: Shown): Change => JSON.parse(JSON.stringify(shown));

export function createRecordingLogger(log: LogLine[]): Logger {
  const level = (name: string) => (fields: object, message: string) => {
    log.push({ level: name, fields, message });
  };
  return {
    debug: () => undefined,
    info: level("info"),
    warn: level("warn"),
    error: level("error"),
    child: () => createRecordingLogger(log),
  };
}
