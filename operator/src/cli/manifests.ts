import { createReadStream, statSync } from "node:fs";
import { placeIn, type Problem, problemsOfFiles, type RowContext, withDefaultClass } from "../overview/index.ts";
import { type Loaded, loadFiles, loadText, maxFileBytes } from "../source/index.ts";
import type { Change } from "../store/index.ts";
import type { Io } from "./io.ts";

export type Manifests =
  | { readonly kind: "unreadable"; readonly message: string }
  | {
      readonly kind: "read";
      readonly changes: readonly Change[];
      readonly problems: readonly Problem[];
      readonly place: RowContext["place"];
    };

export type ManifestOptions = { readonly gatewayClass: string; readonly controllerName: string };

/** Reads files and folders, standard input where a path is `-`, and what a shell puts in the place of `<(command)`. */
export async function readManifests(paths: readonly string[], options: ManifestOptions, io: Io): Promise<Manifests> {
  const streams = paths.filter(isStream);
  const files = paths.filter((path) => !isStdin(path) && !isStream(path));
  const missing = files.filter((path) => !isFileOrFolder(path));
  if (missing.length > 0) return { kind: "unreadable", message: `there is no file or folder ${missing.join(", ")}` };
  const parts: Loaded[] = [];
  if (files.length > 0) parts.push(await loadFiles(files));
  for (const path of streams) {
    const bytes = await readStream(path).catch((error: unknown) => error);
    if (!Buffer.isBuffer(bytes)) return { kind: "unreadable", message: `${path} cannot be read: ${String(bytes)}` };
    parts.push(loadText(path, bytes));
  }
  if (paths.some(isStdin)) parts.push(loadText("standard input", await io.readStdin()));
  const fallback = withDefaultClass(options.gatewayClass, options.controllerName);
  return {
    kind: "read",
    changes: [fallback.initial, ...parts.flatMap(({ changes }) => changes)],
    problems: parts.flatMap(({ problems }) => problemsOfFiles(problems)),
    place: (kind, key) => parts.map((part) => placeIn(part)(kind, key)).find((place) => place !== undefined),
  };
}

const isStdin = (path: string): boolean => path === "-" || path === "/dev/stdin";

/** Names of what is open already: reading them waits for whoever writes, as reading standard input does. */
const isStream = (path: string): boolean => /^\/(?:dev|proc\/self)\/fd\/\d+$/.test(path);

/** Anything else that is no file may never end. */
function isFileOrFolder(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.isFile() || found.isDirectory());
}

async function readStream(path: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of createReadStream(path)) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    // One byte too many is enough to be refused for its size.
    if (size > maxFileBytes) break;
  }
  return Buffer.concat(chunks);
}
