import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "@gatewright/crd-types";
import type { Schema } from "@gatewright/crd-types/schema";
import { schemas } from "@gatewright/crd-types/schemas";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { mutated, validValues } from "../structural-schema/values.ts";

/** An object as it is sent, whatever is wrong with it. */
export type Case = { readonly kind: keyof typeof schemas; readonly object: Readonly<Record<string, unknown>> };

const seed = 1;
const samplesPerKind = 60;
/** What one sample comes to: itself, and broken in one, two … places. */
const mutations = 4;

/**
 * Objects of all kinds that have a schema: valid ones, ones at and past the bounds of their fields, and ones that are broken in some
 * places. The same whenever it is called, as long as schemas and fast-check are the same.
 */
export const cases = (): readonly Case[] =>
  Object.entries(schemas).flatMap(([name, schema]) => {
    const kind = name as Case["kind"];
    const samples = fc.sample(fc.tuple(validValues(schema), fc.infiniteStream(fc.nat())), {
      seed,
      numRuns: samplesPerKind,
    });
    return samples.flatMap(([value, numbers]) => {
      const pick = (length: number) => Number(numbers.next().value) % Math.max(length, 1);
      const valid = complete(kind, plain(value));
      const broken: unknown[] = [];
      for (let more = 0; more < mutations; more++) broken.push(mutated(broken.at(-1) ?? valid, pick));
      const bounded = atBounds(schema, valid);
      return [valid, ...broken, ...(bounded.length === 0 ? [] : [bounded[pick(bounded.length)]])].flatMap((object) =>
        isFields(object) && isOfDefault(object)
          ? [{ kind, object: { ...object, apiVersion: kinds[kind].apiVersion, kind } }]
          : [],
      );
    });
  });

/** Objects are sent to one namespace, and a server refuses those that name another. */
function isOfDefault({ metadata }: Fields): boolean {
  const namespace = isFields(metadata) ? metadata["namespace"] : undefined;
  return (
    typeof namespace !== "string" || namespace === "" || namespace === "default" || !/^[a-z0-9-]+$/.test(namespace)
  );
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Without `undefined` and prototypes, as a value is after its way through JSON. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function complete(kind: Case["kind"], value: unknown): Fields {
  const { status: _, ...object } = isFields(value) ? value : {};
  const namespace = kinds[kind].scope === "Namespaced" ? { namespace: "default" } : {};
  return { ...object, apiVersion: kinds[kind].apiVersion, kind, metadata: { name: "a", ...namespace } };
}

/** Copies of an object, each with one field at a bound of its schema, or one beyond. */
function atBounds(schema: Schema, object: Fields): readonly unknown[] {
  const found: unknown[] = [];
  const visit = (part: Schema, value: unknown, put: (value: unknown) => unknown): void => {
    for (const edge of edgesOf(part, value)) found.push(put(edge));
    if (Array.isArray(value))
      for (const [index, item] of value.entries())
        if (part.items !== undefined) visit(part.items, item, (next) => put(value.with(index, next)));
    if (!isFields(value)) return;
    for (const [name, member] of Object.entries(part.properties ?? {}))
      if (name in value && name !== "metadata") visit(member, value[name], (next) => put({ ...value, [name]: next }));
  };
  visit(schema, object, (value) => value);
  return found;
}

function edgesOf(schema: Schema, value: unknown): readonly unknown[] {
  const { minimum, maximum, minLength, maxLength, maxItems } = schema;
  if (typeof value === "number")
    return [minimum, maximum].flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]));
  if (typeof value === "string")
    return [minLength, maxLength]
      .flatMap((bound) => (bound === undefined ? [] : [bound - 1, bound, bound + 1]))
      .filter((length) => length >= 0 && length < 5_000)
      .map((length) => "a".repeat(length));
  if (!Array.isArray(value) || value.length === 0 || maxItems === undefined || maxItems > 64) return [];
  return [maxItems, maxItems + 1].map((length) => Array.from({ length }, (_, index) => value[index % value.length]));
}

/** A file of the Gateway API's own, and its objects in the form in which they are sent. */
export type Example = { readonly file: string; readonly objects: readonly Fields[] };

/** Its examples, and those that are to be refused, in a folder with its module. */
export function examples(folder: string): readonly Example[] {
  return globSync("{examples,hack/invalid-examples}/**/*.yaml", { cwd: folder })
    .toSorted()
    .map((file) => ({
      file,
      objects: parseAllDocuments(readFileSync(join(folder, file), "utf8"))
        .map((document): unknown => document.toJS())
        .filter(isFields),
    }));
}
