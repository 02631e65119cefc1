import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Step } from "../step.ts";
import { closure } from "./closure.ts";
import { readDescriptors } from "./descriptors.ts";
import { rootProtoFiles } from "./roots.ts";
import { generateTypeScript } from "./typescript.ts";

const root = join(import.meta.dirname, "../../..");
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
    const folder = stage(output);
    const { bytes, set } = readDescriptors(root);
    report(`${set.file.length} descriptors`);
    await write(folder, "descriptors.binpb", bytes);

    const files = generateTypeScript(set, closure(set, rootProtoFiles));
    for (const { name, content } of files) await write(folder, name, content);
    report(`${files.length} TypeScript files`);
  },
};

async function write(folder: string, name: string, content: string | Uint8Array) {
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
