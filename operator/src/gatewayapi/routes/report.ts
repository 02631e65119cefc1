import type { Problem } from "../conditions.ts";

/** What is wrong with a rule, gathered while it is translated. */
export type RuleReport = {
  /** The rule cannot be taken: its requests are answered 500. */
  readonly invalid: readonly Problem[];
  /** A reference leads nowhere. Whether the whole rule fails or a share of it, its place decides. */
  readonly unresolved: readonly Problem[];
  /** `field` is relative to the rule: `filters[0].requestRedirect.path`. */
  readonly refuse: (field: string, message: string, reason?: RefusalReason) => void;
  readonly unresolve: (field: string, problem: Problem) => void;
};

export type RefusalReason = "UnsupportedValue" | "IncompatibleFilters";

export function createRuleReport(index: number): RuleReport {
  const invalid: Problem[] = [];
  const unresolved: Problem[] = [];
  const place = (field: string) => (field === "" ? `spec.rules[${index}]` : `spec.rules[${index}].${field}`);
  return {
    invalid,
    unresolved,
    refuse: (field, message, reason = "UnsupportedValue") =>
      invalid.push({ reason, message: `${place(field)}: ${message}` }),
    unresolve: (field, { reason, message }) => unresolved.push({ reason, message: `${place(field)}: ${message}` }),
  };
}
