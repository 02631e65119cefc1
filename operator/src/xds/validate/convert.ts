import { fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { type FieldRules, FieldRulesSchema, KnownRegex } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import {
  type FieldRules as EnvoyRules,
  FieldRulesSchema as EnvoyRulesSchema,
} from "@gatewright/crd-types/proto/validate/validate_pb";

/**
 * What Envoy asks of a header name where it is not strict. protovalidate's own lenient rule for names refuses the empty
 * string, Envoy's does not.
 */
export const lenientHeader = { pattern: "^[^\\x00\\x0A\\x0D]*$", message: "must not contain NUL, CR or LF" };

export type Converted = {
  readonly rules: FieldRules;
  /** The message, duration or Any must be there. Has no meaning inside a oneof: who chooses the member sets it. */
  readonly required: boolean;
};

/**
 * Puts the rules of protoc-gen-validate, which Envoy's fields carry, into the words of protovalidate. Both spell most rules
 * alike, so the conversion goes by JSON; whatever is left over after the differences are settled must exist on the other
 * side, or this throws.
 *
 * https://github.com/bufbuild/protoc-gen-validate/blob/main/README.md#constraint-rules
 */
export function convertRules(envoy: EnvoyRules): Converted {
  const { rules, required, skip } = split(object(toJson(EnvoyRulesSchema, envoy, { enumAsInteger: true })));
  if (skip) rules["ignore"] = "IGNORE_ALWAYS";
  return { rules: fromJson(FieldRulesSchema, rules), required };
}

function split(envoy: JsonObject): { readonly rules: JsonObject; readonly required: boolean; readonly skip: boolean } {
  const { message, ...typed } = envoy;
  const { required = false, skip = false } = object(message ?? {});
  const rules: JsonObject = {};
  let needed = required === true;
  for (const [type, value] of Object.entries(typed)) {
    const { required: present, ignoreEmpty, ...rest } = object(value);
    if (present === true) needed = true;
    if (ignoreEmpty === true) rules["ignore"] = "IGNORE_IF_ZERO_VALUE";
    rules[type] = convertType(rest);
  }
  return { rules, required: needed, skip: skip === true };
}

function convertType(rules: JsonObject): JsonObject {
  const converted = { ...rules };
  for (const nested of ["items", "keys", "values"]) {
    const value = rules[nested];
    if (value !== undefined) converted[nested] = split(object(value)).rules;
  }
  if (rules["wellKnownRegex"] === KnownRegex.HTTP_HEADER_NAME && rules["strict"] === false) {
    delete converted["wellKnownRegex"];
    delete converted["strict"];
    converted["pattern"] = lenientHeader.pattern;
  }
  return converted;
}

function object(value: JsonValue): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError(`expected an object of rules, got ${JSON.stringify(value)}`);
  }
  return value;
}
