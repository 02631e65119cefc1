// What is published, built from one commit in a folder of its own: a run that takes an hour measures the same from begin to end, and
// whatever else happens in this checkout.
import { execFile } from "node:child_process";
import { access, mkdir, readdir, rename, rm, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { mustRun } from "../../lab/run-command.ts";

export type Product = {
  readonly folder: string;
  /** The commit. */
  readonly version: string;
};

const root = path.resolve(import.meta.dirname, "../../..");
/** In the order in which they are built: each needs those before it. */
const packages = ["crd-types", "constructs", "charts", "operator"] as const;
/** What they are built with, and the floor, which is made of their sources. */
const beside = ["codegen", "test", "tsconfig.json", "package.json"] as const;

/** Of the commit that is checked out, or of another. */
export async function buildProduct(report: (line: string) => void, commit = "HEAD"): Promise<Product> {
  const git = async (...args: readonly string[]) =>
    (await promisify(execFile)("git", ["-C", root, ...args])).stdout.trim();
  const version = await git("rev-parse", "--short=10", commit);
  // Inside of the checkout, so that what the packages depend on is found; where no compiler and no test looks for sources.
  const folder = path.join(root, ".cache/bench", version);
  if (await exists(folder)) return { folder, version };
  await removeOld(path.dirname(folder));
  report(`building what would be published of commit ${version}`);
  const unfinished = `${folder}.${process.pid}`;
  const archive = `${unfinished}.tar`;
  const modules = path.join(unfinished, "node_modules/@gatewright");
  await mkdir(modules, { recursive: true });
  try {
    await git("archive", "--output", archive, version, "--", ...packages, ...beside);
    await mustRun(["tar", "--extract", `--file=${archive}`, `--directory=${unfinished}`]);
    for (const name of packages) await symlink(`../../${name}`, path.join(modules, name));
    await mustRun([process.execPath, path.join(unfinished, "codegen/src/main.ts")]);
    const compiler = path.join(root, "node_modules/.bin/tsc");
    for (const name of packages) await mustRun([compiler, "-p", path.join(unfinished, name, "tsconfig.build.json")]);
    // Another run may have been quicker: it is the same.
    await rename(unfinished, folder).catch(async (error: unknown) => {
      if (!(await exists(folder))) throw error;
    });
  } finally {
    await rm(archive, { force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
  return { folder, version };
}

/** What nobody has built anew for a day, nobody runs. */
async function removeOld(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const one = path.join(folder, name);
    if (Date.now() - (await stat(one)).mtimeMs > 86_400_000) await rm(one, { recursive: true, force: true });
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
