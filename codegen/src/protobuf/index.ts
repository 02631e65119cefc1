import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { root } from "../root.ts";
import type { Step } from "../step.ts";
import { closure } from "./closure.ts";
import { readDescriptors } from "./descriptors.ts";
import { rootProtoFiles } from "./roots.ts";
import { generateTypeScript } from "./typescript.ts";

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
  run: async (report) => {
    const folder = path.join(root, output);
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
