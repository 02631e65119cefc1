// Configuration that our checks let through and Envoy's C++ code refuses: stands for a check that we do not know of yet.
import { create, toBinary } from "@bufbuild/protobuf";
import { ConfigSchema } from "@gatewright/crd-types/proto/envoy/extensions/filters/http/header_to_metadata/v3/header_to_metadata_pb";
import type { ExtensionCheck } from "../../../operator/src/gatewayapi/index.ts";
import { checkExtension } from "../../../operator/src/xds/index.ts";
import { httpRoute } from "./manifests.ts";

export const halfRuleFilter = `
apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: half-rule, namespace: team-a}
spec:
  filter: envoy.filters.http.header_to_metadata
  typedConfig: {"@type": type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config, half: true}`;

/** The check as it is, but for what \`halfRuleFilter\` asks for. */
export const blindCheck: ExtensionCheck = (spec, allowed) =>
  JSON.stringify(spec.typedConfig).includes('"half":true')
    ? {
        kind: "valid",
        config: {
          typeUrl: "type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config",
          value: toBinary(ConfigSchema, create(ConfigSchema, { requestRules: [{ header: "x-tenant" }] })),
        },
      }
    : checkExtension(spec, allowed);

/** `/bad` takes the filter, `/fine` does not. */
export const poisonedRoute: string = httpRoute(
  "poisoned",
  "poisoned.example.com",
  `  rules:
  - matches: [{path: {value: /bad}}]
    filters: [{type: ExtensionRef, extensionRef: {group: config.aether.io, kind: HTTPFilter, name: half-rule}}]
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /fine}}]
    backendRefs: [{name: one, port: 80}]`,
);
