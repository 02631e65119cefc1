import { applyDefaults, formatPath, type Schema, unknownFields, validate } from "@gatewright/crd-types/schema";
import { type Fields, fieldsOf, isFields } from "../../lib/index.ts";
import { type Fault, metadataFaults } from "../checks/index.ts";
import { ruleFaults } from "../rules/index.ts";
import { canAskRules, type ObjectProblem, type ObjectRule } from "./read-object.ts";

/** A kind of which nothing is known but its CustomResourceDefinition. */
export type CustomKind = { readonly schema: Schema; readonly isNamespaced: boolean };

export type CustomProblem = Pick<ObjectProblem, "severity" | "rule" | "field" | "path" | "message">;

/** What the API server would say of a custom resource. Paths are those in the object. */
export function readCustom(object: Fields, { schema, isNamespaced }: CustomKind): readonly CustomProblem[] {
  const { status: _, ...given } = object;
  const problems: CustomProblem[] = [];
  const note = (rule: ObjectRule, faults: readonly Fault[]): void => {
    for (const { path, message, isWarning } of faults)
      problems.push({
        severity: isWarning === true ? "warning" : "error",
        rule,
        field: formatPath(path),
        path,
        message,
      });
  };
  const ofMetadata = metadataFaults(given, { isNamespaced });
  note("metadata", ofMetadata);
  if (!isFields(given["metadata"] ?? {})) return problems;
  const defaulted = applyDefaults(schema, given);
  const unknown = unknownFields(schema, given);
  const ofSchema = validate(schema, defaulted);
  note("unknown-field", unknown);
  note("schema", ofSchema);
  if (unknown.length === 0 && canAskRules(ofMetadata, ofSchema)) note("cel", ruleFaults(schema, fieldsOf(defaulted)));
  return problems;
}
