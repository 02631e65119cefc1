// Packages of others that the operator needs at run time, as package-lock.json has them. They are the same for all processors.
import { createHash } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { type Entry, file } from "./entry.ts";
import { ImageError } from "./image-error.ts";
import { appFolder, ownPackages } from "./places.ts";
import { projectRoot, readManifest } from "./project.ts";
import { mustRun } from "./run-command.ts";

export type DependencyOptions = {
  /** Where what npm has installed is kept. */
  readonly cache: string;
  readonly offline: boolean;
  readonly report: (line: string) => void;
};

export async function dependencyEntries(options: DependencyOptions): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  const installed = await install(options);
  // A version that only one of our packages asks for stands in its own folder.
  for (const folder of ["node_modules", ...ownPackages.map((name) => `${name}/node_modules`)])
    for (const name of await filesIn(path.join(installed, folder))) {
      if (!isNeeded(name)) continue;
      const from = path.join(installed, folder, name);
      const mode = (await stat(from)).mode & 0o111 ? 0o755 : 0o644;
      entries.push(file(`${appFolder}/${folder}/${name}`, await readFile(from), mode));
    }
  checkPortable(entries);
  return entries;
}

/** Installs into a folder that is named by all that decides what npm does there. */
async function install({ cache, offline, report }: DependencyOptions): Promise<string> {
  const workspaces = (await readManifest()).workspaces ?? [];
  const inputs = ["package.json", "package-lock.json", ".npmrc", ...workspaces.map((name) => `${name}/package.json`)];
  const hash = createHash("sha256");
  for (const name of inputs) hash.update(`${name}\0`).update(await readFile(path.join(projectRoot, name)));
  const target = path.join(cache, "dependencies", hash.digest("hex").slice(0, 16));
  if (await exists(path.join(target, "node_modules"))) return target;
  report("installing production dependencies");
  await mkdir(path.dirname(target), { recursive: true });
  const work = await mkdtemp(`${target}-`);
  try {
    for (const name of inputs) {
      await mkdir(path.join(work, path.dirname(name)), { recursive: true });
      await copyFile(path.join(projectRoot, name), path.join(work, name));
    }
    // No script of a package is run: what they do would differ from one processor to the next.
    const flags = ["--omit=dev", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    const network = offline ? ["--offline"] : [];
    await mustRun(["npm", "ci", ...flags, ...network, "--workspace=@gatewright/operator"], work);
    await rm(target, { recursive: true, force: true });
    await rename(work, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return target;
}

const exists = (name: string) =>
  stat(name).then(
    () => true,
    () => false,
  );

/** Files below a folder, without what links lead to: those are our own packages, and the commands of others. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const all = (await exists(folder)) ? await readdir(folder, { recursive: true, withFileTypes: true }) : [];
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

/** What only those read who compile against a package, debug it or use it elsewhere. Licences stay. */
function isNeeded(name: string): boolean {
  if (/(^|\/)(licen[cs]e|notice|copying)[^/]*$/i.test(name)) return true;
  if (/(^|\/)(\.package-lock\.json|@types|prebuilds)(\/|$)/.test(name)) return false;
  return !/\.(d\.[cm]?ts|[cm]?ts|map|md|markdown|flow|bare)$/.test(name);
}

/** One set of dependencies stands for all processors: nothing in it may be made for one. */
function checkPortable(entries: readonly Entry[]): void {
  const isProgram = ({ content }: { readonly content: Uint8Array }) =>
    Buffer.from(content.buffer, content.byteOffset, 4).equals(Buffer.from("\x7fELF"));
  const native = entries.filter(
    (entry) => entry.kind === "file" && entry.content.length > 4 && (entry.path.endsWith(".node") || isProgram(entry)),
  );
  if (native.length > 0)
    throw new ImageError(
      `these dependencies are made for one processor only:\n${native.map(({ path: name }) => name).join("\n")}`,
    );
}
