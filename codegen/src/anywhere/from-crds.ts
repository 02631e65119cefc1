import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { type Document, LineCounter, parseAllDocuments } from "yaml";
import { CodegenError } from "../step.ts";
import { CannotRun } from "./cannot-run.ts";
import { compare, type Definition, type Fields, isFields, listOf, readDefinition, sorted } from "./definition.ts";

/** Reads the CRDs of files and folders. What is no CRD is passed over; faults are a `CodegenError`, one a line, with file and line. */
export async function readCrds(paths: readonly string[]): Promise<readonly Definition[]> {
  const files = (await Promise.all(paths.map(filesBelow))).flat();
  const found: Found[] = [];
  const faults: string[] = [];
  for (const file of new Set(files)) readFileText(file, await readFile(file), found, faults);
  const byName = new Map<string, Found>();
  for (const one of found) {
    const name = `${one.definition.plural}.${one.definition.group}`;
    const other = byName.get(name);
    if (other !== undefined) faults.push(`${one.place}: ${name} is defined at ${other.place} too`);
    byName.set(name, one);
  }
  if (faults.length > 0) throw new CodegenError(faults.join("\n"));
  if (found.length === 0) throw new CodegenError(`${paths.join(", ")}: no CustomResourceDefinition is here`);
  return sorted(found.map(({ definition }) => definition));
}

type Found = { readonly definition: Definition; readonly place: string };

/** The files that paths lead to, as they were named, in order. */
export async function filesBelow(place: string): Promise<readonly string[]> {
  const found = await stat(place).catch(() => undefined);
  if (found === undefined) throw new CannotRun(`${place}: there is no such file or folder`);
  if (!found.isDirectory()) return [place];
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted(compare);
}

function readFileText(file: string, bytes: Uint8Array, found: Found[], faults: string[]): void {
  const text = new TextDecoder().decode(bytes);
  // Most files of a folder may be something else, and none of our business.
  if (!text.includes("CustomResourceDefinition")) return;
  const lines = new LineCounter();
  for (const document of parseAllDocuments(text, { lineCounter: lines, logLevel: "silent", version: "1.1" })) {
    const place = `${file}:${lines.linePos(document.contents?.range?.[0] ?? document.range[0]).line}`;
    const [error] = document.errors;
    if (error !== undefined) {
      const [at] = error.linePos ?? [];
      faults.push(
        `${file}:${at?.line ?? 1}:${at?.col ?? 1}: ${error.message.split("\n")[0]?.replace(/ at line.*$/, "")}`,
      );
      continue;
    }
    for (const definition of definitionsIn(valueOf(document, (message) => faults.push(`${place}: ${message}`)))) {
      const read = readDefinition(definition);
      if (typeof read === "string") faults.push(`${place}: ${nameOf(definition)}: ${read}`);
      else found.push({ definition: read, place });
    }
  }
}

/** A few aliases can stand for a value of any size: that is refused. */
function valueOf(document: Document.Parsed, refuse: (message: string) => void): unknown {
  try {
    return document.toJS({ maxAliasCount: 1_000 });
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

function definitionsIn(value: unknown): readonly Fields[] {
  if (!isFields(value)) return [];
  if (value["kind"] === "List" || value["kind"] === "CustomResourceDefinitionList")
    return listOf(value["items"]).flatMap(definitionsIn);
  return value["kind"] === "CustomResourceDefinition" ? [value] : [];
}

const nameOf = ({ metadata }: Fields): string => {
  const name = isFields(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? name : "a CustomResourceDefinition without a name";
};
