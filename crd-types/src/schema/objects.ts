import { isFull, reportInvalid, reportRequired, reportTooMany } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { has, isObject } from "./types.ts";
import type { Validator } from "./validator.ts";

export function compileObject(schema: Schema, compile: (schema: Schema) => Validator): Validator | undefined {
  const { required = [], minProperties = 0, maxProperties = Number.POSITIVE_INFINITY, additionalProperties } = schema;
  const members = new Map(Object.entries(schema.properties ?? {}).map(([name, member]) => [name, compile(member)]));
  const checkOther = typeof additionalProperties === "object" ? compile(additionalProperties) : undefined;
  const isClosed = additionalProperties === false;
  const countsMembers = minProperties > 0 || maxProperties < Number.POSITIVE_INFINITY;

  return (value, findings) => {
    if (!isObject(value)) return;
    const names = Object.keys(value);
    if (countsMembers) {
      const count = names.filter((name) => has(value, name)).length;
      if (count < minProperties) reportInvalid(findings, count, `should have at least ${minProperties} properties`);
      if (count > maxProperties) reportTooMany(findings, count, maxProperties);
    }
    const depth = findings.path.length;
    for (const name of names) {
      const member = value[name];
      if (member === undefined) continue;
      if (isFull(findings)) break;
      findings.path[depth] = name;
      const check = members.get(name) ?? checkOther;
      if (check !== undefined) check(member, findings);
      else if (isClosed) reportInvalid(findings, name, "is a forbidden property");
    }
    findings.path.length = depth;
    for (const name of required) if (!has(value, name)) reportRequired(findings, name);
  };
}
