// An image as a folder, for those who run it without a container runtime.
import { chmod, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { readTar } from "./archive/tar.ts";
import type { Entry } from "./entry.ts";
import { ImageError } from "./image-error.ts";
import { type Descriptor, mediaTypes } from "./layout.ts";
import type { Architecture } from "./platform.ts";

export type Unpacked = {
  /** The root file system. */
  readonly root: string;
  /** The image's configuration. */
  readonly config: string;
};

type Index = { readonly manifests: readonly Descriptor[] };
type ImageManifest = { readonly config: Descriptor; readonly layers: readonly Descriptor[] };

/** Writes the root file system of a layout's image to `folder/root`, and its configuration to `folder/config.json`. */
export async function unpackImage(layout: string, architecture: Architecture, folder: string): Promise<Unpacked> {
  const blob = async ({ digest }: Descriptor): Promise<Buffer> =>
    await readFile(path.join(layout, "blobs", ...digest.split(":")));
  const json = async <T>(descriptor: Descriptor): Promise<T> => {
    const content: T = JSON.parse((await blob(descriptor)).toString("utf8"));
    return content;
  };
  const top: Index = JSON.parse(await readFile(path.join(layout, "index.json"), "utf8"));
  const index = top.manifests.find(({ mediaType }) => mediaType === mediaTypes.index);
  const manifests = index === undefined ? [] : (await json<Index>(index)).manifests;
  const described = manifests.find(({ platform }) => platform?.architecture === architecture);
  if (described === undefined) throw new ImageError(`${layout} has no image for linux/${architecture}`);
  const manifest = await json<ImageManifest>(described);

  const root = path.join(folder, "root");
  const config = path.join(folder, "config.json");
  await rm(folder, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  for (const layer of manifest.layers) await writeEntries(root, readTar(gunzipSync(await blob(layer))));
  await writeFile(config, await blob(manifest.config));
  return { root, config };
}

/** Writes entries below a folder. The folders that they stand in come before them. */
export async function writeEntries(root: string, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) await writeEntry(root, entry);
}

async function writeEntry(root: string, entry: Entry): Promise<void> {
  const target = path.join(root, entry.path);
  if (entry.kind === "link") await symlink(entry.target, target);
  else if (entry.kind === "file") await writeFile(target, entry.content);
  else await mkdir(target, { recursive: true });
  // Not as it is made, which heeds the umask.
  if (entry.kind !== "link") await chmod(target, entry.mode);
}
