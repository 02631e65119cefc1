import fc from "fast-check";
import type { Schema } from "@gatewright/crd-types/schema";

/** Values that are valid under a schema, CEL rules aside. */
export function validValues(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema["x-kubernetes-int-or-string"] === true) return fc.oneof(fc.integer(), validStrings(schema));
  switch (schema.type) {
    case "string":
      return validStrings(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1000, max: schema.maximum ?? 100_000 });
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "array":
      return validArrays(schema);
    case "object":
      return validObjects(schema);
    default:
      return fc.jsonValue();
  }
}

function validStrings({ minLength = 0, maxLength = 64, pattern, format }: Schema): fc.Arbitrary<unknown> {
  if (format === "date-time")
    return fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString());
  if (format === "byte") return fc.base64String({ minLength: 4, maxLength: 16 });
  if (pattern === undefined) return fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 20) });
  return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= minLength && length <= maxLength);
}

function validArrays(schema: Schema): fc.Arbitrary<unknown> {
  const { items = {}, minItems: minLength = 0, maxItems = 2 } = schema;
  const lengths = { minLength, maxLength: Math.min(maxItems, minLength + 2) };
  const keys = schema["x-kubernetes-list-map-keys"];
  if (keys !== undefined) return fc.uniqueArray(validValues(items), { ...lengths, selector: keySelector(items, keys) });
  if (schema["x-kubernetes-list-type"] === "set" || schema.uniqueItems === true)
    return fc.uniqueArray(validValues(items), { ...lengths, selector: (item) => JSON.stringify(item) });
  return fc.array(validValues(items), lengths);
}

const keySelector = (items: Schema, keys: readonly string[]) => (item: unknown) =>
  JSON.stringify(
    keys.map((key) => (item as Record<string, unknown>)[key] ?? items.properties?.[key]?.default ?? "absent"),
  );

function validObjects(schema: Schema): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required = [], minProperties: minKeys = 0 } = schema;
  const key = fc.stringMatching(/^[a-z]{1,8}$/);
  if (properties === undefined) {
    const member = typeof additionalProperties === "object" ? validValues(additionalProperties) : fc.jsonValue();
    return fc.dictionary(key, member, { minKeys, maxKeys: Math.max(minKeys, 2) });
  }
  const members = Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, validValues(member)]));
  return fc
    .record(members, { requiredKeys: [...required] })
    .filter((object) => Object.keys(object).length >= minKeys)
    .map((object) => (schema.oneOf === undefined ? object : withAddress(object)));
}

/** The one `oneOf` of the Gateway API: what has the type IPAddress, which is the default, must be one. */
const withAddress = (object: Record<string, unknown>) =>
  (object["type"] ?? "IPAddress") === "IPAddress" && "value" in object ? { ...object, value: "192.0.2.1" } : object;

const oddities: readonly unknown[] = [
  null,
  "x",
  "",
  "A_b!",
  0,
  -1,
  70_000,
  1.5,
  5e9,
  true,
  [],
  {},
  [1],
  { a: 1 },
  [null],
  "ü",
  "a".repeat(300),
  { constructor: 1 },
];

type Parent = Record<string | number, unknown>;

/** The value with one place changed: taken out, doubled, or replaced by something odd. */
export function mutated(value: unknown, pick: (length: number) => number): unknown {
  const copy: unknown = structuredClone(value);
  const places = placesIn(copy);
  const place = places[pick(places.length)];
  if (place === undefined) return copy;
  const [parent, key] = place;
  const old = parent[key];
  const choice = pick(6);
  if (choice === 0 && Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (choice === 0) delete parent[key];
  else if (choice === 1 && Array.isArray(parent)) parent.push(structuredClone(old));
  else if (choice === 1) parent[`unknown${pick(3)}`] = 1;
  else if (choice === 2 && typeof old === "string") parent[key] = `${old}_\n`;
  else if (choice === 2 && typeof old === "number") parent[key] = old * 1e6;
  else parent[key] = structuredClone(oddities[pick(oddities.length)]);
  return copy;
}

function placesIn(value: unknown): readonly (readonly [Parent, string | number])[] {
  if (typeof value !== "object" || value === null) return [];
  const parent = value as Parent;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return keys.flatMap((key) => [[parent, key] as const, ...placesIn(parent[key])]);
}
