import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { CodegenError, type Step } from "../step.ts";
import { buildApitypes, readModel } from "./apitypes.ts";
import { overlayName, overlayRequest, request } from "./modules.ts";

const apiFolder = "crd-types/src/generated/api";
const crdsFolder = "crd-types/src/generated/crds";
const constructsFolder = "constructs/src/generated";

/** Go API types in; TypeScript types, constants and the tables of kinds and features out. */
export const apiStep: Step = {
  name: "API types",
  inputs: [
    "codegen/go/cmd/apitypes",
    "codegen/go/go.mod",
    "codegen/go/go.sum",
    "codegen/go/internal",
    "codegen/package.json",
    "codegen/src/api",
    "codegen/src/go",
    "crd-types/go",
  ],
  outputs: [apiFolder, crdsFolder, constructsFolder],
  run: async (report, stage) => {
    // Loaded when they are needed: a run that finds nothing to do should not wait for a compiler and a YAML library.
    const [{ emitApi, emitConstructsOf, emitCrds, emitOverlayCrds }, { verifyApi }] = await Promise.all([
      import("./emit.ts"),
      import("./verify.ts"),
    ]);
    await buildApitypes(report);
    report("reading Go packages");
    const model = await readModel(request);
    const overlay = await readModel(overlayRequest);
    const files = emitApi(model, overlay);
    const problems = verifyApi(files, model.kinds);
    if (problems.length > 0) throw new CodegenError(`what was generated is not as it must be:\n${problems.join("\n")}`);
    await write(stage(apiFolder), files);
    await write(stage(crdsFolder), emitCrds(model));
    await write(stage(crdsFolder), emitOverlayCrds(overlay, overlayName));
    await write(stage(constructsFolder), emitConstructsOf(model));
    await write(path.join(stage(constructsFolder), overlayName), emitConstructsOf(overlay, "../.."));
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
