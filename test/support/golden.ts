import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAllDocuments, stringify } from "yaml";

export type GoldenCase = {
  readonly name: string;
  /** What `name.in.yaml` says, or its first document. */
  readonly input: unknown;
  /** All documents of `name.in.yaml`. */
  readonly documents: readonly unknown[];
};

const updates = process.env["UPDATE_GOLDEN"] === "1";

/** The cases of a folder of `test/golden`, found by name. */
export function goldenCases(folder: string): readonly GoldenCase[] {
  return inputsOf(folder).map((name) => {
    const text = readFileSync(join(pathOf(folder), `${name}.in.yaml`), "utf8");
    const documents = parseDocuments(text);
    return { name, input: documents[0], documents };
  });
}

/** The documents of a YAML text. Throws what is wrong with it. */
export function parseDocuments(text: string): readonly unknown[] {
  return [...parseAllDocuments(text)].map((document) => {
    for (const error of document.errors) throw error;
    return document.toJS() as unknown;
  });
}

/** Compares an output with `name.out.yaml`, or writes it there with UPDATE_GOLDEN=1. */
export function checkGolden(folder: string, name: string, output: unknown): void {
  const file = join(pathOf(folder), `${name}.out.yaml`);
  const text = stringify(output, { lineWidth: 140, aliasDuplicateObjects: false });
  if (updates) writeFileSync(file, text);
  else assert.equal(text, existsSync(file) ? readFileSync(file, "utf8") : "");
}

/** Outputs without an input are left over from a case that was renamed or removed. */
export function checkOrphans(folder: string): void {
  const inputs = new Set(inputsOf(folder));
  const orphans = globSync("*.out.yaml", { cwd: pathOf(folder) }).filter((file) => !inputs.has(nameOf(file)));
  if (updates) for (const orphan of orphans) rmSync(join(pathOf(folder), orphan));
  else assert.deepEqual(orphans, []);
}

const pathOf = (folder: string) => fileURLToPath(new URL(`../golden/${folder}`, import.meta.url));
const nameOf = (file: string) => basename(file).replace(/\.(in|out)\.yaml$/, "");
const inputsOf = (folder: string) =>
  globSync("*.in.yaml", { cwd: pathOf(folder) })
    .map(nameOf)
    .sort();
