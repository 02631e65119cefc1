import { formatPath, reportInvalid, reportInvalidBare } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { typeOf } from "./types.ts";
import type { Validator } from "./validator.ts";

export function compileNumber(schema: Schema): Validator | undefined {
  const { minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false, multipleOf } = schema;
  const range = rangeOf(schema);
  const isUnbounded = minimum === undefined && maximum === undefined && multipleOf === undefined;
  if (range === undefined && isUnbounded) return undefined;

  return (value, findings) => {
    if (typeof value !== "number") return;
    if (range !== undefined && !range.holds(value)) {
      const place = formatPath(findings.path);
      reportInvalidBare(findings, "", `Checked value must be of type ${range.name} in ${place}`);
    }
    if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
      reportInvalid(findings, value, `should be a multiple of ${multipleOf}`);
    if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
      reportInvalid(findings, value, `should be greater than ${exclusiveMinimum ? "" : "or equal to "}${minimum}`);
    if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
      reportInvalid(findings, value, `should be less than ${exclusiveMaximum ? "" : "or equal to "}${maximum}`);
  };
}

/** The numbers that the type and the format can hold at all. */
function rangeOf({ type, format }: Schema): { readonly name: string; holds(value: number): boolean } | undefined {
  if (type === "integer") {
    const isKnown = format === "int32" || format === "int64";
    const bits = format === "int32" ? 31 : 63;
    return {
      name: isKnown ? `integer with format ${format}` : "integer (default format)",
      holds: (value) => typeOf(value) === "integer" && value >= -(2 ** bits) && value < 2 ** bits,
    };
  }
  if (type === "number" && format === "float")
    return {
      name: "number with format float",
      holds: (value) => Number.isFinite(Math.fround(value)) || !Number.isFinite(value),
    };
  return undefined;
}
