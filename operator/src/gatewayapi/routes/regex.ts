import { RE2JS } from "re2js";
import { maxRegexProgramSize } from "../../ir/index.ts";

/** What is wrong with a regular expression in Envoy's dialect, RE2; undefined: nothing. https://github.com/google/re2/wiki/Syntax */
export function regexProblem(pattern: string): string | undefined {
  // Envoy wants at least one character.
  if (pattern === "") return "the regular expression is empty";
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    return `RE2 cannot read it: ${error instanceof Error ? error.message : String(error)}`;
  }
  const size = estimateProgramSize(compiled);
  if (size > maxRegexProgramSize)
    return `the regular expression is too large: a program of about ${size} instructions, ${maxRegexProgramSize} are allowed`;
  return undefined;
}

/**
 * About the size of the program that Envoy's RE2 makes of it: one instruction per range of bytes where a step takes a class
 * of characters, and one for every other step. Envoy reads both pattern and text as Latin-1.
 */
function estimateProgramSize(compiled: RE2JS): number {
  const program: unknown = compiled.re2().prog;
  const steps = isRecord(program) && Array.isArray(program["inst"]) ? program["inst"] : undefined;
  if (steps === undefined) return compiled.programSize();
  return steps.reduce<number>((sum, step) => sum + 1 + rangesBeyondFirst(step), 0);
}

const lastByte = 0xff;

function rangesBeyondFirst(step: unknown): number {
  const stated = isRecord(step) ? step["runes"] : undefined;
  const runes: readonly unknown[] = stated instanceof Int32Array || Array.isArray(stated) ? [...stated] : [];
  // Pairs of first and last; a single rune stands alone.
  const starts = runes.filter((rune, index) => index % 2 === 0 && Number(rune) <= lastByte);
  return Math.max(0, starts.length - 1);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
