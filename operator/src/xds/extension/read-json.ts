import { type DescField, type DescMessage, fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { protoRegistry, typeNameOf, typeUrl } from "../proto/index.ts";
import { messageOf } from "../../lib/index.ts";
import { isJson, isPlainObject, sortKeys } from "./json.ts";
import { hasOwnForm, isLeaf, keyProblem, leafProblem } from "./leaf.ts";
import { fieldAt, indexAt, keyAt, type Place, spellings } from "./place.ts";
import type { ExtensionProblemReason } from "./problem.ts";

/** A problem, not yet spelled as the author of the configuration does. */
export type Finding = { readonly reason: ExtensionProblemReason; readonly place: Place; readonly message: string };

export type Read =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "invalid"; readonly findings: readonly Finding[] };

/**
 * Reads proto-JSON strictly, and reports all that is wrong with it rather than the first. The value must have been found to
 * be small enough.
 */
export function readJson(desc: DescMessage, json: unknown): Read {
  const findings: Finding[] = [];
  readMessage(desc, json, [], findings, isPlainObject(json) && Object.hasOwn(json, "@type"));
  if (findings.length > 0 || !isJson(json)) return { kind: "invalid", findings };
  try {
    return { kind: "message", message: fromJson(desc, sortKeys(withoutType(json)), { registry: protoRegistry() }) };
  } catch (error) {
    // What the walk above does not know of.
    const message = messageOf(error);
    return { kind: "invalid", findings: [{ reason: "InvalidValue", place: [], message }] };
  }
}

function withoutType(json: JsonValue): JsonValue {
  if (!isPlainObject(json)) return json;
  return Object.fromEntries(Object.entries(json).filter(([key]) => key !== "@type"));
}

function readMessage(desc: DescMessage, json: unknown, place: Place, findings: Finding[], typed = false): void {
  if (!isPlainObject(json)) {
    findings.push({ reason: "InvalidValue", place, message: `must be an object (${desc.name})` });
    return;
  }
  const given = new Set<DescField>();
  for (const [key, value] of Object.entries(json)) {
    if (typed && key === "@type") continue;
    const field = desc.fields.find((candidate) => spellings(candidate).includes(key));
    if (field === undefined) {
      findings.push({ reason: "UnknownField", place: fieldAt(place, key), message: unknownField(desc, key) });
      continue;
    }
    const at = fieldAt(place, key);
    if (given.has(field)) findings.push({ reason: "InvalidValue", place: at, message: "is given in both spellings" });
    // Proto-JSON takes null for a field that is left out.
    if (value === null && field.message?.typeName !== "google.protobuf.Value") continue;
    const rival = field.oneof && [...given].find((other) => other !== field && other.oneof === field.oneof);
    if (rival !== undefined) {
      const message = `cannot be given together with ${spellings(rival).find((name) => Object.hasOwn(json, name)) ?? rival.name}`;
      findings.push({ reason: "InvalidValue", place: at, message });
    }
    given.add(field);
    readField(field, value, at, findings);
  }
}

function readField(field: DescField, value: unknown, place: Place, findings: Finding[]): void {
  if (field.fieldKind === "list") {
    if (Array.isArray(value)) value.forEach((item, index) => readItem(field, item, indexAt(place, index), findings));
    else findings.push({ reason: "InvalidValue", place, message: "must be a list" });
  } else if (field.fieldKind === "map") {
    if (isPlainObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        const problem = keyProblem(field, key);
        if (problem !== undefined)
          findings.push({ reason: "InvalidValue", place: keyAt(place, key), message: problem });
        else readItem(field, item, keyAt(place, key), findings);
      }
    } else findings.push({ reason: "InvalidValue", place, message: "must be an object" });
  } else readItem(field, value, place, findings);
}

function readItem(field: DescField, value: unknown, place: Place, findings: Finding[]): void {
  const { message } = field;
  if (message?.typeName === AnySchema.typeName) readAny(value, place, findings);
  else if (message !== undefined && !isLeaf(field)) readMessage(message, value, place, findings);
  else {
    const problem = isJson(value) ? leafProblem(field, value) : "is no JSON value";
    if (problem !== undefined) findings.push({ reason: "InvalidValue", place, message: problem });
  }
}

function readAny(value: unknown, place: Place, findings: Finding[]): void {
  if (!isPlainObject(value)) {
    findings.push({ reason: "InvalidValue", place, message: "must be an object with @type" });
    return;
  }
  const type = readType(value, place);
  if (type.kind === "invalid") findings.push(type.finding);
  // Of a type with a form of its own the value stands under `value`: left to the library.
  else if (!hasOwnForm(type.desc)) readMessage(type.desc, value, place, findings, true);
}

/** The message type that `@type` names. */
export function readType(
  json: { readonly [key: string]: unknown },
  place: Place,
): { readonly kind: "type"; readonly desc: DescMessage } | { readonly kind: "invalid"; readonly finding: Finding } {
  const at = fieldAt(place, "@type");
  const invalid = (reason: ExtensionProblemReason, message: string) =>
    ({ kind: "invalid", finding: { reason, place: at, message } }) as const;
  const url = json["@type"];
  if (url === undefined)
    return invalid("MissingField", `is missing: it names the type, as ${typeUrl({ typeName: "…" })}`);
  if (typeof url !== "string") return invalid("InvalidValue", "must be a string");
  const desc = protoRegistry().getMessage(typeNameOf(url));
  if (desc === undefined) return invalid("UnknownType", `${url} is no type of Envoy's API`);
  if (url !== typeUrl(desc)) return invalid("UnknownType", `must be written as ${typeUrl(desc)}`);
  return { kind: "type", desc };
}

function unknownField(desc: DescMessage, key: string): string {
  const plain = (name: string) => name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
  const meant = desc.fields.find(({ name }) => plain(name) === plain(key));
  const hint = meant === undefined ? "" : `; did you mean ${meant.jsonName}?`;
  return `is no field of ${desc.typeName}${hint}`;
}
