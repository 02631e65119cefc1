import { readFile, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, normalize } from "node:path";
import { type Clock, type Logger, messageOf, systemClock } from "../../lib/index.ts";
import type { Change } from "../../store/index.ts";
import { createCatalog } from "./catalog.ts";
import { type FileContent, maxFileBytes, type Place, readContent, tooLarge, unreadable } from "./file-content.ts";
import { isManifestName, isVisible, listFolder } from "./list-files.ts";
import type { SourceProblem } from "./problem.ts";
import { type FolderWatch, watchFolders } from "./watch-folders.ts";

export type FileSourceOptions = {
  /** Folders, which are taken whole, and files. */
  readonly paths: readonly string[];
  readonly logger: Logger;
  /** Whether to go on looking after the first reading. */
  readonly watch: boolean;
  readonly onChanges: (changes: readonly Change[]) => void;
  /** All problems that there are now; called when they change. */
  readonly onProblems: (problems: readonly SourceProblem[]) => void;
  /** Some objects stand elsewhere, as `place` says, and are the same. */
  readonly onMoved?: () => void;
  readonly clock?: Clock;
  /** How long to wait for more after a change: an editor writes several times. 10 unless given. */
  readonly settleMs?: number;
  /** How often to look for what cannot be watched. 1,000 unless given. */
  readonly pollMs?: number;
  /** How long a file that held objects may be empty before they are taken for gone: many programs empty a file first. 1,000 unless given. */
  readonly emptyMs?: number;
};

export type FileSource = {
  /** Resolves when everything has been read once and handed over. */
  readonly start: () => Promise<void>;
  /** Looks at everything anew. Resolves when it is handed over. */
  readonly reload: () => Promise<void>;
  readonly problems: () => readonly SourceProblem[];
  /** Where an object stands, by kind and key. */
  readonly place: (kind: string, key: string) => Place | undefined;
  readonly close: () => Promise<void>;
};

/** Folders may come faster than they can be listed; then the next event is waited for. */
const maxListings = 10;

type Known = { readonly signature: string; readonly content: FileContent };

/** Objects from files, and from their edits. What has not changed is neither read nor parsed again. */
export function createFileSource(options: FileSourceOptions): FileSource {
  const { logger, clock = systemClock, settleMs = 10, pollMs = 1_000, emptyMs = 1_000 } = options;
  const roots = options.paths.map((path) => normalize(path).replace(/(?<=.)\/+$/, ""));
  const catalog = createCatalog();
  const known = new Map<string, Known>();
  const folders = new Set<string>();
  /** Folders that could not be listed, and given paths that are not there. */
  const listing = new Map<string, SourceProblem>();
  const changed = new Set<string>();
  /** Files that have been emptied and may be filled again in a moment. */
  const emptied = new Map<string, { readonly cancel: () => void; isOver: boolean }>();
  let everything = false;
  let toldProblems = "[]";
  let work: Promise<void> = Promise.resolve();
  let cancelTimer: (() => void) | undefined;
  let cancelPoll: (() => void) | undefined;
  let watching: FolderWatch | undefined;
  let closed = false;

  /** One pass at a time, each over all that has been told until it begins. */
  function pass(): Promise<void> {
    cancelTimer = undefined;
    work = work.then(async () => {
      if (closed) return;
      const all = everything;
      const some = [...changed];
      everything = false;
      changed.clear();
      const looked = all ? [] : await Promise.all(some.map(look));
      if (all || looked.includes(true)) await scan();
      handOver();
    });
    return work;
  }

  /** Takes a path that may have changed. True where what there is must be listed anew. */
  async function look(path: string): Promise<boolean> {
    const name = basename(path);
    if (known.has(path)) await refresh(path);
    // Kubernetes swaps a mounted folder by a link of such a name: everything that shows through it is another file now.
    else if (name.startsWith("..") || folders.has(path) || listing.size > 0) return true;
    else if (isVisible(name)) {
      const kind = await kindOf(path);
      if (kind === "folder") return true;
      if (kind === "file" && isManifestName(name)) await refresh(path);
    }
    return false;
  }

  /** The folder that holds a given path is watched too, and what else happens there is none of our business. */
  const isInside = (path: string): boolean =>
    roots.some(
      (root) =>
        path === root || (root === "." ? !path.startsWith("..") && !isAbsolute(path) : path.startsWith(`${root}/`)),
    );

  function note(path: string): void {
    if (!isInside(path)) return;
    changed.add(path);
    cancelTimer ??= clock.after(settleMs, () => void pass());
  }

  async function scan(): Promise<void> {
    let found = await list();
    // What came into a folder before it was watched shows when it is listed once more.
    for (let times = 0; times < maxListings && watching?.follow(folders) === true; times++) found = await list();
    for (const file of known.keys()) if (!found.has(file)) forget(file);
    for (const file of found) {
      if (closed) return;
      await refresh(file);
    }
  }

  /** The files that there are; notes their folders, and what could not be listed. */
  async function list(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    folders.clear();
    listing.clear();
    for (const path of roots) {
      const kind = await kindOf(path);
      // Whatever becomes of the path itself shows in the folder that holds it.
      folders.add(dirname(path));
      if (kind === "file") found.add(path);
      else if (kind === "folder") {
        const { files, folders: inside, failures } = await listFolder(path);
        for (const file of files) found.add(file);
        for (const folder of inside) folders.add(folder);
        for (const failure of failures)
          listing.set(failure.path, { severity: "error", file: failure.path, message: failure.message });
      } else {
        const message = kind === "none" ? "there is no such file or folder" : "this is neither a file nor a folder";
        listing.set(path, { severity: "error", file: path, message });
      }
    }
    return found;
  }

  function forget(file: string): void {
    fill(file);
    known.delete(file);
    catalog.remove(file);
  }

  async function refresh(file: string): Promise<void> {
    const before = known.get(file);
    try {
      const { size, mtimeMs, ctimeMs, ino, dev } = await stat(file);
      const signature = [dev, ino, size, mtimeMs, ctimeMs].join(":");
      if (signature === before?.signature) return;
      if (size === 0 && isHeldBack(file, before)) return;
      fill(file);
      const content = size > maxFileBytes ? tooLarge(file) : readContent(file, await readFile(file), before?.content);
      take(file, { signature, content });
    } catch (error) {
      if (isGone(error)) forget(file);
      // What it held stays until it can be read again.
      else
        take(file, {
          signature: "",
          content: unreadable(file, messageOf(error)),
        });
    }
  }

  /** Whether what an empty file held is kept for the moment. */
  function isHeldBack(file: string, before: Known | undefined): boolean {
    if (!options.watch || before === undefined || before.content.documents.length === 0) return false;
    const waiting = emptied.get(file);
    if (waiting !== undefined) return !waiting.isOver;
    const state = { isOver: false, cancel: clock.after(emptyMs, () => endWait()) };
    const endWait = () => {
      state.isOver = true;
      note(file);
    };
    emptied.set(file, state);
    return true;
  }

  function fill(file: string): void {
    emptied.get(file)?.cancel();
    emptied.delete(file);
  }

  function take(file: string, now: Known): void {
    // The texts of an unreadable file are gone, those of the last readable one are worth keeping for its next reading.
    known.set(file, now);
    catalog.put(file, now.content);
  }

  function handOver(): void {
    const changes = catalog.take();
    if (changes.length > 0) options.onChanges(changes);
    if (catalog.hasMoved()) options.onMoved?.();
    const problems = currentProblems();
    const told = JSON.stringify(problems);
    if (told !== toldProblems) options.onProblems(problems);
    toldProblems = told;
  }

  const currentProblems = (): readonly SourceProblem[] => [...listing.values(), ...catalog.problems()];

  function startWatching(): void {
    // Nobody watches the folders above these.
    const anchors = new Set(roots.flatMap((root) => [root, dirname(root)]));
    const unwatched = new Set<string>();
    const poll = () => {
      cancelPoll = clock.after(pollMs, () => {
        everything ||= unwatched.size > 0 || listing.size > 0 || watching?.isReplaced(anchors) === true;
        unwatched.clear();
        if (everything) void pass();
        poll();
      });
    };
    watching = watchFolders(note, (folder, error) => {
      unwatched.add(folder);
      logger.debug({ folder, err: String(error) }, "the folder cannot be watched; looking at it once in a while");
    });
    poll();
  }

  return {
    start: () => {
      if (options.watch) startWatching();
      everything = true;
      return pass();
    },
    reload: () => {
      everything = true;
      return pass();
    },
    problems: currentProblems,
    place: catalog.place,
    close: async () => {
      closed = true;
      cancelTimer?.();
      cancelPoll?.();
      for (const { cancel } of emptied.values()) cancel();
      watching?.close();
      await work;
    },
  };
}

/** Pipes and devices are no files here: reading one may never end. */
async function kindOf(path: string): Promise<"file" | "folder" | "other" | "none"> {
  try {
    const found = await stat(path);
    return found.isDirectory() ? "folder" : found.isFile() ? "file" : "other";
  } catch {
    return "none";
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
