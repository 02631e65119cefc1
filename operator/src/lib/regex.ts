import { RE2JS } from "re2js";

/**
 * What is wrong with a regular expression in Envoy's dialect, RE2; undefined: nothing. `maxProgramSize` is in RE2's
 * instructions, as Envoy counts them. https://github.com/google/re2/wiki/Syntax
 */
export function regexProblem(pattern: string, maxProgramSize: number): string | undefined {
  // Envoy wants at least one character.
  if (pattern === "") return "the regular expression is empty";
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    return `RE2 cannot read it: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (beyondLatin1.test(pattern)) return "RE2 cannot read it: Envoy's characters end at \\x{ff}";
  const size = estimateProgramSize(compiled);
  if (size > maxProgramSize)
    return `the regular expression is too large: a program of about ${size} instructions, ${maxProgramSize} are allowed`;
  return undefined;
}

/** Envoy reads both pattern and text as Latin-1. */
const lastByte = 0xff;
const beyondLatin1 = /(?<!\\)(\\\\)*\\x\{0*[1-9a-f][0-9a-f]{2,}\}/i;

/**
 * About the size of the program that Envoy's RE2 makes of it: one instruction per range of bytes where a step takes a class
 * of characters, one for every other step, and two that RE2 adds.
 */
function estimateProgramSize(compiled: RE2JS): number {
  const program: unknown = compiled.re2().prog;
  const steps = isRecord(program) && Array.isArray(program["inst"]) ? program["inst"] : undefined;
  if (steps === undefined) return compiled.programSize() + 2;
  return steps.reduce<number>((sum, step) => sum + 1 + rangesBeyondFirst(step), 2);
}

function rangesBeyondFirst(step: unknown): number {
  const stated = isRecord(step) ? step["runes"] : undefined;
  const runes: readonly unknown[] = stated instanceof Int32Array || Array.isArray(stated) ? [...stated] : [];
  // Pairs of first and last; a single rune stands alone.
  const starts = runes.filter((rune, index) => index % 2 === 0 && Number(rune) <= lastByte);
  return Math.max(0, starts.length - 1);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
