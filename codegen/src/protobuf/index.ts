import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../step.ts";
import { rootProtoFiles } from "./roots.ts";

const output = "crd-types/src/generated/proto";

/** Envoy's protobuf descriptors, all of them, and TypeScript for the part that we write and read ourselves. */
export const protobufStep: Step = {
  name: "protobuf types",
  inputs: [
    "codegen/go/cmd/descriptors",
    "codegen/go/go.mod",
    "codegen/package.json",
    "codegen/src/protobuf",
    "crd-types/go/go.mod",
  ],
  outputs: [output],
  run: async (report, stage) => {
    // Loaded when they are needed: a run that finds nothing to do should not wait for the libraries behind them.
    const [{ closure }, { readDescriptors }, { generateTypeScript }] = await Promise.all([
      import("./closure.ts"),
      import("./descriptors.ts"),
      import("./typescript.ts"),
    ]);
    const folder = stage(output);
    await mkdir(folder, { recursive: true });
    const set = await readDescriptors(path.join(folder, "descriptors.binpb"), report);
    report(`${set.file.length} descriptors`);

    const files = generateTypeScript(set, closure(set, rootProtoFiles));
    for (const { name, content } of files) {
      const file = path.join(folder, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, content);
    }
    report(`${files.length} TypeScript files`);
  },
};
