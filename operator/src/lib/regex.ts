import { RE2JS } from "re2js";
import { messageOf } from "./message-of.ts";

/** A regular expression in Envoy's dialect, RE2. https://github.com/google/re2/wiki/Syntax */
export type Regex =
  /** `programSize` is in RE2's instructions, about as Envoy counts them. */
  { readonly kind: "regex"; readonly programSize: number } | { readonly kind: "invalid"; readonly message: string };

export function parseRegex(pattern: string): Regex {
  // Envoy wants at least one character.
  if (pattern === "") return { kind: "invalid", message: "the regular expression is empty" };
  if (beyondLatin1.test(pattern)) return unreadable("Envoy's characters end at \\x{ff}");
  try {
    return { kind: "regex", programSize: estimateProgramSize(RE2JS.compile(pattern)) };
  } catch (error) {
    return unreadable(messageOf(error));
  }
}

const unreadable = (why: string): Regex => ({ kind: "invalid", message: `RE2 cannot read it: ${why}` });

/** What is wrong with a regular expression whose program may have so many instructions; undefined: nothing. */
export function regexProblem(pattern: string, maxProgramSize: number): string | undefined {
  const regex = parseRegex(pattern);
  if (regex.kind === "invalid") return regex.message;
  if (regex.programSize <= maxProgramSize) return undefined;
  return `the regular expression is too large: a program of about ${regex.programSize} instructions, ${maxProgramSize} are allowed`;
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
