import { type DescMessage, isMessage, type Message, type MessageShape } from "@bufbuild/protobuf";
import { isReflectMessage, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { unpackAny } from "../proto/index.ts";
import { fieldAt, indexAt, keyAt, type Place } from "./place.ts";
import type { ExtensionProblemReason } from "./problem.ts";

/** Reports what is wrong with a field of the message at hand, named by the way to it; without one, with the message itself. */
export type Report = (fields: readonly string[], message: string, reason?: ExtensionProblemReason) => void;

/** Looks at the messages of one type, wherever they stand in a configuration. */
export type MessageCheck = { readonly typeName: string; readonly check: (message: Message, report: Report) => void };

export function checkEach<Desc extends DescMessage>(
  schema: Desc,
  check: (message: MessageShape<Desc>, report: Report) => void,
): MessageCheck {
  return {
    typeName: schema.typeName,
    check: (message, report) => {
      if (isMessage(message, schema)) check(message, report);
    },
  };
}

/** Called with every message in a configuration, packed ones included, and its place. */
export type Visitor = (message: Message, place: Place) => void;

export function visitMessages(desc: DescMessage, message: Message, visit: Visitor): void {
  walk(reflect(desc, message), [], visit);
}

function walk(node: ReflectMessage, place: Place, visit: Visitor): void {
  visit(node.message, place);
  if (isMessage(node.message, AnySchema)) {
    const unpacked = unpackAny(node.message);
    if (unpacked.kind === "message") walk(reflect(unpacked.desc, unpacked.message), place, visit);
    return;
  }
  for (const field of node.desc.fields) {
    if (field.message === undefined || !node.isSet(field)) continue;
    const at = fieldAt(place, field.name);
    if (field.fieldKind === "message") walk(node.get(field), at, visit);
    else if (field.fieldKind === "list") {
      const list = node.get(field);
      for (let index = 0; index < list.size; index++) {
        const item = list.get(index);
        if (isReflectMessage(item)) walk(item, indexAt(at, index), visit);
      }
    } else if (field.fieldKind === "map") {
      for (const [key, item] of node.get(field)) {
        if (isReflectMessage(item)) walk(item, keyAt(at, String(key)), visit);
      }
    }
  }
}
