// A folder that holds an image as registries do: https://github.com/opencontainers/image-spec/blob/main/image-layout.md
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { writeTar } from "./archive/tar.ts";
import { sha256 } from "./download.ts";
import { complete, type Entry } from "./entry.ts";

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
  empty: "application/vnd.oci.empty.v1+json",
  spdx: "application/spdx+json",
} as const;

export type Descriptor = {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string; readonly os: string };
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

export type Layer = {
  readonly name: string;
  readonly entries: readonly Entry[];
  /** The hash of the archive before it is compressed. */
  readonly diffId: string;
  readonly descriptor: Descriptor;
};

/** Something that is written by its hash. */
export type BlobStore = { readonly put: (mediaType: string, bytes: Uint8Array) => Promise<Descriptor> };

/** Collects a layout in a folder beside `folder`, which takes its place when all of it is there. */
export async function createLayout(folder: string) {
  const work = `${folder}.${process.pid}`;
  await rm(work, { recursive: true, force: true });
  await mkdir(path.join(work, "blobs", "sha256"), { recursive: true });
  const put = async (mediaType: string, bytes: Uint8Array): Promise<Descriptor> => {
    const digest = sha256(bytes);
    await writeFile(path.join(work, "blobs", "sha256", digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  return {
    put,
    putJson: (mediaType: string, value: unknown) => put(mediaType, Buffer.from(JSON.stringify(value))),
    /** Writes what the layout holds, and puts it in its place. */
    finish: async (manifests: readonly Descriptor[]): Promise<void> => {
      const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests };
      await writeFile(path.join(work, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
      await writeFile(path.join(work, "index.json"), JSON.stringify(index));
      await rm(folder, { recursive: true, force: true });
      await rename(work, folder);
    },
    abandon: () => rm(work, { recursive: true, force: true }),
  };
}

/** Makes a layer. Compressing takes most of the time that an image takes, so what has been compressed is kept. */
export async function makeLayer(
  name: string,
  entries: readonly Entry[],
  { store, cache }: { readonly store: BlobStore; readonly cache: string },
): Promise<Layer> {
  const all = complete(entries);
  const tar = writeTar(all);
  const diffId = sha256(tar);
  const folder = path.join(cache, "layers");
  // Other versions of zlib may compress differently.
  const file = path.join(folder, `${diffId}-${process.versions["zlib"]}.gz`);
  const known = await readFile(file).catch(() => undefined);
  const compressed = known ?? gzipSync(tar, { level: 9 });
  if (known === undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(`${file}.${process.pid}`, compressed);
    await rename(`${file}.${process.pid}`, file);
  }
  const descriptor = await store.put(mediaTypes.layer, compressed);
  return { name, entries: all, diffId: `sha256:${diffId}`, descriptor };
}
