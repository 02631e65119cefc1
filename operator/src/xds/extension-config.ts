import { create } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { TypedExtensionConfigSchema } from "@gatewright/crd-types/proto/envoy/config/core/v3/extension_pb";
import type { ExtensionConfig } from "../ir/index.ts";
import { type Build, encodeChecked } from "./resource.ts";

/** What an extension filter's chain entry asks for by ECDS, under the filter's name. */
export function buildExtension(filter: string, config: ExtensionConfig): Build {
  const message = create(TypedExtensionConfigSchema, { name: filter, typedConfig: create(AnySchema, config) });
  return encodeChecked(TypedExtensionConfigSchema, message, { type: "extension", resource: filter });
}
