import type { CharSet } from "./charset.ts";
import { type Pattern, PatternError } from "./syntax.ts";

/** One step of a non-deterministic automaton; numbers are places in the program. */
export type Instruction =
  | { readonly kind: "char"; readonly set: CharSet; readonly next: number }
  | { readonly kind: "split"; readonly nexts: readonly number[] }
  | { readonly kind: "begin" | "end"; readonly next: number }
  | { readonly kind: "match" };

export type Program = { readonly instructions: readonly Instruction[]; readonly start: number };

// Nested counts multiply: (((a{99}){99}){99}) must not fill the memory.
const maxInstructions = 50_000;

/** Thompson's construction, built from the end, so that each step knows the next. */
export function compileProgram(pattern: Pattern): Program {
  const instructions: Instruction[] = [{ kind: "match" }];

  function add(instruction: Instruction): number {
    if (instructions.length >= maxInstructions) throw new PatternError("a pattern is too large");
    return instructions.push(instruction) - 1;
  }

  function build(part: Pattern, next: number): number {
    switch (part.kind) {
      case "empty":
        return next;
      case "char":
        return add({ kind: "char", set: part.set, next });
      case "begin":
      case "end":
        return add({ kind: part.kind, next });
      case "sequence":
        return part.parts.reduceRight((after, inner) => build(inner, after), next);
      case "either":
        return add({ kind: "split", nexts: part.options.map((option) => build(option, next)) });
      default:
        return buildRepeat(part, next);
    }
  }

  function buildRepeat({ of, min, max }: Pattern & { readonly kind: "repeat" }, next: number): number {
    let after = next;
    if (max === undefined) {
      const nexts = [next];
      const loop = add({ kind: "split", nexts });
      nexts.push(build(of, loop));
      after = loop;
    } else {
      for (let optional = min; optional < max; optional++)
        after = add({ kind: "split", nexts: [next, build(of, after)] });
    }
    for (let required = 0; required < min; required++) after = build(of, after);
    return after;
  }

  return { start: build(pattern, 0), instructions };
}
