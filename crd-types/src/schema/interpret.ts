import { compileDefaulter, type Defaulter } from "./defaults.ts";
import { newFindings, type SchemaProblem } from "./problem.ts";
import { compilePruner, type Pruner } from "./pruning.ts";
import type { Schema } from "./schema.ts";
import { compileValidator, type Validator } from "./validator.ts";

/** Compiled once for each schema, by its identity, when first asked for. */
function memoized<T>(compile: (schema: Schema) => T): (schema: Schema) => T {
  const results = new WeakMap<Schema, T>();
  return (schema) => {
    let result = results.get(schema);
    if (result === undefined) {
      result = compile(schema);
      results.set(schema, result);
    }
    return result;
  };
}

const validatorOf: (schema: Schema) => Validator = memoized(compileValidator);
const defaulterOf: (schema: Schema) => Defaulter = memoized(compileDefaulter);
const prunerOf: (schema: Schema) => Pruner = memoized((schema) => compilePruner(schema, true));

/**
 * What the API server would say of an object that was defaulted and pruned: problems in its words, none when the object
 * is valid. CEL rules (`x-kubernetes-validations`) are not looked at. At most a hundred problems are told.
 */
export function validate(schema: Schema, value: unknown): readonly SchemaProblem[] {
  const findings = newFindings();
  validatorOf(schema)(value, findings);
  return findings.problems;
}

/**
 * The value with the schema's defaults, as the API server stores it. Nulls where the schema allows none give way to the
 * default or vanish. The input is never changed, and is the result where nothing was missing; results share their
 * unchanged parts with the input, and defaults (frozen) with each other.
 */
export function applyDefaults(schema: Schema, value: unknown): unknown {
  return defaulterOf(schema)(value);
}

/** Fields that the schema does not know. The API server drops them; `kubectl` refuses the object. */
export function unknownFields(schema: Schema, value: unknown): readonly SchemaProblem[] {
  const findings = newFindings();
  prunerOf(schema)(value, findings);
  return findings.problems;
}

/** The value without what the schema does not know. The input is never changed. */
export function prune(schema: Schema, value: unknown): unknown {
  return prunerOf(schema)(value, newFindings());
}
