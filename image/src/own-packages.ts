// Our own packages, built.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { type Entry, file, link } from "./entry.ts";
import { appFolder, launcherPath, ownPackages } from "./places.ts";
import { projectRoot } from "./project.ts";
import { mustRun } from "./run-command.ts";

/** What is read of a package besides `dist`, where its manifest exports it. */
const besides: Readonly<Partial<Record<(typeof ownPackages)[number], readonly string[]>>> = {
  "crd-types": ["src/generated/crds", "src/generated/proto/descriptors.binpb"],
};

export async function buildOwnPackages(): Promise<void> {
  await mustRun(["npm", "run", "--silent", "generate"], projectRoot);
  for (const name of ownPackages)
    await mustRun(["npm", "run", "--silent", "build", `--workspace=${name}`], projectRoot);
}

export async function ownEntries(): Promise<readonly Entry[]> {
  const launcher = await readFile(path.join(projectRoot, "image", "gatewright"));
  const entries: Entry[] = [file(launcherPath, launcher, 0o755)];
  for (const name of ownPackages) {
    const wanted = ["package.json", "dist", ...(besides[name] ?? [])];
    for (const part of wanted) entries.push(...(await read(name, part)));
    if (name !== "operator") entries.push(link(`${appFolder}/node_modules/@gatewright/${name}`, `../../${name}`));
  }
  entries.push(...(await read(".", "LICENSE")), ...(await read(".", "NOTICE")));
  return entries;
}

/** A file, or all files of a folder, of a package. */
async function read(name: string, part: string): Promise<readonly Entry[]> {
  const from = path.join(projectRoot, name, part);
  const to = path.posix.join(appFolder, name, part);
  const all = await readdir(from, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (all === undefined) return [file(to, await readFile(from))];
  const entries: Entry[] = [];
  for (const entry of all) {
    if (!entry.isFile() || /\.(d\.ts|map)$/.test(entry.name)) continue;
    const file_ = path.join(entry.parentPath, entry.name);
    entries.push(file(path.posix.join(to, path.relative(from, file_)), await readFile(file_)));
  }
  return entries;
}
