import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  CodeGeneratorRequestSchema,
  type CodeGeneratorResponse_File,
  CodeGeneratorResponseSchema,
  type FileDescriptorSet,
} from "@bufbuild/protobuf/wkt";
import { CodegenError } from "../step.ts";

const plugin = fileURLToPath(import.meta.resolve("@bufbuild/protoc-gen-es/bin/protoc-gen-es"));

/** What generated code is made of, seen from the folder that it is written to. */
const runtime = "../../protobuf/runtime.js";

/** Options of protoc-gen-es: what it writes must run unbuilt, as all our sources do. */
const parameter = [
  "target=ts",
  "import_extension=ts",
  "erasable_syntax=true",
  `rewrite_imports=@bufbuild/protobuf/codegenv2:${runtime}`,
].join(",");

/** The TypeScript that protoc-gen-es makes of `names`. The descriptors stand in for protoc, which is not needed. */
export function generateTypeScript(
  set: FileDescriptorSet,
  names: readonly string[],
): readonly CodeGeneratorResponse_File[] {
  const wanted = new Set(names);
  const request = create(CodeGeneratorRequestSchema, {
    fileToGenerate: [...names],
    parameter,
    protoFile: set.file.filter((file) => wanted.has(file.name)),
  });
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [plugin], {
    input: toBinary(CodeGeneratorRequestSchema, request),
    maxBuffer: 2 ** 28,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new CodegenError(`protoc-gen-es: ${stderr.toString().trim()}`);
  const response = fromBinary(CodeGeneratorResponseSchema, stdout);
  if (response.error !== "") throw new CodegenError(`protoc-gen-es: ${response.error}`);
  return response.file;
}
