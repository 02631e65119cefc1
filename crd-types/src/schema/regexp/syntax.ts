import { type CharRange, type CharSet, charSet, perlClasses, posixClasses } from "./charset.ts";

/** A pattern, taken apart. Groups leave no trace: only whether a text matches is asked, never what a group caught. */
export type Pattern =
  | { readonly kind: "empty" }
  | { readonly kind: "char"; readonly set: CharSet }
  | { readonly kind: "begin" }
  | { readonly kind: "end" }
  | { readonly kind: "sequence"; readonly parts: readonly Pattern[] }
  | { readonly kind: "either"; readonly options: readonly Pattern[] }
  | { readonly kind: "repeat"; readonly of: Pattern; readonly min: number; readonly max: number | undefined };

/** A pattern that is no RE2 pattern, or uses a construct that this engine does not know (`\b`, `(?m)`, `(?U)`). */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

// The limit of Go's regexp package.
const maxRepeat = 1000;

type Flags = { readonly foldCase: boolean; readonly dotAll: boolean };

/** Reads a pattern in RE2's syntax (https://github.com/google/re2/wiki/Syntax), which is what CRDs are written in. */
export function parsePattern(source: string): Pattern {
  const chars = Array.from(source);
  let at = 0;
  let flags: Flags = { foldCase: false, dotAll: false };

  const fail = (message: string): never => {
    throw new PatternError(`pattern ${JSON.stringify(source)}: ${message}`);
  };
  const take = (text: string): boolean => {
    if (chars.slice(at, at + text.length).join("") !== text) return false;
    at += text.length;
    return true;
  };
  const next = (): string => chars[at++] ?? fail("ends too early");
  const literal = (char: string): Pattern => ({
    kind: "char",
    set: charSet([[char.codePointAt(0) ?? 0, char.codePointAt(0) ?? 0]], { foldCase: flags.foldCase }),
  });

  function either(): Pattern {
    const outer = flags;
    const options = [sequence()];
    while (take("|")) options.push(sequence());
    flags = outer;
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "either", options };
  }

  function sequence(): Pattern {
    const parts: Pattern[] = [];
    while (at < chars.length && chars[at] !== "|" && chars[at] !== ")") {
      if (take("\\Q")) {
        const quoted: Pattern[] = [];
        while (at < chars.length && !take("\\E")) quoted.push(literal(next()));
        const last = quoted.pop();
        parts.push(...quoted, ...(last === undefined ? [] : [repeated(last)]));
        continue;
      }
      const atom = readAtom();
      parts.push(atom === undefined ? { kind: "empty" } : repeated(atom));
    }
    return { kind: "sequence", parts };
  }

  function repeated(atom: Pattern): Pattern {
    const bounds = readBounds();
    if (bounds === undefined) return atom;
    // Lazy or greedy makes no difference to whether a text matches.
    take("?");
    if (readBounds() !== undefined) fail("a repetition of a repetition");
    return { kind: "repeat", of: atom, ...bounds };
  }

  function readBounds(): { readonly min: number; readonly max: number | undefined } | undefined {
    if (take("*")) return { min: 0, max: undefined };
    if (take("+")) return { min: 1, max: undefined };
    if (take("?")) return { min: 0, max: 1 };
    if (chars[at] !== "{") return undefined;
    const counted = /^\{(\d+)(?:(,)(\d*))?\}/.exec(chars.slice(at, at + 16).join(""));
    if (counted === null) return undefined;
    const min = Number(counted[1]);
    const max = counted[2] === undefined ? min : counted[3] === "" ? undefined : Number(counted[3]);
    if (min > maxRepeat || (max !== undefined && (max > maxRepeat || max < min))) fail("a repetition out of bounds");
    at += counted[0].length;
    return { min, max };
  }

  /** Undefined for `(?i)`, which only sets flags. */
  function readAtom(): Pattern | undefined {
    const char = next();
    switch (char) {
      case "(":
        return readGroup();
      case "[":
        return { kind: "char", set: readClass() };
      case ".":
        return { kind: "char", set: charSet(flags.dotAll ? [] : [[10, 10]], { negated: true }) };
      case "^":
        return { kind: "begin" };
      case "$":
        return { kind: "end" };
      case "\\":
        return readEscape();
      case "*":
      case "+":
      case "?":
        return fail("nothing to repeat");
      default:
        return literal(char);
    }
  }

  function readGroup(): Pattern | undefined {
    const outer = flags;
    if (take("?")) {
      const name = /^(?:P?<\w+>)/.exec(chars.slice(at, at + 64).join(""));
      if (name !== null) at += name[0].length;
      else if (readFlags() === ")") return undefined;
    }
    const inner = either();
    if (!take(")")) fail("a group is not closed");
    flags = outer;
    return inner;
  }

  /** Reads `i-s:` or `i)` after `(?`, and says which of the two signs ended it. */
  function readFlags(): ":" | ")" {
    let on = true;
    for (;;) {
      const char = next();
      if (char === ":" || char === ")") return char;
      if (char === "-") on = false;
      else if (char === "i") flags = { ...flags, foldCase: on };
      else if (char === "s") flags = { ...flags, dotAll: on };
      else fail(`the flag ${char} is not supported`);
    }
  }

  function readEscape(): Pattern {
    if (take("A")) return { kind: "begin" };
    if (take("z")) return { kind: "end" };
    const set = readSetEscape();
    if (set !== undefined) return { kind: "char", set };
    return literal(String.fromCodePoint(readCharEscape()));
  }

  /** What follows a backslash, where that is a set: `\d`, `\pL`, `\P{Greek}`. */
  function readSetEscape(): CharSet | undefined {
    const char = chars[at] ?? "";
    const perl = perlClasses[char.toLowerCase()];
    if (perl !== undefined) {
      at++;
      return charSet(perl, { negated: char !== char.toLowerCase(), foldCase: flags.foldCase });
    }
    if (char !== "p" && char !== "P") return undefined;
    at++;
    const name = take("{") ? chars.slice(at, chars.indexOf("}", at)).join("") : next();
    if (chars[at - 1] === "{") at += Array.from(name).length + 1;
    const inverse = name.startsWith("^");
    return charSet([], { properties: [unicodeProperty(name.replace(/^\^/, ""))], negated: inverse !== (char === "P") });
  }

  function unicodeProperty(name: string): RegExp {
    for (const form of [`\\p{${name}}`, `\\p{Script=${name}}`]) {
      try {
        return new RegExp(`^${form}$`, "u");
      } catch {
        // Not a property by this form of its name.
      }
    }
    return fail(`the property ${name} is not known`);
  }

  /** What follows a backslash, where that is one character. */
  function readCharEscape(): number {
    const char = next();
    const control = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }[char];
    if (control !== undefined) return control;
    if (char === "x") {
      const hex = /^(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/.exec(chars.slice(at, at + 8).join(""));
      if (hex === null) return fail("an escape is cut short");
      at += hex[0].length;
      return Number.parseInt(hex[1] ?? hex[2] ?? "", 16);
    }
    const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(chars.slice(at - 1, at + 2).join(""));
    if (octal !== null) {
      at += octal[0].length - 1;
      return Number.parseInt(octal[0], 8);
    }
    if (char > "\x7f" || /[0-9A-Za-z]/.test(char)) fail(`the escape \\${char} is not supported`);
    return char.codePointAt(0) ?? 0;
  }

  function readClass(): CharSet {
    const negated = take("^");
    const own: CharRange[] = [];
    const sets: CharSet[] = [];
    for (let first = true; first || chars[at] !== "]"; first = false) {
      if (at >= chars.length) fail("a class is not closed");
      const named = /^\[:(\^?)(\w+):\]/.exec(chars.slice(at, at + 16).join(""));
      if (named !== null) {
        at += named[0].length;
        const ranges = posixClasses[named[2] ?? ""] ?? fail("no such class");
        sets.push(charSet(ranges, { negated: named[1] === "^", foldCase: flags.foldCase }));
        continue;
      }
      if (chars[at] === "\\") {
        at++;
        const set = readSetEscape();
        if (set !== undefined) {
          sets.push(set);
          continue;
        }
        at--;
      }
      const from = readClassChar();
      const isRange = chars[at] === "-" && at + 1 < chars.length && chars[at + 1] !== "]";
      if (isRange) at++;
      const to = isRange ? readClassChar() : from;
      if (to < from) fail("a range is upside down");
      own.push([from, to]);
    }
    at++;
    return charSet(own, { sets, negated, foldCase: flags.foldCase });
  }

  const readClassChar = (): number => {
    const char = next();
    return char === "\\" ? readCharEscape() : (char.codePointAt(0) ?? 0);
  };

  const pattern = either();
  if (at < chars.length) fail("a group is closed that was not opened");
  return pattern;
}
