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

/** A place as the author of `json` would write it: names spelled as there, and what is not there in the style around it. */
export function spellPlace(place: Place, root: string, json: unknown): string {
  let here: unknown = json;
  let snake = false;
  const spelled: Segment[] = [{ kind: "field", name: root }];
  for (const segment of place) {
    if (segment.kind === "index") {
      spelled.push(segment);
      here = Array.isArray(here) ? here[segment.index] : undefined;
      continue;
    }
    const object = isPlainObject(here) ? here : {};
    if (segment.kind === "key") {
      spelled.push(segment);
      here = object[segment.key];
      continue;
    }
    const keys = Object.keys(object);
    snake ||= keys.some((key) => key.includes("_"));
    const name = [segment.name, camelCase(segment.name)].find((spelling) => keys.includes(spelling));
    spelled.push({ kind: "field", name: name ?? (snake ? segment.name : camelCase(segment.name)) });
    here = name === undefined ? undefined : object[name];
  }
  return formatPath(spelled);
}

/** The name of a field in proto-JSON. */
export const camelCase = (name: string): string =>
  name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
