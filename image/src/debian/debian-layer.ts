// What an image has of Debian: the libraries that Node needs, who signs for the internet, and what scanners ask for.
import type { Entry } from "../entry.ts";
import { file, folder, link } from "../entry.ts";
import { fetchFile, kept } from "../download.ts";
import { readDeb } from "../archive/deb.ts";
import { ImageError } from "../image-error.ts";
import type { Architecture } from "../platform.ts";
import { type Archive, mirrorOf, type Mirrors } from "./mirror.ts";
import type { Pin, Pins } from "./pins.ts";

/** Whom the image runs as: a number that nothing else has, so that it means the same on every node. */
export const user = { name: "gatewright", id: 65532 } as const;

export type DebianOptions = {
  readonly pins: Pins;
  readonly architecture: Architecture;
  readonly downloads: string;
  readonly mirrors: Mirrors;
  readonly offline: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (line: string) => void;
};

export async function debianEntries(options: DebianOptions): Promise<readonly Entry[]> {
  const entries: Entry[] = [...skeleton(options.architecture), ...users()];
  for (const pin of options.pins.packages[options.architecture]) {
    const { control, entries: all } = readDeb(await fetchPin(pin, options));
    entries.push(...all.filter(({ path }) => isNeeded(pin.name, path)));
    // Where there is no dpkg, this is where scanners look for what is installed.
    entries.push(file(`var/lib/dpkg/status.d/${pin.name}`, control.replace(/\n*$/, "\n")));
    if (pin.name === "ca-certificates") entries.push(file("etc/ssl/certs/ca-certificates.crt", bundle(all)));
  }
  return entries;
}

/** A file of Debian that has been updated is soon taken from the mirrors. */
async function fetchPin(pin: Pin, { downloads, mirrors, offline, env, report }: DebianOptions): Promise<Uint8Array> {
  const what = `${pin.name} ${pin.version}`;
  return await kept(downloads, { algorithm: "sha256", hex: pin.sha256 }, what, async () => {
    if (offline) throw new ImageError(`${what} is not in the cache, and --offline fetches nothing`);
    const mirror = mirrorOf(pin.archive, mirrors, env);
    report(`fetching ${what}`);
    const fetched = await fetchFile(`${mirror}/${pin.path}`);
    if (fetched.kind === "found") return fetched.bytes;
    throw new ImageError(gone(what, pin.archive, mirror));
  });
}

const gone = (what: string, archive: Archive, mirror: string) =>
  [
    `${what} is not on ${mirror} any more: mirrors keep only the newest version of a package.`,
    `Either take the newest ones (npm run image -- --update-pins, and commit image/src/debian/pins.json),`,
    `or give an archive that keeps old ones as ${archive === "debian" ? "--mirror" : "--security-mirror"} URL.`,
  ].join("\n");

/** Of each package what a program needs, and its licence. */
function isNeeded(name: string, path: string): boolean {
  if (/^usr\/share\/doc\/[^/]+\/copyright$/.test(path)) return true;
  if (name === "ca-certificates") return path.startsWith("usr/share/ca-certificates/mozilla/");
  if (name === "base-files") return /^(etc\/(os-release|debian_version)|usr\/lib\/os-release)$/.test(path);
  // Conversions between character sets: Node has its own.
  return /^(usr\/)?lib/.test(path) && !path.includes("/gconv");
}

/** As `update-ca-certificates` does: all of them one after the other. */
function bundle(entries: readonly Entry[]): string {
  const certificates = entries
    .filter(({ path }) => path.startsWith("usr/share/ca-certificates/") && path.endsWith(".crt"))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return certificates
    .map((entry) => (entry.kind === "file" ? Buffer.from(entry.content).toString("utf8").trimEnd() : ""))
    .map((text) => `${text}\n`)
    .join("");
}

/** Programs are linked against libraries in /lib, which Debian has moved. */
const skeleton = (architecture: Architecture): readonly Entry[] => [
  folder("tmp", 0o1777),
  folder("usr/bin"),
  folder("usr/sbin"),
  ...["bin", "sbin", "lib", ...(architecture === "amd64" ? ["lib64"] : [])].map((name) => link(name, `usr/${name}`)),
];

const users = (): readonly Entry[] => [
  file("etc/passwd", `root:x:0:0:root:/:/sbin/nologin\n${user.name}:x:${user.id}:${user.id}::/:/sbin/nologin\n`),
  file("etc/group", `root:x:0:\n${user.name}:x:${user.id}:\n`),
  file("etc/nsswitch.conf", "hosts: files dns\n"),
];
