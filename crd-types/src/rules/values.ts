import { type CelMap, type CelValue, celList, celMap } from "@bufbuild/cel";
import type { Schema } from "../schema/index.ts";

export type Value = CelValue;

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Words that mean something in CEL: fields of such names are written otherwise in rules. */
const reserved: ReadonlySet<string> = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var void " +
    "while"
  ).split(" "),
);

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** How a rule names a field. https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#validation-rules */
export const celName = (field: string): string =>
  reserved.has(field) ? `__${field}__` : field.replaceAll(/__|[-./]/g, (part) => escapes[part] ?? part);

type Converter = (value: unknown) => Value;

/** Turns values into what rules see: what is an integer for the schema is one for CEL, and fields have the names that rules use. */
export function compileConverter(schema: Schema | undefined): Converter {
  const item = schema?.items === undefined ? undefined : compileConverter(schema.items);
  const members = new Map(
    Object.entries(schema?.properties ?? {}).map(([field, member]) => [
      field,
      { name: celName(field), convert: compileConverter(member) },
    ]),
  );
  const other =
    typeof schema?.additionalProperties === "object" ? compileConverter(schema.additionalProperties) : convertUnknown;
  const isReal = schema?.type === "number";

  function convertFields(value: Fields): CelMap {
    const entries = new Map<string, Value>();
    for (const field of Object.keys(value)) {
      if (value[field] === undefined) continue;
      const member = members.get(field);
      if (member === undefined) entries.set(field, other(value[field]));
      else {
        const converted = member.convert(value[field]);
        entries.set(member.name, converted);
        // The API server has come to take these names as they are, too.
        if (reserved.has(field)) entries.set(field, converted);
      }
    }
    return celMap(entries);
  }

  return (value) => {
    if (Array.isArray(value)) return celList(value.map(item ?? convertUnknown));
    if (isFields(value)) return convertFields(value);
    if (typeof value === "number") return !isReal && Number.isSafeInteger(value) ? BigInt(value) : value;
    return typeof value === "boolean" || typeof value === "string" ? value : null;
  };
}

/** What no schema speaks of. */
function convertUnknown(value: unknown): Value {
  unknown ??= compileConverter(undefined);
  return unknown(value);
}
let unknown: Converter | undefined;
