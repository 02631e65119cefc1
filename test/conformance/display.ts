// What the runner prints: a line a test, then what failed and why, then the sums.
import { lastWords, type Outcome, skipReason } from "./outcome.ts";
import type { SuiteResult } from "./suite-run.ts";

const words = { passed: "ok", failed: "FAIL", skipped: "skip" } as const;

/** A line for a test that has ended. */
export function formatOutcome({ name, result, seconds, output }: Outcome): string {
  const reason = result === "skipped" ? skipReason(output) : undefined;
  return `${words[result].padEnd(4)}  ${name}${reason === undefined ? ` ${seconds.toFixed(1)} s` : ` (${reason})`}`;
}

/** What is said of failed tests at the end. */
export function formatFailures({ outcomes, unfinished, rest, code }: SuiteResult): readonly string[] {
  const failed = outcomes.filter(({ result }) => result === "failed");
  const lines = failed.flatMap(({ name, failedParts, output }) => [
    "",
    `FAIL  ${name}`,
    ...failedParts.map((part) => `        ${part}`),
    ...lastWords(output).map((line) => `    ${line.trimEnd()}`),
  ]);
  for (const name of unfinished) lines.push("", `FAIL  ${name}: it had not ended`);
  // Something outside of a test went wrong: setting up, or the program itself.
  if (code !== 0 && failed.length === 0)
    lines.push("", "The suite says:", ...lastWords(rest, 40).map((line) => `    ${line.trimEnd()}`));
  return lines;
}

export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

export function countOf({ outcomes, unfinished }: Pick<SuiteResult, "outcomes" | "unfinished">): Counts {
  const count = (result: Outcome["result"]) => outcomes.filter((outcome) => outcome.result === result).length;
  return { passed: count("passed"), failed: count("failed") + unfinished.length, skipped: count("skipped") };
}

export const formatCounts = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;
