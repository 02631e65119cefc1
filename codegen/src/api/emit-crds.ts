import { stringify } from "yaml";
import type { CustomResourceDefinition } from "./model.ts";

/**
 * A CRD as YAML. Long lines stay whole, so that rules in CEL and patterns can be searched for. Strings are quoted where YAML
 * 1.1, as kubectl reads it, takes them for something else: `off`, `y`, `0o7`.
 */
export const emitCrd = (crd: CustomResourceDefinition): string =>
  stringify(crd.definition, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true });
