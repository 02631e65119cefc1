// Where Debian's packages are fetched from: what the command or the environment says, else where apt of this machine gets them.
import { spawnSync } from "node:child_process";
import { ImageError } from "../image-error.ts";

/** Debian's packages come from two archives: that of releases, and that of what mends them in a hurry. */
export const archives = ["debian", "debian-security"] as const;
export type Archive = (typeof archives)[number];

export type Mirrors = Readonly<Partial<Record<Archive, string>>>;

const variables = {
  debian: "GATEWRIGHT_DEBIAN_MIRROR",
  "debian-security": "GATEWRIGHT_DEBIAN_SECURITY_MIRROR",
} as const;
const options = { debian: "--mirror", "debian-security": "--security-mirror" } as const;

/** The URL of an archive, without a slash at its end. */
export function mirrorOf(archive: Archive, given: Mirrors, env: NodeJS.ProcessEnv, apt = aptMirrors): string {
  const url = given[archive] ?? env[variables[archive]] ?? apt()[archive];
  if (url === undefined)
    throw new ImageError(
      `no mirror of the ${archive} archive is known: apt of this machine has none. Give one as ${options[archive]} URL or $${variables[archive]}: what stands in front of "trixie" in a line of sources.list.`,
    );
  if (!/^https?:\/\//.test(url))
    throw new ImageError(`the mirror ${url} is not reached by HTTP: give one that is, as ${options[archive]} URL`);
  return url.replace(/\/+$/, "");
}

/** What apt is configured with; nothing where there is no apt. */
export function aptMirrors(): Mirrors {
  const format = "$(ORIGIN) $(CREATED_BY) $(CODENAME) $(REPO_URI)";
  const { stdout } = spawnSync("apt-get", ["indextargets", "--format", format], { encoding: "utf8" });
  return parseTargets(stdout ?? "");
}

export function parseTargets(text: string): Mirrors {
  const found: { -readonly [archive in Archive]?: string } = {};
  for (const line of text.split("\n")) {
    const [origin, createdBy, codename = "", uri] = line.split(" ");
    if (origin !== "Debian" || createdBy !== "Packages" || uri === undefined) continue;
    found[codename.endsWith("-security") ? "debian-security" : "debian"] ??= uri;
  }
  return found;
}
