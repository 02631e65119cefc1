// Files of other people, each kept by its hash once it is here, and never used unless it has that hash.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { ImageError, messageOf } from "./image-error.ts";

export type Digest = { readonly algorithm: "sha256" | "sha512"; readonly hex: string };

export const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex");

/** The bytes with this hash: from the folder, else as they are fetched, and then kept there. */
export async function kept(
  folder: string,
  { algorithm, hex }: Digest,
  what: string,
  get: () => Promise<Uint8Array>,
): Promise<Buffer> {
  const file = path.join(folder, `${algorithm}-${hex}`);
  const isIt = (bytes: Uint8Array) => createHash(algorithm).update(bytes).digest("hex") === hex;
  const known = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (known !== undefined && isIt(known)) return known;
  const bytes = await get();
  if (!isIt(bytes)) throw new ImageError(`${what} is not what is pinned: its ${algorithm} is not ${hex}`);
  await mkdir(folder, { recursive: true });
  // Another process may fetch the same: each writes a file of its own, and the last rename wins.
  await writeFile(`${file}.${process.pid}`, bytes);
  await rename(`${file}.${process.pid}`, file);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export type Fetched = { readonly kind: "found"; readonly bytes: Uint8Array } | { readonly kind: "missing" };

const patienceMs = 120_000;

/** Fetches a file by HTTP. */
export async function fetchFile(url: string): Promise<Fetched> {
  const host = new URL(url).host;
  const unreachable = (why: string) =>
    new ImageError(`${host} cannot be reached: ${why}. Give another mirror, or --offline if all is in the cache.`);
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw unreachable(messageOf(cause));
  });
  if (response.status === 404) return { kind: "missing" };
  if (!response.ok) throw unreachable(`it answers ${response.status}`);
  const bytes = await response.arrayBuffer().catch((error: unknown) => {
    throw unreachable(messageOf(error));
  });
  return { kind: "found", bytes: new Uint8Array(bytes) };
}
