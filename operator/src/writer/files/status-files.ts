import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse, stringify } from "yaml";
import type { DesiredStatus } from "../../gatewayapi/index.ts";
import { type Clock, type Logger, messageOf } from "../../lib/index.ts";
import { mergeStatus, sameStatus, type Status } from "../merge.ts";
import { formatTime } from "../time.ts";

export type StatusFilesOptions = {
  readonly directory: string;
  readonly controllerName: string;
  readonly apiVersionOf: (kind: DesiredStatus["kind"]) => string;
  readonly clock: Clock;
  /** The time of day. */
  readonly now: () => Date;
  readonly logger: Logger;
  /** How long to wait before writing again what could not be written. 5,000 unless given. */
  readonly retryMs?: number;
  /** How often to look whether the folder is still there. 2,000 unless given. */
  readonly checkMs?: number;
};

/** Statuses as files, `<directory>/<Kind>/<namespace>/<name>.yaml`, as the API server would show them. */
export type StatusFiles = {
  /** What is wanted for objects by `statusKey`; undefined: the object is gone. The latest wins. */
  readonly write: (statuses: Iterable<readonly [key: string, status: DesiredStatus | undefined]>) => void;
  /** Removes the files of objects that are not among these keys: they went while nobody looked. */
  readonly prune: (keys: ReadonlySet<string>) => Promise<void>;
  /** Resolves when all that was told so far is written, or could not be. */
  readonly flushed: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export function createStatusFiles(options: StatusFilesOptions): StatusFiles {
  const { directory, controllerName, clock, logger } = options;
  const stored = new Map<string, Stored>();
  /** All that should be there. */
  const desired = new Map<string, DesiredStatus>();
  let pending = new Map<string, DesiredStatus | undefined>();
  let working: Promise<void> | undefined;
  let retry: (() => void) | undefined;
  let nextCheck: (() => void) | undefined;
  /** Which folder was written to last. */
  let home: string | undefined;
  /** The failure that was told last: a full disk is worth one line, not one an object. */
  let told = "";
  let isClosed = false;

  function wake(): void {
    working ??= work().finally(() => {
      working = undefined;
    });
  }

  async function work(): Promise<void> {
    await renew();
    while (pending.size > 0) {
      const batch = pending;
      pending = new Map();
      const failed = await writeAll(batch);
      if (failed.size === 0) continue;
      // What came meanwhile is newer than what failed.
      pending = new Map([...failed, ...pending]);
      retry?.();
      retry = clock.after(options.retryMs ?? 5_000, wake);
      return;
    }
    if (told !== "") logger.info({ directory }, "statuses are written again");
    told = "";
    home = await identityOf(directory);
    nextCheck?.();
    if (home !== undefined && !isClosed) nextCheck = clock.after(options.checkMs ?? 2_000, wake);
  }

  /** Somebody may have removed the folder, or put another in its place: then nothing that was written stands. */
  async function renew(): Promise<void> {
    if (home === undefined || home === (await identityOf(directory))) return;
    home = undefined;
    stored.clear();
    pending = new Map([...desired, ...pending]);
  }

  async function writeAll(
    batch: ReadonlyMap<string, DesiredStatus | undefined>,
  ): Promise<Map<string, DesiredStatus | undefined>> {
    const failed = new Map<string, DesiredStatus | undefined>();
    for (const [key, status] of batch) {
      const path = pathOf(key);
      if (path === undefined) {
        logger.error({ directory }, `no file can be named after ${key}`);
        continue;
      }
      try {
        await (status === undefined ? remove(key, path) : store(key, path, status));
      } catch (error) {
        failed.set(key, status);
        const message = messageOf(error);
        const code = error instanceof Error && "code" in error ? String(error.code) : message;
        if (told !== code)
          logger.error(
            { directory, err: message },
            "statuses cannot be written, which is tried again; all else goes on",
          );
        told = code;
      }
    }
    return failed;
  }

  async function store(key: string, path: string, wanted: DesiredStatus): Promise<void> {
    const previous = stored.get(key) ?? (await readStored(path));
    const now = formatTime(options.now());
    const status = mergeStatus(previous?.status, wanted.status, controllerName, now);
    const stands = previous?.generation === wanted.generation && sameStatus(previous.status, status);
    if (!stands) await replace(path, fileOf(wanted, status));
    stored.set(key, { generation: wanted.generation, status });
  }

  async function remove(key: string, path: string): Promise<void> {
    stored.delete(key);
    await rm(path, { force: true });
  }

  const fileOf = ({ kind, key, generation }: DesiredStatus, status: Status): string => {
    const slash = key.indexOf("/");
    const metadata = slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
    return stringify({ apiVersion: options.apiVersionOf(kind), kind, metadata: { ...metadata, generation }, status });
  };

  /** Kinds without a namespace have no folder for it. Undefined where the name would lead out of the folder: anybody may have written it. */
  const pathOf = (key: string): string | undefined => {
    const segments = key.split(/[ /]/);
    return segments.every((segment) => /^[\w:-][\w.:-]*$/.test(segment))
      ? `${join(directory, ...segments)}.yaml`
      : undefined;
  };

  return {
    write: (statuses) => {
      for (const [key, status] of statuses) {
        pending.delete(key);
        pending.set(key, status);
        if (status === undefined) desired.delete(key);
        else desired.set(key, status);
      }
      wake();
    },
    prune: async (keys) => {
      const paths = new Set([...keys].map(pathOf));
      const files = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
      for (const file of files) {
        const path = join(file.parentPath, file.name);
        if (file.isFile() && path.endsWith(".yaml") && !paths.has(path)) await rm(path, { force: true });
      }
    },
    flushed: async () => {
      await working;
    },
    close: async () => {
      isClosed = true;
      retry?.();
      nextCheck?.();
      await working;
    },
  };
}

async function identityOf(folder: string): Promise<string | undefined> {
  try {
    const { dev, ino, birthtimeNs } = await stat(folder, { bigint: true });
    return `${dev}:${ino}:${birthtimeNs}`;
  } catch {
    return undefined;
  }
}

type Stored = { readonly generation: number | undefined; readonly status: Status };

/** What a file says from an earlier run, if it can be read: it knows since when conditions are as they are. */
async function readStored(path: string): Promise<Stored | undefined> {
  try {
    const file: unknown = parse(await readFile(path, "utf8"));
    const status = fieldOf(file, "status");
    const generation = fieldOf(fieldOf(file, "metadata"), "generation");
    if (typeof status !== "object" || status === null) return undefined;
    return { generation: typeof generation === "number" ? generation : undefined, status: { ...status } };
  } catch {
    return undefined;
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

/** Readers see the old file or the new one, never half of one. */
async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.tmp`;
  try {
    await writeFile(temporary, text);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
