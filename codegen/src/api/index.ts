import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { buildGoCommand, runWithGo } from "../go/go.ts";
import { cacheFolder, root } from "../root.ts";
import { CodegenError, type Step } from "../step.ts";
import { emitApi, emitCrds } from "./emit.ts";
import { isModel, type Model } from "./model.ts";
import { request } from "./modules.ts";
import { verifyApi } from "./verify.ts";

const apiFolder = "crd-types/src/generated/api";
const crdsFolder = "crd-types/src/generated/crds";

/** Go API types in; TypeScript types, constants and the tables of kinds and features out. */
export const apiStep: Step = {
  name: "API types",
  inputs: ["crd-types/go", "codegen/go", "codegen/src", "codegen/package.json"],
  outputs: [apiFolder, crdsFolder],
  run: async (report, stage) => {
    const model = await loadModel(report);
    const files = emitApi(model);
    const problems = verifyApi(files, model.kinds);
    if (problems.length > 0) throw new CodegenError(`what was generated is not as it must be:\n${problems.join("\n")}`);
    await write(stage(apiFolder), files);
    await write(stage(crdsFolder), emitCrds(model));
    report(`${model.kinds.length} kinds, ${model.crds.length} CRDs, ${model.features.length} features`);
  },
};

const write = async (folder: string, files: ReadonlyMap<string, string>): Promise<void> => {
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
};

const loadModel = async (report: (line: string) => void): Promise<Model> => {
  const binary = path.join(cacheFolder, "bin/apitypes");
  await buildGoCommand(path.join(root, "codegen/go"), "apitypes", binary, report);
  const cwd = path.join(root, "crd-types/go");
  const result = await runWithGo(binary, [], { cwd, input: JSON.stringify(request), report: () => {} });
  if (result.exitCode !== 0) throw new CodegenError(result.stderr);
  const model: unknown = JSON.parse(result.stdout);
  if (!isModel(model))
    throw new CodegenError("apitypes and its reader differ: codegen/src/api/model.ts does not fit what it prints");
  return model;
};
