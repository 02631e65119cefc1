/** A set of code points: what one character class, or one literal, of a pattern stands for. */
export type CharSet = {
  readonly ranges: readonly CharRange[];
  /** Unicode properties (`\p{L}`), each a regular expression for one code point. */
  readonly properties: readonly RegExp[];
  /** Sets inside a class: `[\W_]`. */
  readonly sets: readonly CharSet[];
  readonly negated: boolean;
  readonly foldCase: boolean;
};

export type CharRange = readonly [first: number, last: number];

export function charSet(ranges: readonly CharRange[], options: Partial<CharSet> = {}): CharSet {
  return { properties: [], sets: [], negated: false, foldCase: false, ...options, ranges };
}

const code = (char: string): number => char.codePointAt(0) ?? 0;
const range = (first: string, last = first): CharRange => [code(first), code(last)];

const digits = range("0", "9");
const lower = range("a", "z");
const upper = range("A", "Z");

/** `\d`, `\s` and `\w` are ASCII in RE2, whatever the flags. */
export const perlClasses: Readonly<Record<string, readonly CharRange[]>> = {
  d: [digits],
  s: [range("\t", "\n"), range("\f", "\r"), range(" ")],
  w: [digits, upper, range("_"), lower],
};

export const posixClasses: Readonly<Record<string, readonly CharRange[]>> = {
  alnum: [digits, upper, lower],
  alpha: [upper, lower],
  ascii: [[0, 0x7f]],
  blank: [range("\t"), range(" ")],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: [digits],
  graph: [range("!", "~")],
  lower: [lower],
  print: [range(" ", "~")],
  punct: [range("!", "/"), range(":", "@"), range("[", "`"), range("{", "~")],
  space: [range("\t", "\r"), range(" ")],
  upper: [upper],
  word: [digits, upper, range("_"), lower],
  xdigit: [digits, range("A", "F"), range("a", "f")],
};

export function contains(set: CharSet, char: number): boolean {
  const found =
    holds(set, char) ||
    (set.foldCase && folds(char).some((other) => other !== char && holds({ ...set, foldCase: false }, other)));
  return found !== set.negated;
}

function holds({ ranges, properties, sets }: CharSet, char: number): boolean {
  if (ranges.some(([first, last]) => first <= char && char <= last)) return true;
  if (properties.length > 0) {
    const text = String.fromCodePoint(char);
    if (properties.some((property) => property.test(text))) return true;
  }
  return sets.some((set) => contains(set, char));
}

function folds(char: number): readonly number[] {
  const text = String.fromCodePoint(char);
  const upperCase = text.toUpperCase();
  return [text.toLowerCase(), upperCase, upperCase.toLowerCase()].map(code);
}
