import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { AnySchema, DurationSchema } from "@bufbuild/protobuf/wkt";
import { isReflectMessage, type ReflectMessage } from "@bufbuild/protobuf/reflect";
import type { Segment } from "./violation.ts";

/** An Any or a Duration: what protovalidate does not look into. */
export type Special = { readonly segments: readonly Segment[]; readonly message: ReflectMessage };

const special: ReadonlySet<string> = new Set([AnySchema.typeName, DurationSchema.typeName]);
const cache = new WeakMap<DescMessage, readonly DescField[]>();

/** Finds every Any and every Duration in a message. */
export function findSpecial(
  message: ReflectMessage,
  segments: readonly Segment[],
  found: (special: Special) => void,
): void {
  if (special.has(message.desc.typeName)) {
    found({ segments, message });
    return;
  }
  for (const field of fieldsTowards(message.desc)) {
    if (!message.isSet(field)) continue;
    const at: readonly Segment[] = [...segments, { kind: "field", name: field.name }];
    if (field.fieldKind === "message") {
      findSpecial(message.get(field), at, found);
    } else if (field.fieldKind === "list") {
      const list = message.get(field);
      for (let index = 0; index < list.size; index++) {
        const item = list.get(index);
        if (isReflectMessage(item)) findSpecial(item, [...at, { kind: "index", index }], found);
      }
    } else if (field.fieldKind === "map") {
      for (const [key, value] of message.get(field)) {
        if (isReflectMessage(value)) findSpecial(value, [...at, { kind: "key", key: String(key) }], found);
      }
    }
  }
}

/** The fields of a message behind which an Any or a Duration may stand. */
function fieldsTowards(desc: DescMessage): readonly DescField[] {
  let fields = cache.get(desc);
  if (fields === undefined) {
    fields = desc.fields.filter(({ message }) => message !== undefined && reaches(message, new Set()));
    cache.set(desc, fields);
  }
  return fields;
}

function reaches(desc: DescMessage, visited: Set<DescMessage>): boolean {
  if (special.has(desc.typeName)) return true;
  if (visited.has(desc)) return false;
  visited.add(desc);
  return desc.fields.some(({ message }) => message !== undefined && reaches(message, visited));
}
