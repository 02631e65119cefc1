import { type DescField, type DescMessage, fromJson, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";

/** Messages that proto-JSON writes in a form of their own, not as an object of their fields. */
const ownForm: ReadonlyMap<string, string> = new Map([
  ["google.protobuf.Duration", 'a duration in seconds, such as "1.5s"'],
  ["google.protobuf.Timestamp", 'a time, such as "2026-01-31T08:00:00Z"'],
  ["google.protobuf.FieldMask", 'names of fields, such as "a,b.c"'],
  ["google.protobuf.Struct", "an object"],
  ["google.protobuf.ListValue", "a list"],
  ["google.protobuf.Value", "any JSON value"],
]);

const integers = "a whole number";
const scalarForms: { readonly [type in ScalarType]: string } = {
  [ScalarType.STRING]: "a string",
  [ScalarType.BYTES]: "bytes in base64",
  [ScalarType.BOOL]: "true or false",
  [ScalarType.DOUBLE]: "a number",
  [ScalarType.FLOAT]: "a number",
  [ScalarType.INT32]: integers,
  [ScalarType.INT64]: integers,
  [ScalarType.SINT32]: integers,
  [ScalarType.SINT64]: integers,
  [ScalarType.SFIXED32]: integers,
  [ScalarType.SFIXED64]: integers,
  [ScalarType.UINT32]: "a whole number from 0",
  [ScalarType.UINT64]: "a whole number from 0",
  [ScalarType.FIXED32]: "a whole number from 0",
  [ScalarType.FIXED64]: "a whole number from 0",
};

export const hasOwnForm = (message: DescMessage): boolean => ownForm.has(message.typeName) || isWrapperDesc(message);

/** Whether a field, or an item of it, is one value and not an object of fields. */
export const isLeaf = ({ message }: DescField): boolean => message === undefined || hasOwnForm(message);

/** Says what a value should be, if a field of this type cannot take it. The library is the judge, so that it never reads on what passed here. */
export function leafProblem(field: DescField, value: JsonValue): string | undefined {
  if (typeof value === "string" && !value.isWellFormed()) return "must be valid Unicode";
  return reads(field.parent, { [field.jsonName]: wrap(field, value) }) ? undefined : `must be ${formOf(field)}`;
}

/** Says what is wrong with the key of a map. */
export function keyProblem(field: DescField & { fieldKind: "map" }, key: string): string | undefined {
  // A name that JavaScript gives a meaning of its own.
  if (key === "__proto__") return "is not allowed as a key";
  return field.mapKey === ScalarType.STRING || reads(field.parent, { [field.jsonName]: { [key]: sample(field) } })
    ? undefined
    : `must have keys that are ${scalarForms[field.mapKey]}`;
}

function reads(desc: DescMessage | undefined, json: JsonValue): boolean {
  if (desc === undefined) return false;
  try {
    fromJson(desc, json);
    return true;
  } catch {
    return false;
  }
}

function wrap(field: DescField, value: JsonValue): JsonValue {
  if (field.fieldKind === "list") return [value];
  if (field.fieldKind === "map") return { [field.mapKey === ScalarType.BOOL ? "true" : "0"]: value };
  return value;
}

function sample(field: DescField & { fieldKind: "map" }): JsonValue {
  if (field.mapKind === "message") return {};
  return field.mapKind === "scalar" && field.scalar === ScalarType.BOOL ? false : 0;
}

function formOf(field: DescField): string {
  const { message } = field;
  if (field.enum !== undefined) return oneOf(field.enum.values.map(({ name }) => name));
  if (field.scalar !== undefined) return scalarForms[field.scalar];
  if (message === undefined) return "something else";
  const wrapped = isWrapperDesc(message) ? message.fields[0]?.scalar : undefined;
  return wrapped === undefined ? (ownForm.get(message.typeName) ?? "something else") : scalarForms[wrapped];
}

const oneOf = (names: readonly string[]) => (names.length > 1 ? `one of ${names.join(", ")}` : names.join());
