import { spawnSync } from "node:child_process";
import { fromBinary } from "@bufbuild/protobuf";
import { type FileDescriptorSet, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { CodegenError } from "../step.ts";

const envoyModule = "github.com/envoyproxy/go-control-plane/envoy";

/** Go that reads the sources; a machine may carry an older one that may not replace itself unless told so. */
const goEnvironment = { GOTOOLCHAIN: "go1.27.3" };

/** Reads the descriptors of all of Envoy's API from the Go modules that crd-types/go pins. Paths are relative to `root`. */
export function readDescriptors(root: string): { readonly bytes: Uint8Array; readonly set: FileDescriptorSet } {
  const { status, stdout, stderr, error } = spawnSync(
    "go",
    ["run", "./cmd/descriptors", "-pins", "../../crd-types/go", "-module", envoyModule],
    { cwd: `${root}/codegen/go`, env: { ...process.env, ...goEnvironment }, maxBuffer: 2 ** 28 },
  );
  if (error !== undefined) throw error;
  if (status !== 0) throw new CodegenError(`codegen/go/cmd/descriptors: ${stderr.toString().trim()}`);
  return { bytes: stdout, set: fromBinary(FileDescriptorSetSchema, stdout) };
}
