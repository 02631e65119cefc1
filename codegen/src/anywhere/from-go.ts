import { createHash } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { isModel, type Model } from "../api/model.ts";
import { buildGoCommand, runWithGo } from "../go/go.ts";
import { withLock } from "../run/lock.ts";
import { CodegenError } from "../step.ts";
import { CannotRun, orCannotRun } from "./cannot-run.ts";
import type { GoSource } from "./arguments.ts";
import { moduleRoot } from "./module-root.ts";
import { type Definition, isFields, readDefinition, sorted } from "./definition.ts";

/** A Go module on this machine. */
export type GoModule = {
  /** `MODULE@VERSION`, or the folder, as it was named. */
  readonly name: string;
  readonly folder: string;
  /** The version of what can never change; a folder has none. */
  readonly version: string | undefined;
};

/** Where the module is; one that was named by its version is fetched. */
export async function findModule({ from }: GoSource, report: (line: string) => void): Promise<GoModule> {
  const found = await stat(from).catch(() => undefined);
  if (found?.isDirectory() === true && (await moduleRoot(path.resolve(from))) === undefined)
    throw new CannotRun(`${from}: there is no go.mod here or above, so this is no Go module`);
  if (found?.isDirectory() === true) return { name: from, folder: path.resolve(from), version: undefined };
  if (!/^[^@\s]+@[^@\s]+$/.test(from) || found !== undefined)
    throw new CannotRun(`${from} is neither a folder nor MODULE@VERSION`);
  report(`looking for ${from}`);
  const result = await runGo(["mod", "download", "-json", from], { cwd: homedir() });
  const answer: unknown = result.stdout === "" ? undefined : JSON.parse(result.stdout);
  const { Dir: folder, Version: version, Error: error } = isFields(answer) ? answer : {};
  if (result.exitCode !== 0 || typeof folder !== "string" || typeof version !== "string") {
    const reason = typeof error === "string" ? error : result.stderr;
    throw new CannotRun(`the Go module ${from} cannot be fetched: ${reason.trim()}`);
  }
  return { name: from, folder, version };
}

export type ReadGo = {
  readonly definitions: readonly Definition[];
  readonly model: Model;
  readonly warnings: readonly string[];
};

/** Reads Go packages as controller-gen does. Faults in them are a `CodegenError`, one a line, with file and line. */
export async function readGo(module: GoModule, source: GoSource, report: (line: string) => void): Promise<ReadGo> {
  const packages = await packagesOf(module, source);
  const binary = await buildReader(report);
  report(`reading ${packages.length} Go package${packages.length === 1 ? "" : "s"}`);
  const lenientMarkers = (source.markers ?? (module.version === undefined ? "error" : "warn")) === "warn";
  const modules = packages.map((name) => ({ package: name }));
  const input = JSON.stringify({ open: true, lenientMarkers, scalars: "meta/v1", modules });
  const result = await runWithGo(binary, [], { cwd: module.folder, input });
  const readable = (text: string) => withPlaces(text, module);
  if (result.exitCode !== 0) throw new CodegenError(readable(result.stderr));
  const model: unknown = JSON.parse(result.stdout);
  if (!isModel(model)) throw new Error("codegen/src/api/model.ts does not fit what apitypes prints");
  const definitions = model.crds.map(({ definition }) => {
    const read = isFields(definition) ? readDefinition(annotated(definition)) : "it is no object";
    if (typeof read === "string") throw new CodegenError(`a CRD that came of the Go types is none: ${read}`);
    return read;
  });
  if (definitions.length === 0)
    throw new CodegenError(
      `${module.name}: no kinds are here: structs with metav1.TypeMeta and metav1.ObjectMeta, in a package with +groupName`,
    );
  return { definitions: sorted(definitions), model, warnings: (model.warnings ?? []).map(readable) };
}

/** How the files of a module begin, so that a terminal or an editor finds them: from where the command was called. */
const placeOf = ({ name, version }: GoModule): string =>
  version === undefined ? path.join(name, "/").replace(/^\.\//, "") : `${name}/`;

/** Go names files by their whole path, or from the folder of the module. */
function withPlaces(text: string, module: GoModule): string {
  const inside = `${module.folder}/`;
  return text
    .split("\n")
    .map((line) =>
      (/^[^/\s:]+[^\s:]*\.go:\d/.test(line) ? `${inside}${line}` : line).replaceAll(inside, placeOf(module)),
    )
    .join("\n");
}

/** As controller-gen marks what it writes. */
function annotated(definition: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const metadata = isFields(definition["metadata"]) ? definition["metadata"] : {};
  const annotations = isFields(metadata["annotations"]) ? metadata["annotations"] : {};
  const marked = { "controller-gen.kubebuilder.io/version": "v0.23.0", ...annotations };
  return { ...definition, metadata: { ...metadata, annotations: marked } };
}

async function packagesOf(module: GoModule, { packages }: GoSource): Promise<readonly string[]> {
  const result = await runGo(["list", "-f", "{{.ImportPath}}", ...packages], { cwd: module.folder });
  if (result.exitCode !== 0)
    throw new CannotRun(`${module.name}: its packages cannot be listed:\n${result.stderr.trim()}`);
  const found = result.stdout.split("\n").filter((line) => line !== "");
  if (found.length === 0) throw new CannotRun(`${module.name}: no package is ${packages.join(" or ")}`);
  return found.toSorted();
}

const runGo = (args: readonly string[], options: { readonly cwd: string }) =>
  orCannotRun(runWithGo("go", args, options));

const goFolder = path.join(import.meta.dirname, "../../go");

/** The program that reads Go types; compiled once for each machine, which takes a minute where Go has nothing in its cache. */
async function buildReader(report: (line: string) => void): Promise<string> {
  const cache = path.join(process.env["XDG_CACHE_HOME"] ?? path.join(homedir(), ".cache"), "gatewright-codegen");
  // Each installation has its own: another one may be of another version, and may be at work.
  const installation = createHash("sha256").update(goFolder).digest("hex").slice(0, 12);
  const binary = path.join(cache, `apitypes-${installation}`);
  await mkdir(cache, { recursive: true });
  await withLock(
    `${binary}.lock`,
    (pid) => report(`waiting for process ${pid}, which compiles ${binary}`),
    () => orCannotRun(buildGoCommand(goFolder, "apitypes", binary, report)),
  );
  return binary;
}
