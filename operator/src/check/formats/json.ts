import { type Finding, withHint } from "../finding.ts";

/** One object a line, always with the same members. */
export const formatJson = (findings: readonly Finding[]): string =>
  findings
    .map((finding) => {
      const { severity, file, line, column, group, kind, namespace, name, field, rule } = finding;
      const message = withHint(finding);
      return `${JSON.stringify({ severity, file, line, column, group, kind, namespace, name, field, rule, message })}\n`;
    })
    .join("");
