import { isCelError, isCelList, isCelMap, parse, plan } from "@bufbuild/cel";
import { formatPath, type Path, type Schema } from "../schema/index.ts";
import { environment } from "./environment.ts";
import { calledFunctions, isKnownFunction } from "./functions.ts";
import { celName, compileConverter, type Fields, isFields, type Value } from "./values.ts";

/** https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.33/#validationrule-v1-apiextensions-k8s-io */
type Rule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly fieldPath?: string;
  readonly reason?: string;
};

/** What a rule says of an object, in the words of the API server. */
export type RuleProblem = {
  /** Where in the object. */
  readonly path: Path;
  /** The whole sentence, path included. */
  readonly message: string;
};

/** `detail` stands after the path, as in `spec.ports[0].port: Invalid value: 0: must be …`. */
export const problemAt = (path: Path, detail: string): RuleProblem => ({
  path,
  message: `${formatPath(path)}: ${detail}`,
});

type Expression = (value: Value) => unknown;
type CompiledRule = { readonly rule: Rule; readonly holds: Expression; readonly message: Expression | undefined };

/** Finds where a value breaks rules, and says so at its place. `self` is the value as rules see it, where that has been made already. */
type Checker = (value: unknown, self: Value | undefined, path: Path, report: (problem: RuleProblem) => void) => void;

/**
 * What the CEL rules of a schema (`x-kubernetes-validations`) say of an object that the schema takes, in the words of the API server.
 * Rules about changes (`oldSelf`) do not speak of an object that comes anew, and no file is ever known to be more than that.
 */
export function ruleProblems(schema: Schema, object: Fields): readonly RuleProblem[] {
  const problems: RuleProblem[] = [];
  checkerOf(schema)?.(object, undefined, [], (problem) => problems.push(problem));
  return problems;
}

const checkers = new WeakMap<Schema, { readonly check: Checker | undefined }>();

/** Compiled once for each schema; undefined where neither it nor what is in it has rules. */
function checkerOf(schema: Schema): Checker | undefined {
  const known = checkers.get(schema);
  if (known !== undefined) return known.check;
  const check = compileChecker(schema);
  checkers.set(schema, { check });
  return check;
}

function compileChecker(schema: Schema): Checker | undefined {
  const rules = rulesOf(schema).flatMap(compileRule);
  const members = Object.entries(schema.properties ?? {}).flatMap(([field, member]): Member[] => {
    const check = compileChecker(member);
    return check === undefined ? [] : [{ field, name: celName(field), check }];
  });
  const other =
    typeof schema.additionalProperties === "object" ? compileChecker(schema.additionalProperties) : undefined;
  const item = schema.items === undefined ? undefined : compileChecker(schema.items);
  if (rules.length + members.length === 0 && other === undefined && item === undefined) return undefined;
  const convert = compileConverter(schema);
  const isKnown = (field: string) => Object.hasOwn(schema.properties ?? {}, field);

  return (value, given, path, report) => {
    if (value === undefined || value === null) return;
    const self = given ?? (rules.length > 0 ? convert(value) : undefined);
    if (self !== undefined) applyRules(rules, self, value, path, report);
    const inner = (key: string | number) => (self === undefined ? undefined : partOf(self, key));
    if (Array.isArray(value)) {
      if (item === undefined) return;
      for (const [index, each] of value.entries()) item(each, inner(index), [...path, index], report);
    } else if (isFields(value)) {
      for (const { field, name, check } of members)
        if (value[field] !== undefined) check(value[field], inner(name), [...path, field], report);
      if (other === undefined) return;
      for (const field of Object.keys(value))
        if (!isKnown(field)) other(value[field], inner(field), [...path, field], report);
    }
  };
}

type Member = { readonly field: string; readonly name: string; readonly check: Checker };

/** A field or an item of a value that was converted as a whole. */
const partOf = (self: Value, key: string | number): Value | undefined =>
  isCelMap(self) ? self.get(key) : isCelList(self) ? self.get(Number(key)) : undefined;

const rulesOf = (schema: Schema): readonly Rule[] =>
  (schema["x-kubernetes-validations"] ?? []).filter(
    (rule): rule is Rule => isFields(rule) && typeof rule["rule"] === "string",
  );

function compileRule(rule: Rule): readonly CompiledRule[] {
  if (/\boldSelf\b/.test(rule.rule) || expressionFault(rule.rule) !== undefined) return [];
  const { messageExpression } = rule;
  const hasMessage = messageExpression !== undefined && expressionFault(messageExpression) === undefined;
  const message = hasMessage ? compileExpression(messageExpression) : undefined;
  return [{ rule, holds: compileExpression(rule.rule), message }];
}

/**
 * The rules of a schema that are not looked at, and why: their syntax, or a function that is not known here. An API server knows
 * more functions; what they would refuse is let pass.
 */
export function uncheckedRules(schema: Schema, path: Path = []): readonly UncheckedRule[] {
  const own = rulesOf(schema).flatMap(({ rule }): UncheckedRule[] => {
    const reason = expressionFault(rule);
    return reason === undefined ? [] : [{ path, rule, reason }];
  });
  const inner: [string, Schema][] = Object.entries(schema.properties ?? {});
  if (schema.items !== undefined) inner.push(["[]", schema.items]);
  if (typeof schema.additionalProperties === "object") inner.push(["*", schema.additionalProperties]);
  return [...own, ...inner.flatMap(([name, member]) => uncheckedRules(member, [...path, name]))];
}

export type UncheckedRule = { readonly path: Path; readonly rule: string; readonly reason: string };

const faults = new Map<string, string | undefined>();

/** Why an expression cannot be evaluated. */
function expressionFault(source: string): string | undefined {
  if (!faults.has(source)) faults.set(source, findFault(source));
  return faults.get(source);
}

function findFault(source: string): string | undefined {
  try {
    const unknown = [...calledFunctions(parse(source))].find((name) => !isKnownFunction(name));
    return unknown === undefined ? undefined : `the function ${unknown} is not known`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Many places of a schema have the same rules. */
const expressions = new Map<string, Expression>();

function compileExpression(source: string): Expression {
  const known = expressions.get(source);
  if (known !== undefined) return known;
  const evaluate = plan(environment, parse(source));
  const expression: Expression = (self) => evaluate({ self });
  expressions.set(source, expression);
  return expression;
}

function applyRules(
  rules: readonly CompiledRule[],
  self: Value,
  value: unknown,
  path: Path,
  report: (problem: RuleProblem) => void,
): void {
  for (const { rule, holds, message } of rules) {
    const outcome = holds(self);
    if (outcome === true) continue;
    const at = rule.fieldPath === undefined ? path : [...path, ...fieldPathOf(rule.fieldPath)];
    if (isCelError(outcome))
      report(problemAt(at, `Invalid value: ${outcome.message} evaluating rule: ${rule.message ?? rule.rule}`));
    else report(problemAt(at, detailOf(rule, message?.(self), value)));
  }
}

function detailOf(rule: Rule, message: unknown, value: unknown): string {
  const words = typeof message === "string" ? message : (rule.message ?? `failed rule: ${rule.rule}`);
  const shown = typeof value === "object" ? "" : `${JSON.stringify(value)}: `;
  switch (rule.reason) {
    case "FieldValueForbidden":
      return `Forbidden: ${words}`;
    case "FieldValueRequired":
      return `Required value: ${words}`;
    case "FieldValueDuplicate":
      return `Duplicate value: ${shown === "" ? "" : JSON.stringify(value)}`;
    default:
      return `Invalid value: ${shown}${words}`;
  }
}

/** `.a.b` or `.a['b']`, as rules say of which of their fields they speak. */
const fieldPathOf = (fieldPath: string): Path =>
  [...fieldPath.matchAll(/\.([A-Za-z_]\w*)|\['((?:[^'\\]|\\.)*)'\]/g)].map(([, name, quoted]) => name ?? quoted ?? "");
