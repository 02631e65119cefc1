import { readdir, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { messageOf } from "../../lib/index.ts";

const extensions = new Set([".yaml", ".yml", ".json"]);

/** Whether a name is that of a manifest: not hidden, no editor's copy. */
export const isManifestName = (name: string): boolean =>
  extensions.has(extname(name)) && !name.startsWith(".") && !name.startsWith("#") && !name.endsWith("~");

/** Folders whose content counts. `..data` and its like are how Kubernetes swaps a mounted folder: their content shows through links. */
export const isVisible = (name: string): boolean => !name.startsWith(".");

export type Listing = {
  readonly files: readonly string[];
  /** All folders on the way, the given one first. */
  readonly folders: readonly string[];
  /** What could not be listed, with the reason. */
  readonly failures: readonly { readonly path: string; readonly message: string }[];
};

/** The manifests in a folder and in those below it, links followed, in the order of their names. */
export async function listFolder(folder: string, seen: ReadonlySet<string> = new Set()): Promise<Listing> {
  const files: string[] = [];
  const folders = [folder];
  const failures: { path: string; message: string }[] = [];
  try {
    const { dev, ino } = await stat(folder);
    const identity = `${dev}:${ino}`;
    // A link that leads back up would never end.
    if (seen.has(identity)) return { files, folders: [], failures };
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.toSorted((left, right) => (left.name < right.name ? -1 : 1))) {
      if (!isVisible(entry.name)) continue;
      const path = join(folder, entry.name);
      const kind = entry.isSymbolicLink()
        ? await kindOfTarget(path)
        : entry.isDirectory()
          ? "folder"
          : entry.isFile()
            ? "file"
            : "other";
      if (kind === "file" && isManifestName(entry.name)) files.push(path);
      if (kind !== "folder") continue;
      const below = await listFolder(path, new Set([...seen, identity]));
      files.push(...below.files);
      folders.push(...below.folders);
      failures.push(...below.failures);
    }
  } catch (error) {
    failures.push({ path: folder, message: messageOf(error) });
  }
  return { files, folders, failures };
}

async function kindOfTarget(path: string): Promise<"folder" | "file" | "other"> {
  try {
    const target = await stat(path);
    return target.isDirectory() ? "folder" : target.isFile() ? "file" : "other";
  } catch {
    // A link to nothing.
    return "other";
  }
}
