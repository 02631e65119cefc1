import type { HeaderToMetadata } from "@gatewright/crd-types/config/v1";
import type { ExtensionSpec } from "../inputs.ts";

const defaultNamespace = "envoy.lb";

/** The typed form in Envoy's words. https://www.envoyproxy.io/docs/envoy/v1.40.0/configuration/http/http_filters/header_to_metadata_filter */
export function headerToMetadataSpec({ rules }: HeaderToMetadata): ExtensionSpec {
  return {
    filter: "envoy.filters.http.header_to_metadata",
    typedConfig: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config",
      requestRules: rules.map(({ header, metadataKey, metadataNamespace = defaultNamespace }) => ({
        header,
        onHeaderPresent: { metadataNamespace, key: metadataKey, type: "STRING" },
      })),
    },
  };
}

/** Where the author wrote what Envoy's form has at `path`. */
export const headerToMetadataPath = (path: string): string =>
  path.replace(/^typedConfig(?:\.request_?[Rr]ules)?/, (found) =>
    found === "typedConfig" ? "headerToMetadata" : "headerToMetadata.rules",
  );
