// Debian packages: https://manpages.debian.org/trixie/dpkg-dev/deb.5.en.html
import { spawnSync } from "node:child_process";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import type { Entry } from "../entry.ts";
import { ImageError } from "../image-error.ts";
import { readTar } from "./tar.ts";

export type DebianPackage = {
  /** What the package says of itself: name, version and so on, as text. */
  readonly control: string;
  readonly entries: readonly Entry[];
};

export function readDeb(bytes: Uint8Array): DebianPackage {
  const members = readAr(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const member = (name: string): Entry[] => {
    const found = [...members].find(([key]) => key.startsWith(`${name}.tar`));
    if (found === undefined) throw new ImageError(`a package has no ${name}.tar`);
    return readTar(decompress(...found));
  };
  const control = member("control").find(({ path }) => path === "control");
  if (control?.kind !== "file") throw new ImageError("a package says nothing of itself");
  return { control: Buffer.from(control.content).toString("utf8"), entries: member("data") };
}

/** The members of an `ar` archive by name. */
function readAr(bytes: Buffer): ReadonlyMap<string, Buffer> {
  if (bytes.toString("latin1", 0, 8) !== "!<arch>\n") throw new ImageError("this is no Debian package");
  const members = new Map<string, Buffer>();
  for (let at = 8; at + 60 <= bytes.length; ) {
    const name = bytes.toString("latin1", at, at + 16).trim();
    const size = Number(bytes.toString("latin1", at + 48, at + 58));
    members.set(name.replace(/\/$/, ""), bytes.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return members;
}

function decompress(name: string, bytes: Buffer): Buffer {
  if (name.endsWith(".tar")) return bytes;
  if (name.endsWith(".gz")) return gunzipSync(bytes);
  if (name.endsWith(".zst")) return zstdDecompressSync(bytes);
  if (name.endsWith(".xz")) return unxz(bytes);
  throw new ImageError(`${name} is compressed in a way that is not known`);
}

function unxz(bytes: Buffer): Buffer {
  const { error, status, stdout, stderr } = spawnSync("xz", ["--decompress", "--stdout"], {
    input: bytes,
    maxBuffer: 1 << 30,
  });
  if (error !== undefined && "code" in error && error.code === "ENOENT")
    throw new ImageError("xz is not on the path, and Debian's packages are compressed by it: install xz-utils");
  if (error !== undefined) throw error;
  if (status !== 0) throw new ImageError(`xz: ${stderr.toString("utf8").trim()}`);
  return stdout;
}
