import { readFile } from "node:fs/promises";
import path from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { buildGoCommand, runWithGo } from "../go/go.ts";
import { cacheFolder, root } from "../root.ts";
import { CodegenError } from "../step.ts";

const envoyModule = "github.com/envoyproxy/go-control-plane/envoy";
const pins = path.join(root, "crd-types/go");
const binary = path.join(cacheFolder, "bin/descriptors");

/** Reads the descriptors of all of Envoy's API from the Go modules that crd-types/go pins, into `file` (a FileDescriptorSet). */
export async function readDescriptors(file: string, report: (line: string) => void): Promise<FileDescriptorSet> {
  await buildGoCommand(path.join(root, "codegen/go"), "descriptors", binary, report);
  const args = ["-pins", pins, "-module", envoyModule, "-out", file];
  const { exitCode, stderr } = await runWithGo(binary, args, { cwd: root });
  if (exitCode !== 0) throw new CodegenError(stderr);
  return fromBinary(FileDescriptorSetSchema, await readFile(file));
}
