import { type FSWatcher, statSync, watch } from "node:fs";
import { join } from "node:path";

/** Tells which paths may have changed. It may tell too much, and never less than what changed. */
export type FolderWatch = {
  /**
   * Watches exactly these folders from now on, not what is below them. True where one is watched anew: what happened in it before
   * nobody has seen.
   */
  readonly follow: (folders: Iterable<string>) => boolean;
  /** Whether another folder stands now where one of these was watched. */
  readonly isReplaced: (folders: Iterable<string>) => boolean;
  readonly close: () => void;
};

/**
 * `changed` gets the path of an entry of a watched folder, or the folder's own where no entry is known. `failed` is called where a folder
 * cannot be watched: whoever asked must look for himself, once in a while.
 */
export function watchFolders(
  changed: (path: string) => void,
  failed: (folder: string, error: unknown) => void,
): FolderWatch {
  const watchers = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();

  function open(folder: string): boolean {
    try {
      const identity = identityOf(folder);
      const watcher = watch(folder, (_, name) => changed(name === null ? folder : join(folder, name)));
      watcher.on("error", (error) => {
        drop(folder);
        failed(folder, error);
        changed(folder);
      });
      watchers.set(folder, { watcher, identity });
      return true;
    } catch (error) {
      failed(folder, error);
      return false;
    }
  }

  function isOther(folder: string): boolean {
    const known = watchers.get(folder)?.identity;
    return known !== undefined && known !== identityOf(folder);
  }

  function drop(folder: string): void {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  }

  return {
    follow: (folders) => {
      const wanted = new Set(folders);
      // A watcher stays with the folder that it was given, though another may have taken its name.
      for (const folder of watchers.keys()) if (!wanted.has(folder) || isOther(folder)) drop(folder);
      const opened = [...wanted].filter((folder) => !watchers.has(folder) && open(folder));
      return opened.length > 0;
    },
    isReplaced: (folders) => [...folders].some(isOther),
    close: () => {
      for (const { watcher } of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

/** A new folder may get the number of the one that was removed a moment ago: only the time of its birth tells them apart. */
function identityOf(folder: string): string {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? "" : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
}
