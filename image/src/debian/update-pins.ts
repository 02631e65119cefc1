// Writes the pins anew: the newest versions that the mirror has, as apt verifies them by Debian's signature.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ImageError } from "../image-error.ts";
import type { Architecture } from "../platform.ts";
import { type Archive, archives } from "./mirror.ts";
import { type Pin, type Pins, pinsFile, readPins } from "./pins.ts";

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

export async function updatePins(mirrors: Readonly<Record<Archive, string>>, report: (line: string) => void) {
  const old = await readPins();
  const update = async (architecture: Architecture): Promise<readonly Pin[]> => {
    report(`asking for the packages of Debian ${old.release} for ${architecture}`);
    const names = old.packages[architecture].map(({ name }) => name);
    const pins = await newest(old.release, architecture, names, mirrors);
    for (const [i, { name, version }] of pins.entries()) {
      const before = old.packages[architecture][i]?.version;
      if (version !== before) report(`${architecture}: ${name} ${before} becomes ${version}`);
    }
    return pins;
  };
  const packages = { amd64: await update("amd64"), arm64: await update("arm64") };
  const pins: Pins = { release: old.release, packages };
  await writeFile(pinsFile, `${JSON.stringify(pins, undefined, 2)}\n`);
}

/** Asks apt, with lists and settings of its own, so that nothing of this machine's is read or changed. */
async function newest(
  release: string,
  architecture: Architecture,
  names: readonly string[],
  mirrors: Readonly<Record<Archive, string>>,
): Promise<readonly Pin[]> {
  const root = await mkdtemp(path.join(tmpdir(), "gatewright-apt-"));
  try {
    for (const folder of ["etc/apt.conf.d", "etc/preferences.d", "etc/sources.list.d", "state/lists/partial", "cache"])
      await mkdir(path.join(root, folder), { recursive: true });
    await writeFile(path.join(root, "state/status"), "");
    const source = (archive: Archive, suite: string) =>
      `deb [signed-by=${keyring}] ${mirrors[archive]} ${suite} main\n`;
    const sources = [
      source("debian", release),
      source("debian", `${release}-updates`),
      source("debian-security", `${release}-security`),
    ];
    await writeFile(path.join(root, "etc/sources.list"), sources.join(""));
    const settings = [
      `Dir::Etc=${root}/etc`,
      `Dir::State=${root}/state`,
      `Dir::State::status=${root}/state/status`,
      `Dir::Cache=${root}/cache`,
      `APT::Architecture=${architecture}`,
      `APT::Architectures::=${architecture}`,
      "APT::Update::Error-Mode=any",
    ].flatMap((setting) => ["-o", setting]);
    run("apt-get", [...settings, "update"]);
    const shown = run("apt-cache", [...settings, "show", "--no-all-versions", ...names]);
    const pins = parseShown(shown);
    return names.map((name) => {
      const pin = pins.find((found) => found.name === name);
      if (pin === undefined) throw new ImageError(`Debian ${release} has no package ${name} for ${architecture}`);
      return pin;
    });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function run(command: string, args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (error !== undefined && "code" in error && error.code === "ENOENT")
    throw new ImageError(`${command} is not on the path: pins are updated where there is apt (Debian, Ubuntu)`);
  if (error !== undefined) throw error;
  if (status !== 0) throw new ImageError(`${command}: ${stderr.trim()}`);
  return stdout;
}

/** Reads what `apt-cache show` prints. */
export function parseShown(text: string): readonly Pin[] {
  return text
    .split(/\n\n+/)
    .filter((block) => block.trim() !== "")
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? "";
      const file = field("Filename");
      const archive = archives[file.startsWith("pool/updates/") ? 1 : 0];
      return { name: field("Package"), version: field("Version"), archive, path: file, sha256: field("SHA256") };
    });
}
