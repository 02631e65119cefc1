import type { Schema } from "./schema.ts";
import { has, isObject, type JsonObject } from "./types.ts";

/** Gives a value with its defaults: the same one where nothing is missing, else a copy of the parts that changed. */
export type Defaulter = (value: unknown) => unknown;

type Member = {
  readonly apply: Defaulter;
  readonly isNullable: boolean;
  /** Complete, frozen, and shared by all objects that take it. */
  readonly fallback: unknown;
};

/**
 * What the API server does before it validates: nulls that the schema does not allow give way to the default, or
 * vanish; then what is missing is filled in, also inside of what was just filled in.
 */
export function compileDefaulter(schema: Schema): Defaulter {
  const members = new Map(
    Object.entries(schema.properties ?? {}).map(([name, member]) => [name, compileMember(member)]),
  );
  const other =
    typeof schema.additionalProperties === "object" ? compileMember(schema.additionalProperties) : undefined;
  const item = schema.items === undefined ? undefined : compileMember(schema.items);
  const fallbacks = [...members].filter(([, { fallback }]) => fallback !== undefined);

  return (value) => {
    if (Array.isArray(value)) return item === undefined ? value : defaultItems(value, item);
    return isObject(value) ? defaultMembers(value) : value;
  };

  function defaultMembers(object: JsonObject): JsonObject {
    let copy: Record<string, unknown> | undefined;
    for (const name of Object.keys(object)) {
      const before = object[name];
      const member = members.get(name) ?? other;
      if (member === undefined || before === undefined) continue;
      const after = before === null && !member.isNullable ? member.fallback : member.apply(before);
      if (after === before) continue;
      copy ??= { ...object };
      if (after === undefined) delete copy[name];
      else copy[name] = after;
    }
    for (const [name, { fallback }] of fallbacks) {
      if (has(object, name)) continue;
      copy ??= { ...object };
      copy[name] = fallback;
    }
    return copy ?? object;
  }
}

function compileMember(schema: Schema): Member {
  const apply = compileDefaulter(schema);
  const { default: fallback } = schema;
  return {
    apply,
    isNullable: schema.nullable === true,
    fallback: fallback === undefined || fallback === null ? undefined : freeze(apply(structuredClone(fallback))),
  };
}

function defaultItems(list: readonly unknown[], { apply, isNullable, fallback }: Member): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const before = list[index];
    // A null in a list stays where there is no default; validation refuses it.
    const after = before === null && !isNullable ? (fallback ?? null) : apply(before);
    if (after === before) continue;
    copy ??= [...list];
    copy[index] = after;
  }
  return copy ?? list;
}

function freeze(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
