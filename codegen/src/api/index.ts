import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { buildGoCommand, runWithGo } from "../go/go.ts";
import { cacheFolder, root } from "../root.ts";
import { CodegenError, type Step } from "../step.ts";
import { emitApi } from "./emit.ts";
import type { Model } from "./model.ts";
import { request } from "./modules.ts";

const apiFolder = "crd-types/src/generated/api";

/** Go API types in; TypeScript types, constants and the tables of kinds and features out. */
export const apiStep: Step = {
  name: "API types",
  inputs: ["crd-types/go", "codegen/go", "codegen/src", "codegen/package.json"],
  outputs: [apiFolder],
  run: async (report, stage) => {
    const model = await loadModel(report);
    for (const [file, text] of emitApi(model)) {
      const target = path.join(stage(apiFolder), file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    }
    report(`${model.kinds.length} kinds, ${model.features.length} features`);
  },
};

const loadModel = async (report: (line: string) => void): Promise<Model> => {
  const binary = path.join(cacheFolder, "bin/apitypes");
  await buildGoCommand(path.join(root, "codegen/go"), "apitypes", binary, report);
  const cwd = path.join(root, "crd-types/go");
  const result = await runWithGo(binary, [], { cwd, input: JSON.stringify(request), report: () => {} });
  if (result.exitCode !== 0) throw new CodegenError(result.stderr);
  return JSON.parse(result.stdout) as Model;
};
