// What a file system of an image is made of: data, so that layers, folders and lists of contents come from the same thing.

/** A file, folder or link. Paths are relative to the root and have no leading slash. */
export type Entry = { readonly path: string; readonly mode: number } & (
  | { readonly kind: "file"; readonly content: Uint8Array }
  | { readonly kind: "folder" }
  | { readonly kind: "link"; readonly target: string }
);

const folderMode = 0o755;

export const file = (path: string, content: string | Uint8Array, mode = 0o644): Entry => ({
  kind: "file",
  path,
  mode,
  content: typeof content === "string" ? Buffer.from(content) : content,
});

export const folder = (path: string, mode = folderMode): Entry => ({ kind: "folder", path, mode });

export const link = (path: string, target: string): Entry => ({ kind: "link", path, mode: 0o777, target });

/** All entries in the order of their paths, each once (the last that was named), with the folders that they stand in. */
export function complete(entries: readonly Entry[]): readonly Entry[] {
  const all = new Map<string, Entry>();
  for (const { path } of entries) for (const parent of parents(path)) all.set(parent, folder(parent));
  for (const entry of entries) all.set(entry.path, entry);
  return [...all.values()].toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function parents(path: string): readonly string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}
