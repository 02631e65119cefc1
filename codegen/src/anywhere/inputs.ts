import { createHash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { hashFiles } from "../run/hash.ts";
import type { Arguments } from "./arguments.ts";
import { compare } from "./definition.ts";
import { filesBelow } from "./from-crds.ts";
import type { GoModule } from "./from-go.ts";
import { moduleRoot } from "./module-root.ts";

const packageFolder = path.join(import.meta.dirname, "../..");

/** A hash over everything on which the output depends: this program, its options, and what it reads. */
export async function hashInputs(args: Arguments, module: GoModule | undefined): Promise<string> {
  const { source, constructs, extension } = args;
  const hash = createHash("sha256").update(JSON.stringify({ source, constructs, extension }));
  const folders = (await readdir(packageFolder)).filter((name) => ["src", "dist", "go"].includes(name));
  hash.update(await hashFiles(packageFolder, ["package.json", ...folders], (file) => /\.test\.ts$|\.map$/.test(file)));
  if (module?.version !== undefined) hash.update(`${module.name} ${module.version}`);
  if (module !== undefined && module.version === undefined) hash.update(await hashSources(module.folder));
  if (source.kind === "crds")
    for (const place of source.paths)
      for (const file of await filesBelow(place)) hash.update(`${file}\0`).update(await readFile(file));
  return hash.digest("hex");
}

/** A hash over the Go sources of the module to which a folder belongs. What it has beside it on this machine is never known to be the same. */
async function hashSources(folder: string): Promise<string> {
  const root = await moduleRoot(folder);
  const modFile = root === undefined ? "" : await readFile(path.join(root, "go.mod"), "utf8");
  if (root === undefined || /=>\s*"?\.{0,2}\//.test(modFile)) return randomUUID();
  const hash = createHash("sha256");
  for (const file of await sourcesBelow(root))
    hash.update(`${path.relative(root, file)}\0`).update(await readFile(file));
  return hash.digest("hex");
}

/** Without what Go does not look into either. */
async function sourcesBelow(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory() && !/^[._]|^node_modules$/.test(entry.name)) found.push(...(await sourcesBelow(place)));
    if (entry.isFile() && /\.go$|^go\.(mod|sum)$/.test(entry.name) && !entry.name.endsWith("_test.go"))
      found.push(place);
  }
  return found.toSorted(compare);
}
