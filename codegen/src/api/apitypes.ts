import path from "node:path";
import { buildGoCommand, runWithGo } from "../go/go.ts";
import { cacheFolder, root } from "../root.ts";
import { CodegenError } from "../step.ts";
import { isModel, type Model } from "./model.ts";
import type { Request } from "./modules.ts";

const binary = path.join(cacheFolder, "bin/apitypes");

/** Compiles the Go program that reads API types. */
export const buildApitypes = (report: (line: string) => void): Promise<void> =>
  buildGoCommand(path.join(root, "codegen/go"), "apitypes", binary, report);

/** Reads Go packages, as crd-types/go/go.mod pins them. Faults in them are a `CodegenError`, one a line, with file and line. */
export const readModel = async (request: Request): Promise<Model> => {
  const result = await runWithGo(binary, [], { cwd: path.join(root, "crd-types/go"), input: JSON.stringify(request) });
  if (result.exitCode !== 0) throw new CodegenError(result.stderr.replaceAll(`${root}/`, ""));
  const model: unknown = JSON.parse(result.stdout);
  if (!isModel(model)) {
    throw new CodegenError("codegen/src/api/model.ts does not fit what apitypes prints");
  }
  return model;
};
