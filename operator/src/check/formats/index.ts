import type { Verdict } from "../check.ts";
import { formatJson } from "./json.ts";
import { formatJunit } from "./junit.ts";
import { formatSarif } from "./sarif.ts";
import { formatText } from "./text.ts";

export { summarize } from "./text.ts";

export const outputFormats = ["text", "json", "sarif", "junit"] as const;
export type OutputFormat = (typeof outputFormats)[number];

export type FormatOptions = {
  readonly isStrict: boolean;
  readonly isColoured: boolean;
  /** Of Gatewright. */
  readonly version: string;
};

/** What a format makes of a verdict, as it is to be written. */
export function formatFindings(format: OutputFormat, verdict: Verdict, options: FormatOptions): string {
  switch (format) {
    case "text":
      return formatText(verdict.findings, options.isColoured);
    case "json":
      return formatJson(verdict.findings);
    case "sarif":
      return formatSarif(verdict.findings, options.version);
    case "junit":
      return formatJunit(verdict, options.isStrict);
  }
}
