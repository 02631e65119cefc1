import type { Verdict } from "../check.ts";
import { type Finding, formatIdentity } from "../finding.ts";

const codes = { bold: 1, dim: 2, red: 31, yellow: 33 } as const;

/** A line for each finding, as compilers write them, so that editors find the place; its hint below. */
export function formatText(findings: readonly Finding[], isColoured: boolean): string {
  const paint = (colour: keyof typeof codes, text: string) =>
    isColoured ? `\u001B[${codes[colour]}m${text}\u001B[0m` : text;
  return findings
    .map((finding) => {
      const { severity, file, line, column, field, rule, message, hint } = finding;
      const place = paint("bold", `${file}:${line}:${column}:`);
      const level = paint(severity === "error" ? "red" : "yellow", `${severity}:`);
      const about = [formatIdentity(finding), field].filter((part) => part !== "").join(" ");
      const first = `${place} ${level} ${about === "" ? "" : `${about}: `}${visible(message)} ${paint("dim", `[${rule}]`)}\n`;
      return hint === undefined ? first : `${first}  ${paint("dim", `hint: ${visible(hint)}`)}\n`;
    })
    .join("");
}

/** What strangers wrote must neither move the cursor nor look like another line. */
const visible = (text: string): string =>
  // oxlint-disable-next-line no-control-regex
  text.replaceAll(/[\u0000-\u001F\u007F-\u009F]/g, (char) => JSON.stringify(char).slice(1, -1));

/** One line on how it went. */
export function summarize({ findings, objects, files, passedOver }: Verdict): string {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const parts = [
    ...(errors > 0 ? [counted(errors, "error")] : []),
    ...(warnings > 0 ? [counted(warnings, "warning")] : []),
  ];
  const found = parts.length === 0 ? "no problems" : parts.join(" and ");
  const rest = passedOver === 0 ? "" : `; ${counted(passedOver, "object")} of other kinds not checked`;
  return `${found} in ${counted(objects.length, "object")} of ${counted(files, "file")}${rest}`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
