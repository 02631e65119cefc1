import { Document, visit } from "yaml";
import type { CustomResourceDefinition } from "./model.ts";

/**
 * A CRD as YAML. Long lines stay whole, so that rules in CEL and patterns can be searched for. Strings are quoted where
 * YAML 1.1, as kubectl reads it, or YAML 1.2 takes them for something else: `off`, `y`, `0o7`.
 */
export const emitCrd = (crd: CustomResourceDefinition): string => {
  const document = new Document(crd.definition, { version: "1.1", aliasDuplicateObjects: false, sortMapEntries: true });
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && octalOfYaml12.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  // The version is for the reader of quotes, not of a directive.
  return document.toString({ lineWidth: 0, directives: false });
};

const octalOfYaml12 = /^[-+]?0o[0-7]+$/;
