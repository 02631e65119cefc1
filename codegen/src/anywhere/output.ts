import { emitCrd } from "../api/emit-crds.ts";
import { emitModule } from "../api/emit-module.ts";
import type { Module } from "../api/model.ts";
import { header } from "../api/text.ts";
import { emitConstructs } from "./constructs.ts";
import { compare, type Definition, fileOf } from "./definition.ts";
import { emitIndex, emitKinds, emitSchemas, emitValidators } from "./emit.ts";

/** What TypeScript is made of. */
export type Content = { readonly definitions: readonly Definition[]; readonly modules: readonly Module[] };

export type OutputOptions = { readonly extension: "js" | "ts"; readonly constructs: boolean };

const ownHeader = "// Written by gatewright-codegen. Do not edit.\n";

/** All files, by path below the output folder. */
export function outputOf({ definitions, modules }: Content, options: OutputOptions): ReadonlyMap<string, string> {
  const used = modules.filter(({ types, constants }) => types.length + constants.length > 0);
  const sources = new Map<string, string>();
  for (const module of used) sources.set(`types/${module.name}.ts`, emitModule(module).replace(header, ""));
  sources.set("kinds.ts", emitKinds(definitions));
  sources.set("schemas.ts", emitSchemas(definitions));
  sources.set("validators.ts", emitValidators());
  if (options.constructs)
    for (const [file, text] of emitConstructs(definitions)) sources.set(`constructs/${file}`, text);
  sources.set("index.ts", emitIndex(used));
  const files: [string, string][] = [...sources].map(([file, text]) => [
    file,
    `${ownHeader}\n${withExtension(text.trimStart(), options.extension)}`,
  ]);
  for (const definition of definitions)
    files.push([`crds/${fileOf(definition)}`, emitCrd({ folder: "", file: "", definition: definition.whole })]);
  return new Map(files.toSorted(([left], [right]) => compare(left, right)));
}

/** How files import each other: whoever compiles them names what they become, whoever runs them unbuilt what they are. */
const withExtension = (text: string, extension: "js" | "ts"): string =>
  extension === "ts"
    ? text
    : text.replaceAll(/^((?:import|export) [^"\n]* from "\.[^"\n]*)\.ts";$/gm, (_, line: string) => `${line}.js";`);
