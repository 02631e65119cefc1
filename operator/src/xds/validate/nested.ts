import { type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import { AnySchema, DurationSchema } from "@bufbuild/protobuf/wkt";
import { field as fieldRules, Ignore } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { isRecursive } from "./recursive.ts";
import type { Segment } from "./violation.ts";

/** Called with a message that protovalidate has not looked into, and where it stands. */
export type Found = (message: ReflectMessage, segments: readonly Segment[]) => void;

const closedTypes: ReadonlySet<string> = new Set([AnySchema.typeName, DurationSchema.typeName]);

/**
 * Finds what protovalidate does not look into: every Any, every Duration, and every message behind a recursive field. Does not
 * itself go further into what it finds. The types must have been annotated.
 */
export function eachNested(message: ReflectMessage, segments: readonly Segment[], found: Found): void {
  for (const field of fieldsTowards(message.desc)) {
    if (!message.isSet(field)) continue;
    const next: Found = isLeaf(field) ? found : (nested, at) => eachNested(nested, at, found);
    const at: readonly Segment[] = [...segments, { kind: "field", name: field.name }];
    if (field.fieldKind === "message") {
      next(message.get(field), at);
    } else if (field.fieldKind === "list") {
      const list = message.get(field);
      for (let index = 0; index < list.size; index++) {
        const item = list.get(index);
        if (isReflectMessage(item)) next(item, [...at, { kind: "index", index }]);
      }
    } else if (field.fieldKind === "map") {
      for (const [key, value] of message.get(field)) {
        if (isReflectMessage(value)) next(value, [...at, { kind: "key", key: String(key) }]);
      }
    }
  }
}

const isLeaf = (field: DescField) =>
  isRecursive(field) || (field.message !== undefined && closedTypes.has(field.message.typeName));

const cache = new WeakMap<DescMessage, readonly DescField[]>();

/** The fields of a message that lead to something to be found. */
function fieldsTowards(desc: DescMessage): readonly DescField[] {
  let fields = cache.get(desc);
  if (fields === undefined) {
    fields = desc.fields.filter((field) => leads(field, new Set()));
    cache.set(desc, fields);
  }
  return fields;
}

function leads(field: DescField, visited: Set<DescMessage>): boolean {
  const desc = field.message;
  if (desc === undefined) return false;
  if (isLeaf(field)) return true;
  // Envoy's rules say not to look into it.
  if (getOption(field, fieldRules).ignore === Ignore.ALWAYS) return false;
  if (visited.has(desc)) return false;
  visited.add(desc);
  return desc.fields.some((inner) => leads(inner, visited));
}
