import { applyDefaults, type Path, prune, type Schema, unknownFields, validate } from "../schema/index.ts";
import { labelFaults, subdomainFaults } from "./names.ts";
import { problemAt, ruleProblems } from "./rules.ts";
import { isFields } from "./values.ts";

/** Why an API server would refuse an object. */
export type ObjectProblem = {
  /** Where in the object. */
  readonly path: Path;
  /** The whole sentence in the API server's words, path included. */
  readonly message: string;
};

export type ObjectOptions = {
  /** What becomes of fields that the schema does not know: refused, as `kubectl` does (so by default), or dropped, as the API server does. */
  readonly unknownFields?: "refuse" | "drop";
};

/** The object as an API server would store it: without what its schema does not know, and with its defaults. */
export const completeObject = (schema: Schema, object: unknown): unknown =>
  applyDefaults(schema, prune(schema, object));

/** What an API server says of an object of a kind that comes anew: its metadata, its schema and the schema's CEL rules. */
export function objectProblems(
  schema: Schema,
  isNamespaced: boolean,
  object: unknown,
  options: ObjectOptions = {},
): readonly ObjectProblem[] {
  const unknown = options.unknownFields === "drop" ? [] : unknownFields(schema, object);
  const whole = completeObject(schema, object);
  const found: readonly ObjectProblem[] = [
    ...unknown,
    ...metadataProblems(whole, isNamespaced),
    ...validate(schema, whole),
  ];
  // Rules are written for values that have the right shape.
  return found.length > unknown.length || !isFields(whole) ? found : [...found, ...ruleProblems(schema, whole)];
}

function metadataProblems(object: unknown, isNamespaced: boolean): readonly ObjectProblem[] {
  const metadata = isFields(object) ? object["metadata"] : undefined;
  if (!isFields(metadata)) return [problemAt(["metadata"], "Required value")];
  const { name, generateName, namespace } = metadata;
  const invalid = (field: string, value: string, faults: readonly string[]) =>
    faults.map((fault) => problemAt(["metadata", field], `Invalid value: ${JSON.stringify(value)}: ${fault}`));
  const hasName = typeof name === "string" && name !== "";
  const mayDoWithout = typeof generateName === "string" && generateName !== "";
  return [
    ...(hasName ? invalid("name", name, subdomainFaults(name)) : []),
    ...(hasName || mayDoWithout
      ? []
      : [problemAt(["metadata", "name"], "Required value: name or generateName is required")]),
    ...(typeof namespace !== "string" || namespace === ""
      ? []
      : isNamespaced
        ? invalid("namespace", namespace, labelFaults(namespace))
        : [problemAt(["metadata", "namespace"], "Forbidden: not allowed on this type")]),
  ];
}
