import {
  create,
  type DescField,
  type DescMessage,
  type DescOneof,
  getOption,
  hasOption,
  toBinary,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { AnySchema, anyPack, DurationSchema, EmptySchema, isWrapperDesc } from "@bufbuild/protobuf/wkt";
import {
  type FieldRules,
  required as oneofRequired,
  rules as rulesOf,
} from "@gatewright/crd-types/proto/validate/validate_pb";
import { durationValues, enumValues, scalarValues } from "./values.ts";

/** A message to be judged, and what it was made to try. */
export type Case = { readonly typeName: string; readonly bytes: Uint8Array; readonly tries: string };

/** Chooses one of several; a chooser that always takes the first makes the smallest message. */
export type Choose = {
  /** Whether to set a field that may be left out. */
  readonly optional: (field: DescField, depth: number) => boolean;
  /** Whether to take a value at random from the edges instead of a good one. */
  readonly edge: () => boolean;
  readonly index: (length: number) => number;
};

export const smallest: Choose = { optional: () => false, edge: () => false, index: () => 0 };

const maxDepth = 7;

const rulesByField = new Map<DescField, FieldRules | undefined>();

function fieldRules(field: DescField): FieldRules | undefined {
  if (!rulesByField.has(field)) {
    rulesByField.set(field, hasOption(field, rulesOf) ? getOption(field, rulesOf) : undefined);
  }
  return rulesByField.get(field);
}

const mustHave = (rules: FieldRules | undefined): boolean => {
  if (rules === undefined) return false;
  const { type } = rules;
  const typed =
    type.case === "duration" || type.case === "any" || type.case === "timestamp" ? type.value.required : false;
  return typed || rules.message?.required === true;
};

/** Builds a message that keeps the rules, as far as `choose` lets it. */
export function build(desc: DescMessage, choose: Choose, depth = 0): ReflectMessage {
  const message = reflect(desc);
  for (const member of desc.members) {
    if (member.kind === "oneof") buildOneof(message, member, choose, depth);
    else if (isNeeded(member) || (depth < 4 && choose.optional(member, depth))) setGood(message, member, choose, depth);
  }
  return message;
}

function isNeeded(field: DescField): boolean {
  const rules = fieldRules(field);
  if (mustHave(rules)) return true;
  if (rules === undefined || field.fieldKind === "message") return false;
  if (rules.type.case === "repeated") return (rules.type.value.minItems ?? 0n) > 0n;
  if (rules.type.case === "map") return (rules.type.value.minPairs ?? 0n) > 0n;
  return true;
}

function buildOneof(message: ReflectMessage, oneof: DescOneof, choose: Choose, depth: number) {
  const needed = hasOption(oneof, oneofRequired) && getOption(oneof, oneofRequired);
  const first = oneof.fields[0];
  if (first === undefined || !(needed || (depth < 4 && choose.optional(first, depth)))) return;
  // A plain value ends the recursion that many of Envoy's messages allow.
  const plain = oneof.fields.filter((field) => field.message === undefined || field.message.fields.length === 0);
  const pool = plain.length > 0 && (depth > 2 || choose === smallest) ? plain : oneof.fields;
  const member = pool[choose.index(pool.length)] ?? first;
  setGood(message, member, choose, depth);
}

function setGood(message: ReflectMessage, field: DescField, choose: Choose, depth: number) {
  const setters = edges(field, choose, depth);
  const set = choose.edge() ? setters[choose.index(setters.length)] : undefined;
  (set ?? goodSetter(field, choose, depth))(message);
}

type Setter = (message: ReflectMessage) => void;

function goodSetter(field: DescField, choose: Choose, depth: number): Setter {
  const rules = fieldRules(field);
  if (field.fieldKind === "list") {
    const repeated = rules?.type.case === "repeated" ? rules.type.value : undefined;
    const count = Math.max(1, Number(repeated?.minItems ?? 0n));
    return (message) => {
      for (let i = 0; i < count; i++) message.get(field).add(goodItem(field, repeated?.items, choose, depth));
    };
  }
  if (field.fieldKind === "map") {
    const map = rules?.type.case === "map" ? rules.type.value : undefined;
    const key = scalarValues(field.mapKey, map?.keys).good;
    return (message) => setEntry(message, field, key, goodItem(field, map?.values, choose, depth));
  }
  return (message) => message.set(field, goodItem(field, rules, choose, depth));
}

/** A good value for a field, for an item of a list or for a value of a map. */
function goodItem(field: DescField, rules: FieldRules | undefined, choose: Choose, depth: number) {
  if (field.message !== undefined) return goodMessage(field.message, rules, choose, depth);
  if (field.enum !== undefined) return enumValues(field.enum, enumRules(rules)).good;
  if (field.scalar !== undefined) return scalarValues(field.scalar, rules).good;
  throw new TypeError("a field without a type");
}

const enumRules = (rules: FieldRules | undefined) => (rules?.type.case === "enum" ? rules.type.value : undefined);
const durationRules = (rules: FieldRules | undefined) =>
  rules?.type.case === "duration" ? rules.type.value : undefined;

function goodMessage(desc: DescMessage, rules: FieldRules | undefined, choose: Choose, depth: number): ReflectMessage {
  if (desc.typeName === AnySchema.typeName) return reflect(AnySchema, anyPack(EmptySchema, create(EmptySchema)));
  if (desc.typeName === DurationSchema.typeName)
    return reflect(DurationSchema, durationValues(durationRules(rules)).good);
  if (isWrapperDesc(desc)) return wrapped(desc, scalarValues(wrapperField(desc).scalar, rules).good);
  if (desc.typeName.startsWith("google.protobuf.") || depth >= maxDepth) return reflect(desc);
  return build(desc, choose, depth + 1);
}

function wrapperField(desc: DescMessage) {
  const field = desc.fields[0];
  if (field?.fieldKind !== "scalar") throw new TypeError(`${desc.typeName} wraps nothing`);
  return field;
}

function wrapped(desc: DescMessage, value: unknown): ReflectMessage {
  const message = reflect(desc);
  message.set(wrapperField(desc), value);
  return message;
}

function setEntry(message: ReflectMessage, field: DescField & { fieldKind: "map" }, key: unknown, value: unknown) {
  if (typeof key !== "string" && typeof key !== "number" && typeof key !== "bigint" && typeof key !== "boolean") {
    throw new TypeError("a map with keys of an unknown type");
  }
  message.get(field).set(key, value);
}

/** Every way of setting a field that tries a border of its rules. */
export function edges(field: DescField, choose: Choose, depth: number): Setter[] {
  const rules = fieldRules(field);
  if (field.fieldKind === "list") return listEdges(field, rules, choose, depth);
  if (field.fieldKind === "map") return mapEdges(field, rules, choose, depth);
  const unset: Setter = (message) => message.clear(field);
  const set = edgeItems(field, rules, choose, depth).map(
    (value): Setter =>
      (message) =>
        message.set(field, value),
  );
  return [unset, ...set];
}

function edgeItems(field: DescField, rules: FieldRules | undefined, choose: Choose, depth: number): unknown[] {
  if (field.enum !== undefined) return [...enumValues(field.enum, enumRules(rules)).edges];
  if (field.scalar !== undefined) return [...scalarValues(field.scalar, rules).edges];
  const desc = field.message;
  if (desc === undefined) return [];
  if (desc.typeName === DurationSchema.typeName) {
    return durationValues(durationRules(rules)).edges.map((duration) => reflect(DurationSchema, duration));
  }
  if (isWrapperDesc(desc)) {
    return scalarValues(wrapperField(desc).scalar, rules).edges.map((value) => wrapped(desc, value));
  }
  const whole = goodMessage(desc, rules, choose, depth);
  // Empty, so that its own required fields are missing. (An Any without a type says nothing about rules.)
  return desc.typeName === AnySchema.typeName ? [whole] : [whole, reflect(desc)];
}

function listEdges(
  field: DescField & { fieldKind: "list" },
  rules: FieldRules | undefined,
  choose: Choose,
  depth: number,
): Setter[] {
  const repeated = rules?.type.case === "repeated" ? rules.type.value : undefined;
  const sizes = new Set([0, 1, 2]);
  for (const size of [repeated?.minItems, repeated?.maxItems]) {
    if (size !== undefined && size > 0n && size <= 1_000n)
      for (const near of [-1, 0, 1]) sizes.add(Number(size) + near);
  }
  const fill =
    (items: readonly unknown[]): Setter =>
    (message) => {
      message.clear(field);
      for (const item of items) message.get(field).add(item);
    };
  const items = edgeItems(field, repeated?.items, choose, depth);
  // Sizes of distinct items, so that a list that must be unique is tried both ways.
  const bySize = [...sizes].flatMap((size) => [
    fill(Array<unknown>(size).fill(goodItem(field, repeated?.items, choose, depth))),
    fill(items.slice(0, size)),
  ]);
  return [...bySize, ...items.map((item) => fill([item]))];
}

function mapEdges(
  field: DescField & { fieldKind: "map" },
  rules: FieldRules | undefined,
  choose: Choose,
  depth: number,
): Setter[] {
  const map = rules?.type.case === "map" ? rules.type.value : undefined;
  const { good, edges: keys } = scalarValues(field.mapKey, map?.keys);
  const put =
    (key: unknown, value: unknown): Setter =>
    (message) => {
      message.clear(field);
      setEntry(message, field, key, value);
    };
  return [
    (message) => message.clear(field),
    ...keys.map((key) => put(key, goodItem(field, map?.values, choose, depth))),
    ...edgeItems(field, map?.values, choose, depth).map((value) => put(good, value)),
  ];
}

/** One message for each border of each rule of each type that `roots` can contain. */
export function systematicCases(roots: readonly DescMessage[]): Case[] {
  const cases: Case[] = [];
  for (const desc of reachable(roots)) {
    if (!/^(envoy|xds)\./.test(desc.typeName)) continue;
    for (const field of desc.fields) {
      edges(field, smallest, 0).forEach((set, index) => {
        const message = build(desc, smallest);
        set(message);
        cases.push(caseOf(message, `${field.name} #${index}`));
      });
    }
  }
  return distinct(cases);
}

export const caseOf = (message: ReflectMessage, tries: string): Case => ({
  typeName: message.desc.typeName,
  bytes: toBinary(message.desc, message.message),
  tries,
});

function reachable(roots: readonly DescMessage[]): Set<DescMessage> {
  const found = new Set<DescMessage>();
  const take = (desc: DescMessage) => {
    if (found.has(desc)) return;
    found.add(desc);
    for (const { message } of desc.fields) if (message !== undefined) take(message);
  };
  roots.forEach(take);
  return found;
}

export function distinct(cases: readonly Case[]): Case[] {
  const seen = new Map(cases.map((one) => [`${one.typeName} ${Buffer.from(one.bytes).toString("base64")}`, one]));
  return [...seen.values()];
}
