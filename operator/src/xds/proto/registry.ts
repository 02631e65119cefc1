import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createFileRegistry, type FileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

let loaded: FileRegistry | undefined;

/**
 * Every message of Envoy's API, whether TypeScript was generated for it or not. Loaded on first use (some 0.2 s, 25 MB), so
 * that commands that build no Envoy configuration do not pay for it.
 */
export function protoRegistry(): FileRegistry {
  loaded ??= createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptorsFile())));
  return loaded;
}

const descriptorsFile = () => fileURLToPath(import.meta.resolve("@gatewright/crd-types/proto/descriptors.binpb"));
