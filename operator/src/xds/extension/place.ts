import type { DescField } from "@bufbuild/protobuf";
import { formatPath, type Segment } from "../validate/index.ts";
import { isPlainObject } from "./json.ts";

/** Where something stands in a configuration, by the names of Envoy's .proto files. */
export type Place = readonly Segment[];

export const fieldAt = (place: Place, name: string): Place => [...place, { kind: "field", name }];
export const indexAt = (place: Place, index: number): Place => [...place, { kind: "index", index }];
export const keyAt = (place: Place, key: string): Place => [...place, { kind: "key", key }];

/** The key by which `json` spells a field: proto-JSON knows both its camelCase and its snake_case name. */
export const spellings = ({ jsonName, name }: Pick<DescField, "jsonName" | "name">): readonly string[] =>
  jsonName === name ? [name] : [jsonName, name];

/** A place as the author of `json` would write it: names spelled as there, and what is not there in the same style. */
export function spellPlace(place: Place, root: string, json: unknown): string {
  const snake = usesSnakeCase(json);
  let here: unknown = json;
  const spelled: Segment[] = [{ kind: "field", name: root }];
  for (const segment of place) {
    if (segment.kind === "field") {
      const name = spellingIn(here, segment.name) ?? (snake ? segment.name : camelCase(segment.name));
      spelled.push({ kind: "field", name });
      here = isPlainObject(here) ? here[name] : undefined;
    } else {
      spelled.push(segment);
      here =
        segment.kind === "key" ? (isPlainObject(here) ? here[segment.key] : undefined) : itemOf(here, segment.index);
    }
  }
  return formatPath(spelled);
}

const itemOf = (value: unknown, index: number): unknown => (Array.isArray(value) ? value[index] : undefined);

function spellingIn(value: unknown, name: string): string | undefined {
  if (!isPlainObject(value)) return undefined;
  return [camelCase(name), name].find((spelling) => Object.hasOwn(value, spelling));
}

export const camelCase = (name: string): string =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Whether some field is spelled with an underscore. (Keys of maps may be mistaken for fields; nothing depends on it.) */
function usesSnakeCase(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(usesSnakeCase);
  if (!isPlainObject(value)) return false;
  return Object.entries(value).some(([key, item]) => key.includes("_") || usesSnakeCase(item));
}
