import type { HTTPFilterSpec } from "@gatewright/crd-types/config/v1";
import type { ExtensionSpec } from "../inputs.ts";
import { headerToMetadataPath, headerToMetadataSpec } from "./header-to-metadata.ts";

/** An HTTPFilter's spec, read: what it asks of Envoy, in whichever form it does so. */
export type Form =
  | {
      readonly kind: "form";
      readonly spec: ExtensionSpec;
      readonly scope: "route" | "chain";
      /** The typed forms are safe by what they can say, so an administrator's list does not bind them. */
      readonly typed: boolean;
      /** Where the author wrote what `spec` has at a path. */
      readonly authorsPath: (path: string) => string;
    }
  | { readonly kind: "problem"; readonly message: string };

const scopes: ReadonlyMap<string, "route" | "chain"> = new Map([
  ["route", "route"],
  ["ROUTE", "route"],
  ["SCOPE_UNSPECIFIED", "route"],
  ["SCOPE_ROUTE", "route"],
  ["chain", "chain"],
  ["CHAIN", "chain"],
  ["SCOPE_CHAIN", "chain"],
]);

const problem = (message: string): Form => ({ kind: "problem", message });

export function parseForm({ filter, typedConfig, headerToMetadata, scope: stated }: HTTPFilterSpec): Form {
  // A file may hold a scope that the type does not know.
  const spelling: string = stated ?? "route";
  const scope = scopes.get(spelling);
  if (scope === undefined) return problem(`spec.scope: ${JSON.stringify(spelling)} is neither route nor chain`);
  if (headerToMetadata !== undefined) {
    if (filter !== undefined || typedConfig !== undefined)
      return problem("spec: headerToMetadata cannot stand beside filter and typedConfig; a filter has one form");
    const spec = headerToMetadataSpec(headerToMetadata);
    return { kind: "form", spec, scope, typed: true, authorsPath: headerToMetadataPath };
  }
  if (filter === undefined && typedConfig === undefined)
    return problem("spec: needs filter and typedConfig, or headerToMetadata");
  if (filter === undefined || filter === "") return problem("spec.filter: must name the filter in Envoy");
  if (typedConfig === undefined) return problem("spec.typedConfig: must hold the filter's configuration for a route");
  return { kind: "form", spec: { filter, typedConfig }, scope, typed: false, authorsPath: (path) => path };
}
