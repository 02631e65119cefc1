import { compileArray } from "./arrays.ts";
import { compileComposition } from "./composition.ts";
import { compileEmbedded } from "./embedded.ts";
import { heededFormat } from "./formats.ts";
import { canonicalJson } from "./go-text.ts";
import { compileNumber } from "./numbers.ts";
import { compileObject } from "./objects.ts";
import { type Findings, reportType, reportUnsupported } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { compileString } from "./strings.ts";
import { type JsonType, typeOf } from "./types.ts";

/** Checks one value; what it finds goes to `findings`. */
export type Validator = (value: unknown, findings: Findings) => void;

/** Makes the function that checks values against a schema. Compiling costs a thousand times what checking does. */
export function compileValidator(schema: Schema): Validator {
  const types = expectedTypes(schema);
  const checks: Readonly<Partial<Record<JsonType, Validator | undefined>>> = {
    string: compileString(schema),
    integer: compileNumber(schema),
    number: compileNumber(schema),
    array: compileArray(schema, compileValidator),
    object: joined(compileObject(schema, compileValidator), compileEmbedded(schema)),
  };
  const checkComposition = compileComposition(schema, compileValidator);
  const checkEnum = compileEnum(schema);

  return (value, findings) => {
    const problemsBefore = findings.problems.length;
    const type = typeOf(value);
    if (type === "null") {
      if (types.length > 0 && schema.nullable !== true) reportType(findings, types.join(","), "null");
      checkEnum?.(value, findings);
      return;
    }
    if (types.length > 0 && !accepts(types, type)) reportMismatch(schema, types, type, findings);
    checkComposition?.(value, findings);
    checks[type]?.(value, findings);
    checkEnum?.(value, findings);
    if (findings.problems.length === problemsBefore) findings.matches++;
  };
}

function expectedTypes(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

const accepts = (types: readonly string[], type: JsonType): boolean =>
  types.includes(type) || (type === "integer" && types.includes("number"));

/** Which name the API server gives the expected type depends on what it found. */
function reportMismatch(schema: Schema, types: readonly string[], type: JsonType, findings: Findings): void {
  const isScalar = type !== "string" && type !== "array";
  const foundFormat = type === "integer" ? "int64" : type === "number" ? "float64" : "";
  const format = heededFormat(schema);
  // kube-openapi lets a list pass for a string that has a format; that is taken for a mistake and not followed.
  if (isScalar && format !== undefined) reportType(findings, format, foundFormat);
  else reportType(findings, types.join(","), type);
}

function compileEnum(schema: Schema): Validator | undefined {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return undefined;
  const texts = new Set(allowed.filter((one) => one !== null).map(canonicalJson));
  const strings = new Set(allowed.filter((one) => typeof one === "string"));
  return (value, findings) => {
    const isAllowed = typeof value === "string" ? strings.has(value) : texts.has(canonicalJson(value));
    if (!isAllowed) reportUnsupported(findings, value, allowed);
  };
}

function joined(...validators: readonly (Validator | undefined)[]): Validator | undefined {
  const present = validators.filter((validator) => validator !== undefined);
  if (present.length < 2) return present[0];
  return (value, findings) => {
    for (const validator of present) validator(value, findings);
  };
}
