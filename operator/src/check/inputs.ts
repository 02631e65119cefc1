import { createReadStream, type Stats, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { normalize } from "node:path";
import { listFolder, maxFileBytes } from "../source/index.ts";
import { messageOf } from "../lib/index.ts";
import type { Input } from "./read.ts";

export type Inputs =
  | { readonly kind: "inputs"; readonly inputs: readonly Input[] }
  /** Nothing can be checked: there is no such file. */
  | { readonly kind: "unreadable"; readonly message: string };

/** Reads files, folders with all that is in them, standard input where a path is `-`, and what a shell puts in the place of `<(command)`. */
export async function collectInputs(paths: readonly string[], readStdin: () => Promise<Uint8Array>): Promise<Inputs> {
  const missing = paths.filter((path) => !isStream(path) && kindOf(path) === "none");
  if (missing.length > 0) return { kind: "unreadable", message: `there is no file or folder ${missing.join(", ")}` };
  const inputs = new Map<string, Input>();
  for (const path of paths) {
    if (isStdin(path)) inputs.set("-", { name: "standard input", bytes: await readStdin() });
    else if (isStream(path)) inputs.set(path, await readInput(path, readStream));
    else for (const input of await readPath(normalize(path))) inputs.set(input.name, input);
  }
  return { kind: "inputs", inputs: [...inputs.values()] };
}

async function readPath(path: string): Promise<readonly Input[]> {
  if (kindOf(path) === "file") return [await readInput(path, readWhole)];
  const { files, failures } = await listFolder(path);
  const inputs: Input[] = failures.map(({ path: name, message }) => ({ name, message }));
  for (const file of files) inputs.push(await readInput(file, readWhole));
  return inputs;
}

async function readInput(name: string, read: (path: string) => Promise<Uint8Array | string>): Promise<Input> {
  try {
    const content = await read(name);
    return typeof content === "string" ? { name, message: content } : { name, bytes: content };
  } catch (error) {
    return { name, message: messageOf(error) };
  }
}

async function readWhole(path: string): Promise<Uint8Array | string> {
  const { size } = statSync(path);
  return size > maxFileBytes ? `the file is larger than ${maxFileBytes / 1024 / 1024} MiB` : readFile(path);
}

/** No more than what is refused for its size. */
async function readStream(path: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > maxFileBytes) break;
  }
  return Buffer.concat(chunks);
}

const isStdin = (path: string): boolean => path === "-" || path === "/dev/stdin";

/** Names of what is open already: reading them waits for whoever writes. */
const isStream = (path: string): boolean => isStdin(path) || /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(path);

/** Anything else that is no file may never end. */
function kindOf(path: string): "file" | "folder" | "none" {
  const found: Stats | undefined = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? "file" : found?.isDirectory() === true ? "folder" : "none";
}
