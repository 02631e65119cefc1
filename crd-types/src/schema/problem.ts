import { formatValue, quote } from "./go-text.ts";

export type Path = readonly (string | number)[];

/** Why an object is refused, in the words of the API server. */
export type SchemaProblem = {
  readonly kind: SchemaProblemKind;
  /** Where in the object. Of something that is missing or unknown: where it would stand. */
  readonly path: Path;
  /** The whole sentence, path included: `spec.hostnames[0]: Invalid value: "a_b": … should match '…'`. */
  readonly message: string;
};

export type SchemaProblemKind =
  | "required"
  | "type"
  | "unsupported"
  | "invalid"
  | "tooLong"
  | "tooMany"
  | "duplicate"
  | "unknownField";

/** `spec.rules[0].matches[1]`, as the API server writes it. */
export function formatPath(path: Path): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else text += text === "" ? segment : `.${segment}`;
  }
  return text;
}

/** Problems found on a walk through a value, and where the walk is. One is made for each validation. */
export type Findings = {
  readonly path: (string | number)[];
  readonly problems: SchemaProblem[];
  /** How many values were found in order: of alternatives that all fail, the one with most is what the author meant. */
  matches: number;
};

export const newFindings = (path: Path = []): Findings => ({ path: [...path], problems: [], matches: 0 });

// An object with more faults than this is not read to its end: its author has enough to do.
const maxProblems = 100;

export const isFull = (findings: Findings): boolean => findings.problems.length >= maxProblems;

function report(findings: Findings, kind: SchemaProblemKind, body: string, path = [...findings.path]): void {
  if (!isFull(findings)) findings.problems.push({ kind, path, message: `${formatPath(path)}: ${body}` });
}

/** `detail` begins with the path and ` in body`, as kube-openapi writes it. */
export function reportInvalid(findings: Findings, value: unknown, detail: string): void {
  const place = formatPath(findings.path);
  report(findings, "invalid", `Invalid value: ${formatValue(value)}: ${place} in body ${detail}`);
}

/** The same where the API server says it without the path in the middle. */
export function reportInvalidBare(findings: Findings, value: unknown, detail: string): void {
  report(findings, "invalid", `Invalid value: ${formatValue(value)}: ${detail}`);
}

/** `found` is what the API server takes for the value here: the name of its type, or of its format. */
export function reportType(findings: Findings, expected: string, found: string): void {
  const place = formatPath(findings.path);
  report(
    findings,
    "type",
    `Invalid value: ${quote(found)}: ${place} in body must be of type ${expected}: ${quote(found)}`,
  );
}

export function reportRequired(findings: Findings, name: string): void {
  report(findings, "required", "Required value", [...findings.path, name]);
}

export function reportUnsupported(findings: Findings, value: unknown, supported: readonly unknown[]): void {
  const names = supported.map((one) => quote(typeof one === "string" ? one : formatValue(one)));
  report(findings, "unsupported", `Unsupported value: ${formatValue(value)}: supported values: ${names.join(", ")}`);
}

export function reportTooLong(findings: Findings, max: number): void {
  report(findings, "tooLong", `Too long: may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`);
}

export function reportTooMany(findings: Findings, actual: number, max: number): void {
  report(findings, "tooMany", `Too many: ${actual}: must have at most ${max} ${max === 1 ? "item" : "items"}`);
}

export function reportDuplicate(findings: Findings, value: unknown): void {
  report(findings, "duplicate", `Duplicate value: ${formatValue(value)}`);
}

export function reportUnknown(findings: Findings, name: string): void {
  const path = [...findings.path, name];
  if (isFull(findings)) return;
  findings.problems.push({ kind: "unknownField", path, message: `unknown field "${formatPath(path)}"` });
}
