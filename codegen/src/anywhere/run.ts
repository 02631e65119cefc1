import { stat } from "node:fs/promises";
import { uncheckedRules } from "@gatewright/crd-types/rules";
import type { Arguments, CrdSource, GoSource } from "./arguments.ts";
import { CannotRun } from "./cannot-run.ts";
import { type Definition, moduleOf } from "./definition.ts";
import { readCrds } from "./from-crds.ts";
import { findModule, type GoModule, readGo } from "./from-go.ts";
import { hashInputs } from "./inputs.ts";
import { type Content, outputOf } from "./output.ts";
import { modulesOf } from "./schema-types.ts";
import { differences, isUpToDate, writeOutput } from "./write.ts";

export type Outcome =
  | { readonly kind: "up to date" }
  | { readonly kind: "written"; readonly changed: number; readonly kinds: number; readonly files: number }
  | { readonly kind: "checked"; readonly differences: readonly string[] };

export type Reporter = {
  /** What is done now. */
  readonly report: (line: string) => void;
  /** What is let pass, with its place. */
  readonly warn: (line: string) => void;
};

/** Does what is asked. Faults in what is read are a `CodegenError`; what keeps the run from its work is `CannotRun`. */
export async function generate(args: Arguments, { report, warn }: Reporter): Promise<Outcome> {
  const { source, out } = args;
  const known = await stat(out).catch(() => undefined);
  if (known !== undefined && !known.isDirectory()) throw new CannotRun(`${out} is no folder`);
  const module = source.kind === "go" ? await findModule(source, report) : undefined;
  const inputs = await hashInputs(args, module);
  if (!args.force && (await isUpToDate(out, inputs)))
    return args.check ? { kind: "checked", differences: [] } : { kind: "up to date" };
  const content =
    module === undefined || source.kind !== "go"
      ? await fromCrds(source)
      : await fromGo(module, source, { report, warn });
  warnOfRules(content.definitions, warn);
  const files = outputOf(content, args);
  if (args.check) return { kind: "checked", differences: await differences(out, files) };
  const changed = await writeOutput(out, files, inputs);
  return { kind: "written", changed, kinds: content.definitions.length, files: files.size };
}

async function fromCrds(source: CrdSource | GoSource): Promise<Content> {
  if (source.kind !== "crds") throw new TypeError("CRDs are read from files");
  const definitions = await readCrds(source.paths);
  return { definitions, modules: modulesOf(definitions) };
}

async function fromGo(module: GoModule, source: GoSource, { report, warn }: Reporter): Promise<Content> {
  const { definitions, model, warnings } = await readGo(module, source, report);
  for (const warning of warnings) warn(warning);
  return { definitions, modules: model.modules };
}

function warnOfRules(definitions: readonly Definition[], warn: (line: string) => void): void {
  for (const definition of definitions)
    for (const version of definition.versions)
      for (const { path: at, rule, reason } of uncheckedRules(version.schema))
        warn(
          `${moduleOf(definition, version)} ${definition.kind} ${at.join(".")}: a rule is not checked: ${reason}: ${rule}`,
        );
}
