import { createHash } from "node:crypto";
import { mkdir, readFile, rename, rm, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { compare } from "./definition.ts";

/** Kept among the output: which files are of ours, and what they came of. */
const stateFile = ".gatewright-codegen.json";

type State = { readonly inputs: string; readonly files: Readonly<Record<string, string>> };

const hashOf = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex");

/** Whether an earlier run wrote all of this from the same inputs, and nobody has touched it since. */
export async function isUpToDate(folder: string, inputs: string): Promise<boolean> {
  const state = await readState(folder);
  if (state === undefined || state.inputs !== inputs) return false;
  for (const [file, hash] of Object.entries(state.files)) {
    const text = await readFile(path.join(folder, file)).catch(() => undefined);
    if (text === undefined || hashOf(text) !== hash) return false;
  }
  return true;
}

/** What differs between a folder and what would be written there: a line for each file. */
export async function differences(folder: string, files: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [file, text] of files) {
    const found = await readFile(path.join(folder, file), "utf8").catch(() => undefined);
    if (found !== text) lines.push(`${path.join(folder, file)}: ${found === undefined ? "is missing" : "differs"}`);
  }
  const state = await readState(folder);
  for (const file of Object.keys(state?.files ?? {})) {
    if (files.has(file)) continue;
    const isThere = await readFile(path.join(folder, file)).then(
      () => true,
      () => false,
    );
    if (isThere) lines.push(`${path.join(folder, file)}: is not written any more`);
  }
  return lines.toSorted(compare);
}

/** Writes what differs, and removes what an earlier run wrote and this one does not. Returns how many files changed. */
export async function writeOutput(folder: string, files: ReadonlyMap<string, string>, inputs: string): Promise<number> {
  let changed = 0;
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    if ((await readFile(target, "utf8").catch(() => undefined)) === text) continue;
    await replace(target, text);
    changed++;
  }
  const state = await readState(folder);
  for (const file of Object.keys(state?.files ?? {})) {
    if (files.has(file) || !isInside(file)) continue;
    await rm(path.join(folder, file), { force: true });
    await removeEmpty(folder, path.dirname(file));
    changed++;
  }
  const hashes = Object.fromEntries([...files].map(([file, text]) => [file, hashOf(text)]));
  const next: State = { inputs, files: hashes };
  await replace(path.join(folder, stateFile), `${JSON.stringify(next, undefined, 2)}\n`);
  return changed;
}

/** Nobody ever reads half a file. */
async function replace(target: string, text: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true });
  const fresh = `${target}.${process.pid}.new`;
  await writeFile(fresh, text);
  await rename(fresh, target);
}

async function removeEmpty(folder: string, inner: string): Promise<void> {
  for (let at = inner; at !== "." && at !== ""; at = path.dirname(at)) {
    const isGone = await rmdir(path.join(folder, at)).then(
      () => true,
      () => false,
    );
    if (!isGone) return;
  }
}

/** The state is a file like any other: what it says may have come from anybody. */
const isInside = (file: string): boolean => !path.isAbsolute(file) && !file.split("/").includes("..");

async function readState(folder: string): Promise<State | undefined> {
  const text = await readFile(path.join(folder, stateFile), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const state: unknown = JSON.parse(text);
    return isState(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

const isState = (value: unknown): value is State =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "inputs") === "string" &&
  typeof Reflect.get(value, "files") === "object" &&
  Reflect.get(value, "files") !== null;
