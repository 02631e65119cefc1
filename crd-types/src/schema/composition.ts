import { type Findings, formatPath, newFindings, reportInvalidBare, type SchemaProblem } from "./problem.ts";
import { quote } from "./go-text.ts";
import type { Schema } from "./schema.ts";
import type { Validator } from "./validator.ts";

/** `anyOf`, `oneOf`, `allOf` and `not`. Of alternatives that all fail, the problems of the nearest one are told. */
export function compileComposition(schema: Schema, compile: (schema: Schema) => Validator): Validator | undefined {
  const anyOf = (schema.anyOf ?? []).map(compile);
  const oneOf = (schema.oneOf ?? []).map(compile);
  const allOf = (schema.allOf ?? []).map(compile);
  const not = schema.not === undefined ? undefined : compile(schema.not);
  if (anyOf.length + oneOf.length + allOf.length === 0 && not === undefined) return undefined;

  return (value, findings) => {
    const say = (detail: string) =>
      reportInvalidBare(findings, "", `${quote(formatPath(findings.path))} must ${detail}`);
    const outcomeOf = (check: Validator): Findings => {
      const own = newFindings(findings.path);
      check(value, own);
      return own;
    };

    if (anyOf.length > 0) {
      const outcomes = anyOf.map(outcomeOf);
      if (outcomes.every(({ problems }) => problems.length > 0)) {
        say("validate at least one schema (anyOf)");
        add(findings, nearest(outcomes));
      }
    }
    if (oneOf.length > 0) {
      const outcomes = oneOf.map(outcomeOf);
      const validCount = outcomes.filter(({ problems }) => problems.length === 0).length;
      if (validCount > 1) say(`validate one and only one schema (oneOf). Found ${validCount} valid alternatives`);
      if (validCount === 0) {
        say("validate one and only one schema (oneOf). Found none valid");
        add(findings, nearest(outcomes));
      }
    }
    const failedParts = allOf.map((check) => outcomeOf(check).problems).filter((problems) => problems.length > 0);
    if (failedParts.length > 0) {
      add(findings, failedParts.flat());
      say(`validate all the schemas (allOf)${failedParts.length === allOf.length ? ". None validated" : ""}`);
    }
    if (not !== undefined && outcomeOf(not).problems.length === 0) say("not validate the schema (not)");
  };
}

const nearest = (outcomes: readonly Findings[]): readonly SchemaProblem[] =>
  outcomes.toSorted((left, right) => right.matches - left.matches)[0]?.problems ?? [];

function add(findings: Findings, problems: readonly SchemaProblem[]): void {
  findings.problems.push(...problems);
}
