// What of this repository an image is made from.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { ImageError } from "./image-error.ts";

export const projectRoot = path.resolve(import.meta.dirname, "../..");

/** An entry of package-lock.json: https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json#packages */
export type LockedPackage = {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly link?: boolean;
};
export type LockFile = { readonly packages: Readonly<Record<string, LockedPackage>> };

export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description: string;
  readonly workspaces?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

async function readJson<T>(...parts: readonly string[]): Promise<T> {
  const content: T = JSON.parse(await readFile(path.join(projectRoot, ...parts), "utf8"));
  return content;
}

export const readLock = (): Promise<LockFile> => readJson("package-lock.json");
export const readManifest = (folder = "."): Promise<Manifest> => readJson(folder, "package.json");

export type Source = {
  /** When the image says that it was made: `$SOURCE_DATE_EPOCH`, else when the sources were committed. */
  readonly created: Date;
  /** The commit, unless something has been changed since. */
  readonly revision: string | undefined;
};

/** https://reproducible-builds.org/docs/source-date-epoch/ */
export function readSource(env: NodeJS.ProcessEnv): Source {
  const git = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync("git", args, { cwd: projectRoot, encoding: "utf8" });
    return status === 0 ? stdout.trim() : undefined;
  };
  const [revision, committed] = git("log", "-1", "--format=%H %ct")?.split(" ") ?? [];
  const seconds = env["SOURCE_DATE_EPOCH"] ?? committed ?? "0";
  if (!/^\d+$/.test(seconds)) throw new ImageError(`SOURCE_DATE_EPOCH is ${seconds}: it is a number of seconds`);
  const clean = git("status", "--porcelain", "--untracked-files=normal") === "";
  return { created: new Date(Number(seconds) * 1000), revision: clean ? revision : undefined };
}
