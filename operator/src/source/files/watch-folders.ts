import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** Tells which paths may have changed. It may tell too much, and never less than what changed. */
export type FolderWatch = {
  /** Watches exactly these folders from now on, not what is below them. */
  readonly follow: (folders: Iterable<string>) => void;
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
  const watchers = new Map<string, FSWatcher>();

  function open(folder: string): void {
    try {
      const watcher = watch(folder, (_, name) => changed(name === null ? folder : join(folder, name)));
      watcher.on("error", (error) => {
        drop(folder);
        failed(folder, error);
        changed(folder);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      failed(folder, error);
    }
  }

  function drop(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  return {
    follow: (folders) => {
      const wanted = new Set(folders);
      for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) if (!watchers.has(folder)) open(folder);
    },
    close: () => {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}
