import { schemas } from "@gatewright/crd-types/schemas";
import type { Schema } from "@gatewright/crd-types/schema";
import fc from "fast-check";
import { mutated, validValues } from "./values.ts";

/** A value under a schema: one of our kinds by name, or one made up to reach what no kind uses. */
export type Case = { readonly kind?: string; readonly schema?: Schema; readonly value: unknown };

export const schemaOf = ({ kind, schema }: Case): Schema => {
  const found = schema ?? Object.entries(schemas).find(([name]) => name === kind)?.[1];
  if (found === undefined) throw new Error(`no schema for ${kind}`);
  return found;
};

/** Values of our kinds, a few valid, the others broken in more and more places. */
export function kindCases(seed: number, runsPerKind: number): readonly Case[] {
  return Object.entries(schemas).flatMap(([kind, schema]) =>
    fc
      .sample(fc.tuple(validValues(schema), fc.infiniteStream(fc.nat())), { seed, numRuns: runsPerKind })
      .flatMap(([valid, numbers]) => {
        const pick = (length: number) => Number(numbers.next().value) % Math.max(length, 1);
        const values = [plain(valid)];
        for (let more = 0; more < 4; more++) values.push(plain(mutated(values.at(-1), pick)));
        return values.map((value) => ({ kind, value }));
      }),
  );
}

/** Values of all sorts under schemas of all sorts. */
export function inventedCases(seed: number, runs: number): readonly Case[] {
  return fc
    .sample(fc.tuple(anySchema, fc.array(anyValue, { minLength: 6, maxLength: 6 })), { seed, numRuns: runs })
    .flatMap(([inner, values]) => {
      const schema = { type: "object", properties: { a: inner, b: inner } };
      return values.map((value) => ({ schema, value: plain({ a: value }) }));
    });
}

/** Without `undefined` and prototypes, as a value is after its way through JSON. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const names = fc.constantFrom("a", "b", "c", "constructor");
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const schemaWith = (members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> =>
  fc.record(members).map((schema) => plain(schema) as Schema);

const formats = fc.constantFrom(
  "date-time",
  "date",
  "duration",
  "ipv4",
  "ipv6",
  "cidr",
  "uri",
  "email",
  "hostname",
  "mac",
  "uuid",
  "uuid4",
  "byte",
  "password",
  "k8s-short-name",
  "k8s-long-name",
  "hexcolor",
  "of-no-meaning",
  "int32",
);

const strings = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "ab",
    "abc",
    "B",
    "ü",
    "😀😀",
    "\n",
    "a\x00b\x7f\u200b",
    '"q"\\',
    "1",
    "A",
    "1.2.3.4",
    "01.2.3.4",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "10.0.0.0/8",
    "10.0.0.0/33",
    "::/128",
    "::1",
    "1::",
    "::ffff:1.2.3.4",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
    "::1:2:3:4:5:6:7:8",
    "[::1]",
    "http://x/y",
    "/a b",
    "/a",
    "*",
    "x",
    "http://h:80/",
    "http://h:8a/",
    "http://[::1]:80",
    "mailto:a@b",
    "a@b",
    "Bob a@b",
    "a@",
    "host",
    "my-host",
    "a-b-c",
    "ex.com",
    "ex.c",
    "-a.com",
    "a-b",
    "a.b",
    "a..b",
    "aa:bb:cc:dd:ee:ff",
    "aabb.ccdd.eeff",
    "aa-bb-cc-dd-ee-ff",
    "aa:bb-cc:dd:ee:ff",
    "#fff",
    "#ffff",
    "fff",
    "123e4567-e89b-12d3-a456-426614174000",
    "123e4567-e89b-42d3-a456-426614174000",
    "YQ==",
    "YQ=",
    "YWI=",
    "====",
    "2024-02-29",
    "2023-02-29",
    "2024-13-01",
    "2024-01-01 00:00:00Z",
    "2024-01-01T00:00:00Z",
    "2024-01-01t23:59:59.5+01:00",
    "2024-01-01T24:00:00Z",
    "1h",
    "1h30m",
    "-1.5s",
    "5 days",
    "3 w",
    "2 weeksx",
    "abc 4 hrs",
    "1.h",
    ".5m",
  ),
  fc.string({ maxLength: 6 }),
);

const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constant(null),
    fc.boolean(),
    fc.integer({ min: -5, max: 5 }),
    fc.constantFrom(0.5, -1.5, 5e9, 1e300, 2147483647, 2147483648, -2147483649, 1e39),
    strings,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(names, fc.constantFrom("apiVersion", "kind", "metadata")), tie("value"), { maxKeys: 3 }),
  ),
})).value;

const requirement = (maxLength: number) => fc.record({ required: fc.uniqueArray(names, { minLength: 1, maxLength }) });

const anySchema: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => {
  const nullable = maybe(fc.boolean());
  const keepsUnknown = maybe(fc.constant(true));
  const small = maybe(fc.nat(3));
  const bound = maybe(fc.integer({ min: -3, max: 3 }));
  const properties = (maxKeys: number) => fc.dictionary(names, tie("schema"), { minKeys: 1, maxKeys });
  return {
    schema: fc.oneof(
      { maxDepth: 4, depthSize: "medium" },
      schemaWith({
        type: fc.constant("string"),
        nullable,
        minLength: small,
        maxLength: small,
        format: maybe(formats),
        pattern: maybe(fc.constantFrom("^a", "b$", "^[a-z]*$", "[0-9]+", "^(a|b)?$")),
        enum: maybe(fc.uniqueArray(fc.constantFrom("a", "b", "abc"), { minLength: 1 })),
        default: maybe(strings),
      }),
      schemaWith({
        type: fc.constantFrom("integer", "number"),
        nullable,
        minimum: bound,
        maximum: bound,
        default: bound,
        exclusiveMinimum: maybe(fc.boolean()),
        exclusiveMaximum: maybe(fc.boolean()),
        format: maybe(fc.constantFrom("int32", "int64", "float", "double")),
        enum: maybe(fc.constant([1, 2])),
      }),
      schemaWith({ type: fc.constant("boolean"), nullable, default: maybe(fc.boolean()) }),
      schemaWith({
        "x-kubernetes-int-or-string": fc.constant(true),
        anyOf: maybe(fc.constant([{ type: "integer" }, { type: "string" }])),
        default: maybe(fc.constantFrom(1, "1")),
        maximum: maybe(fc.constant(2)),
        maxLength: maybe(fc.constant(2)),
      }),
      schemaWith({
        type: fc.constant("array"),
        nullable,
        items: tie("schema"),
        minItems: small,
        maxItems: small,
        default: maybe(fc.constant([])),
        "x-kubernetes-preserve-unknown-fields": keepsUnknown,
        "x-kubernetes-list-type": maybe(fc.constantFrom("set", "atomic")),
      }),
      schemaWith({
        type: fc.constant("array"),
        items: schemaWith({ type: fc.constant("object"), properties: properties(3) }),
        "x-kubernetes-list-type": fc.constant("map"),
        "x-kubernetes-list-map-keys": fc.uniqueArray(names, { minLength: 1, maxLength: 2 }),
      }),
      schemaWith({
        type: fc.constant("object"),
        nullable,
        properties: maybe(properties(3)),
        minProperties: small,
        maxProperties: small,
        required: maybe(fc.uniqueArray(names, { maxLength: 2 })),
        default: maybe(fc.constantFrom({}, { a: 1 })),
        "x-kubernetes-preserve-unknown-fields": keepsUnknown,
      }),
      schemaWith({
        type: fc.constant("object"),
        nullable,
        maxProperties: small,
        additionalProperties: fc.oneof(tie("schema"), fc.constant(true)),
      }),
      schemaWith({
        type: fc.constant("object"),
        properties: properties(2),
        not: maybe(requirement(1)),
        oneOf: maybe(fc.array(requirement(2), { minLength: 1, maxLength: 3 })),
        anyOf: maybe(fc.array(requirement(2), { minLength: 1, maxLength: 2 })),
        allOf: maybe(fc.array(requirement(1), { minLength: 1, maxLength: 2 })),
      }),
    ),
  };
}).schema;
