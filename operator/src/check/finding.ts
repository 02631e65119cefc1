import type { RuleId } from "./rules.ts";

/** Which object a finding is about; all empty where it is about none, and `group` for kinds of the core group. */
export type Identity = {
  readonly group: string;
  readonly kind: string;
  /** Empty for kinds without namespaces. */
  readonly namespace: string;
  readonly name: string;
};

export const nobody: Identity = { group: "", kind: "", namespace: "", name: "" };

/** Something that is wrong with the files, or worth knowing. */
export type Finding = Identity & {
  readonly severity: "error" | "warning";
  /** As it was named or found. */
  readonly file: string;
  /** From 1. Those of the field where the field is in the text, else of its nearest parent. */
  readonly line: number;
  readonly column: number;
  /** `spec.rules[0].matches`; empty where it is about no single field. */
  readonly field: string;
  readonly rule: RuleId;
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string;
};

const compareText = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);

/** By place, and then by all that is told: the same findings are always in the same order. */
const compareFindings = (left: Finding, right: Finding): number =>
  compareText(left.file, right.file) ||
  left.line - right.line ||
  left.column - right.column ||
  compareText(left.severity, right.severity) ||
  compareText(textOf(left), textOf(right));

const textOf = ({ group, kind, namespace, name, field, rule, message }: Finding): string =>
  [group, kind, namespace, name, field, rule, message].join("\n");

/** In order, each once. */
export function arrange(findings: readonly Finding[]): readonly Finding[] {
  const byText = new Map(
    findings.map((finding) => [[finding.file, finding.line, finding.column, textOf(finding)].join("\n"), finding]),
  );
  return [...byText.values()].toSorted(compareFindings);
}

/** `HTTPRoute team-a/x`. */
export const formatIdentity = ({ kind, namespace, name }: Identity): string =>
  [kind, [namespace, name].filter((part) => part !== "").join("/")].filter((part) => part !== "").join(" ");

/** For formats that have no place of their own for a hint. */
export const withHint = ({ message, hint }: Finding): string => (hint === undefined ? message : `${message} (${hint})`);
