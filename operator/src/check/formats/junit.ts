import type { Verdict } from "../check.ts";
import { type Finding, formatIdentity, withHint } from "../finding.ts";

type Case = { readonly name: string; readonly className: string; readonly findings: Finding[] };

/** A suite for each file and a case for each of its objects. Warnings fail a case only where they fail the run. */
export function formatJunit({ findings, objects }: Verdict, isStrict: boolean): string {
  const files = new Map<string, Map<string, Case>>();
  const caseOf = (file: string, name: string, className: string): Case => {
    const cases = files.get(file) ?? new Map<string, Case>();
    files.set(file, cases);
    const known = cases.get(name) ?? { name, className, findings: [] };
    cases.set(name, known);
    return known;
  };
  for (const object of objects) caseOf(object.document.file, formatIdentity(object), object.kind);
  for (const finding of findings)
    caseOf(finding.file, formatIdentity(finding) || "file", finding.kind || "file").findings.push(finding);
  const fails = ({ severity }: Finding) => severity === "error" || isStrict;
  const suites = [...files]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([file, cases]) => {
      const all = [...cases.values()];
      const failed = all.filter((one) => one.findings.some(fails)).length;
      const name = escape(file === "" ? "gatewright" : file);
      const body = all.map((one) => formatCase(one, fails)).join("");
      return {
        all,
        failed,
        text: `  <testsuite name="${name}" tests="${all.length}" failures="${failed}" errors="0">\n${body}  </testsuite>\n`,
      };
    });
  const total = suites.reduce((sum, { all }) => sum + all.length, 0);
  const failures = suites.reduce((sum, { failed }) => sum + failed, 0);
  const text = suites.map((suite) => suite.text).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="gatewright check" tests="${total}" failures="${failures}" errors="0">\n${text}</testsuites>\n`;
}

function formatCase({ name, className, findings }: Case, fails: (finding: Finding) => boolean): string {
  const head = `    <testcase classname="${escape(className)}" name="${escape(name)}"`;
  if (findings.length === 0) return `${head}/>\n`;
  const failed = findings.filter(fails);
  const others = findings.filter((finding) => !fails(finding));
  const lines = (some: readonly Finding[]) => some.map((finding) => escape(lineOf(finding))).join("\n");
  const failure =
    failed.length === 0
      ? ""
      : `      <failure type="${escape(failed[0]?.rule ?? "")}" message="${escape(failed[0]?.message ?? "")}">${lines(failed)}</failure>\n`;
  const output = others.length === 0 ? "" : `      <system-out>${lines(others)}</system-out>\n`;
  return `${head}>\n${failure}${output}    </testcase>\n`;
}

const lineOf = (finding: Finding): string => {
  const { file, line, column, severity, field, rule } = finding;
  return `${file}:${line}:${column}: ${severity}: ${field === "" ? "" : `${field}: `}${withHint(finding)} [${rule}]`;
};

const entities: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "'": "&apos;",
};

/** XML has no way to write most control characters, nor halves of pairs. */
const escape = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")
    .replaceAll(/[<>&"']/g, (char) => entities[char] ?? char)
    .replaceAll(/[\n\r\t]/g, (char) => `&#${char.charCodeAt(0)};`);
