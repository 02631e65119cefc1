import { existsSync } from "node:fs";
import { type Loaded, loadFiles, loadText } from "../source/index.ts";
import { placeIn, type Problem, problemsOfFiles, type RowContext, withDefaultClass } from "../standalone/index.ts";
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

/** Reads files and folders, and standard input where a path is `-`. */
export async function readManifests(paths: readonly string[], options: ManifestOptions, io: Io): Promise<Manifests> {
  const files = paths.filter((path) => path !== "-");
  const missing = files.filter((path) => !existsSync(path));
  if (missing.length > 0) return { kind: "unreadable", message: `there is no file or folder ${missing.join(", ")}` };
  const parts: Loaded[] = [];
  if (files.length > 0) parts.push(await loadFiles(files));
  if (files.length < paths.length) parts.push(loadText("standard input", Buffer.from(await io.readStdin())));
  const fallback = withDefaultClass(options.gatewayClass, options.controllerName);
  return {
    kind: "read",
    changes: [fallback.initial, ...parts.flatMap(({ changes }) => changes)],
    problems: parts.flatMap(({ problems }) => problemsOfFiles(problems)),
    place: (kind, key) => parts.map((part) => placeIn(part)(kind, key)).find((place) => place !== undefined),
  };
}
