import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";

/**
 * A hash over names and contents of files, and of all files in folders, relative to `root`.
 * What is missing counts too. Files that `skip` names, by their path, do not count.
 */
export const hashFiles = async (
  root: string,
  paths: readonly string[],
  skip: (file: string) => boolean = () => false,
): Promise<string> => {
  const hash = createHash("sha256");
  for (const entry of paths.toSorted()) {
    const files = await filesBelow(root, entry);
    if (files === undefined) hash.update(`missing ${entry}\n`);
    for (const file of files ?? []) {
      if (skip(file)) continue;
      const content = await readFile(path.join(root, file));
      hash.update(`${file}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest("hex");
};

/** The files of a folder, or the file itself; undefined if there is nothing of that name. */
const filesBelow = async (root: string, entry: string): Promise<string[] | undefined> => {
  const found = await stat(path.join(root, entry)).catch(() => undefined);
  if (found === undefined) return undefined;
  if (!found.isDirectory()) return [entry];
  const entries = await readdir(path.join(root, entry), { recursive: true, withFileTypes: true });
  return entries
    .filter((file) => file.isFile())
    .map((file) => path.relative(root, path.join(file.parentPath, file.name)))
    .toSorted();
};
