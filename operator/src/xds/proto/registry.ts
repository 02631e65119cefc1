import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Registry } from "@bufbuild/protobuf";
import { createLazyRegistry } from "./lazy-registry.ts";

let loaded: Registry | undefined;

/** Every message of Envoy's API, whether TypeScript was generated for it or not. Costs what is asked of it. */
export function protoRegistry(): Registry {
  loaded ??= createLazyRegistry(readFileSync(descriptorsFile()));
  return loaded;
}

const descriptorsFile = () => fileURLToPath(import.meta.resolve("@gatewright/crd-types/proto/descriptors.binpb"));
