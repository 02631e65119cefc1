// What is wrong with text that is no YAML, in the words of somebody who writes it, and where it went wrong: a parser only says where it gave up.
import { type CST, LineCounter, Parser, parseDocument } from "yaml";

export type SyntaxProblem = {
  readonly message: string;
  /** From 1, in the document. */
  readonly line: number;
  readonly column: number;
};

/** Where the parser gave up (from 1), and its reason. */
export type Failure = SyntaxProblem;

type Context = Failure & {
  readonly text: string;
  readonly lines: readonly string[];
  /** The line where the parser gave up. */
  readonly here: string;
  /** Where that is in the text. */
  readonly offset: number;
};

type Diagnosis = (context: Context) => SyntaxProblem | undefined;

/** Looking closer takes time that grows with the text: of a larger one the parser's own words must do. */
const maxExplainedLength = 256 * 1024;

export function explainSyntax(text: string, failure: Failure): SyntaxProblem {
  if (text.length > maxExplainedLength) return { ...failure, message: inWords(failure.message) };
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const offset = lines.slice(0, failure.line - 1).reduce((sum, line) => sum + line.length + 1, 0) + failure.column - 1;
  const context: Context = { ...failure, text, lines, here: lines[failure.line - 1] ?? "", offset };
  for (const diagnose of diagnoses) {
    const found = diagnose(context);
    if (found !== undefined) return found;
  }
  return { ...failure, message: inWords(failure.message) };
}

const at = (line: number, column: number, message: string): SyntaxProblem => ({ line, column, message });

/** The first that knows counts: from what explains everything after it to what explains one line. */
const diagnoses: readonly Diagnosis[] = [
  conflictMark,
  template,
  gluedMark,
  noBreakSpace,
  tab,
  duplicateKey,
  unknownAlias,
  unclosed,
  missingColon,
  strayBracket,
  reservedStart,
  colonInValue,
  listIndentation,
  keyIndentation,
];

/** The first line, up to the one that failed, that an expression fits. */
function findLine(
  { lines, line }: Context,
  expression: RegExp,
): { readonly line: number; readonly match: RegExpExecArray } | undefined {
  for (let index = 0; index < Math.min(line, lines.length); index++) {
    const match = expression.exec(lines[index] ?? "");
    if (match !== null) return { line: index + 1, match };
  }
  return undefined;
}

function conflictMark(context: Context): SyntaxProblem | undefined {
  const found = findLine(context, /^(?:<{7}|={7}|>{7})(?: |$)/);
  return found && at(found.line, 1, "a merge conflict was left in the file");
}

function template(context: Context): SyntaxProblem | undefined {
  const found = findLine(context, /(?:^|[\s:[,-])\{\{/);
  return found && at(found.line, 1, "this is a template, not YAML: render it first (as `helm template` does)");
}

function gluedMark(context: Context): SyntaxProblem | undefined {
  const glued = findLine(context, /^---(?=[A-Za-z"'{[])/);
  if (glued !== undefined) return at(glued.line, 1, "`---` must stand on a line of its own");
  const indented = findLine(context, /^( +)---\s*$/);
  return indented && at(indented.line, 1, "`---` must begin in the first column");
}

function noBreakSpace({ lines, line }: Context): SyntaxProblem | undefined {
  for (const index of [line, line - 1]) {
    const column = (lines[index - 1] ?? "").indexOf("\u00A0") + 1;
    if (column > 0) return at(index, column, "this is a no-break space, U+00A0: YAML takes only plain spaces");
  }
  return undefined;
}

function tab({ message, line, column, here }: Context): SyntaxProblem | undefined {
  return message.includes("tab characters") || /^ *\t/.test(here)
    ? at(line, Math.max(1, here.indexOf("\t") + 1) || column, "a tab indents this line: YAML takes only spaces")
    : undefined;
}

function duplicateKey({ message, line, column, text }: Context): SyntaxProblem | undefined {
  if (message !== "duplicated mapping key") return undefined;
  const lines = new LineCounter();
  const { errors } = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "silent" });
  const second = errors.find(({ code }) => code === "DUPLICATE_KEY")?.pos[0];
  const key = second === undefined ? undefined : /^(?:"[^"\n]*"|'[^'\n]*'|[^\s:,{}[\]]+)/.exec(text.slice(second))?.[0];
  if (second === undefined || key === undefined) return at(line, column, "this key is there twice");
  const place = lines.linePos(second);
  const first = firstOf(text, second, key);
  return at(
    place.line,
    place.col,
    `the key ${key} is there twice${first === undefined ? "" : `, first in line ${lines.linePos(first).line}`}`,
  );
}

/** Where the key that comes again at `second` stood the first time: the last one before it in the same column, or the same braces. */
function firstOf(text: string, second: number, key: string): number | undefined {
  const column = second - text.lastIndexOf("\n", second - 1);
  const escaped = key.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  const places = [...text.slice(0, second).matchAll(new RegExp(String.raw`(?<![^\s{,])${escaped}(?=\s*:)`, "g"))].map(
    ({ index }) => index,
  );
  return places.findLast((place) => place - text.lastIndexOf("\n", place - 1) === column) ?? places.at(-1);
}

function unknownAlias({ message, line, here }: Context): SyntaxProblem | undefined {
  const name = /^unidentified alias "(.*)"$/.exec(message)?.[1];
  if (name === undefined) return undefined;
  const column = Math.max(1, here.indexOf(`*${name}`) + 1);
  return at(
    line,
    column,
    name.startsWith(".")
      ? `a value that begins with * must be in quotes: "*${name}"`
      : `there is no &${name} before this that *${name} could stand for; a text that begins with * must be in quotes`,
  );
}

/** A quote or a bracket that is still open where the parser gave up is where the mistake was made. */
function unclosed({ text, offset, message, line, column }: Context): SyntaxProblem | undefined {
  const lines = new LineCounter();
  const open = innermost(tokensOf(text, lines), offset);
  if (open === undefined) return undefined;
  const { line: openLine, col } = lines.linePos(open.offset);
  const isQuote = open.sign === '"' || open.sign === "'";
  // In one line something else is wrong inside of it: an escape that does not exist, or a comma that is missing.
  if (openLine === line && !message.includes("unexpected end") && (isQuote || !isBracket(text[offset]))) {
    if (isQuote || !message.includes("missed comma")) return undefined;
    return at(line, column, "a comma is missing here, or a quote or bracket before it is not closed");
  }
  if (
    message.includes("missed comma") &&
    /[\w"']/.test(text[offset] ?? "") &&
    !isQuote &&
    openLine < line &&
    !beginsKey(text, offset)
  )
    return at(line, column, "a comma is missing before this");
  return at(openLine, col, `the ${open.sign} that opens here is not closed`);
}

const isBracket = (char: string | undefined): boolean => char === "]" || char === "}";

/** Whether a key and its colon begin the line: then it was meant to stand outside of what is open. */
const beginsKey = (text: string, offset: number): boolean =>
  /^\s*(?:- )?[\w./-]+:(?:\s|$)/.test(text.slice(text.lastIndexOf("\n", offset - 1) + 1));

type Open = { readonly sign: string; readonly offset: number };

function tokensOf(text: string, lines: LineCounter): readonly CST.Token[] {
  return [...new Parser(lines.addNewLine).parse(text)];
}

/** The innermost quote or bracket that opens before `offset` and does not close before it. */
function innermost(tokens: readonly CST.Token[], offset: number): Open | undefined {
  let found: Open | undefined;
  const visit = (token: CST.Token | null | undefined): void => {
    if (token === null || token === undefined || token.offset > offset) return;
    if (token.type === "flow-collection") {
      const close = token.end.find(({ type }) => type === "flow-map-end" || type === "flow-seq-end");
      if ((close?.offset ?? Number.POSITIVE_INFINITY) >= offset && token.start.offset < offset)
        found = { sign: token.start.source, offset: token.start.offset };
      visitItems(token.items);
    } else if (token.type === "double-quoted-scalar" || token.type === "single-quoted-scalar") {
      const isOpen = token.source.length === 1 || !token.source.endsWith(token.source.charAt(0));
      if (token.offset < offset && (isOpen || token.offset + token.source.length > offset - 1))
        found = { sign: token.source.charAt(0), offset: token.offset };
    } else if ("items" in token) visitItems(token.items);
    else if (token.type === "document") visit(token.value);
  };
  const visitItems = (items: readonly CST.CollectionItem[]): void => {
    for (const { key, value } of items) {
      visit(key);
      visit(value);
    }
  };
  for (const token of tokens) visit(token);
  return found;
}

/** A text that goes on over lines where a key was meant: its first line lacks the colon, or the space after it. */
function missingColon(context: Context): SyntaxProblem | undefined {
  const { text, lines, line } = context;
  const counter = new LineCounter();
  const { errors } = parseDocument(text, {
    lineCounter: counter,
    prettyErrors: false,
    logLevel: "silent",
    uniqueKeys: false,
  });
  const place = errors.find(({ code }) => code === "MULTILINE_IMPLICIT_KEY")?.pos[0];
  if (place === undefined) return undefined;
  const first = counter.linePos(place).line;
  for (const index of [first, line, line - 1]) {
    const words = /^\s*(?:- +)*(.*?)\s*$/.exec(lines[index - 1] ?? "")?.[1] ?? "";
    const column = (lines[index - 1] ?? "").indexOf(words) + 1;
    const glued = /^([A-Za-z][\w./-]*):[^\s/]/.exec(words)?.[1];
    if (glued !== undefined) return at(index, column, `a space is missing after "${glued}:"`);
    const key = /^([A-Za-z][\w./-]*)(?:$|\s+[^\s:]+$)/.exec(words)?.[1];
    if (key !== undefined) return at(index, column, `a colon is missing after "${key}"`);
  }
  return undefined;
}

function strayBracket({ text, offset, line, column }: Context): SyntaxProblem | undefined {
  return isBracket(text[offset]) ? at(line, column, `this ${text[offset]} closes nothing`) : undefined;
}

function reservedStart({ line, here, column }: Context): SyntaxProblem | undefined {
  const char = here.charAt(column - 1);
  return ["@", "`", "%"].includes(char)
    ? at(line, column, `a value that begins with ${char} must be in quotes`)
    : undefined;
}

function colonInValue({ line, here, message }: Context): SyntaxProblem | undefined {
  const [whole, start] = /^(\s*(?:- +)*[\w./-]+:\s+)[^"'[{|>&*!#\s][^#]*?:(?:\s|$)/.exec(here) ?? [];
  return whole !== undefined && start !== undefined && message.startsWith("bad indentation")
    ? at(line, start.length + 1, "a value with a colon and a space in it must be in quotes")
    : undefined;
}

const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

function listIndentation({ line, here, lines, message }: Context): SyntaxProblem | undefined {
  if (!message.startsWith("bad indentation") || !/^\s*- /.test(here)) return undefined;
  const indent = indentOf(here);
  const others = lines.slice(0, line - 1).filter((each) => /^\s*- /.test(each) && indentOf(each) !== indent);
  const other = others.at(-1);
  return at(
    line,
    indent + 1,
    other === undefined
      ? "this item of a list stands where no list is"
      : `this item of a list begins in column ${indent + 1}, and the one before it in column ${indentOf(other) + 1}`,
  );
}

function keyIndentation({ line, here, lines, message }: Context): SyntaxProblem | undefined {
  if (!/^(?:bad indentation|end of the stream|deficient)/.test(message)) return undefined;
  const before = lines.slice(0, line - 1).findLast((each) => /^\s*[^\s#]/.test(each));
  if (before === undefined) return undefined;
  const indent = indentOf(here);
  const own = before.search(/[^\s-]/);
  if (indent === own) return undefined;
  return at(
    line,
    indent + 1,
    `this line begins in column ${indent + 1}, which fits none of the lines above: the one before it begins in column ${own + 1}`,
  );
}

/** The parser's words, where they are not a writer's. */
function inWords(message: string): string {
  for (const [expression, words] of translations) {
    const match = expression.exec(message);
    if (match !== null) return words.replace("$1", match[1] ?? "");
  }
  return message;
}

const translations: readonly (readonly [RegExp, string])[] = [
  [/^nesting exceeded maxDepth \((\d+)\)/, "nested more than $1 levels deep"],
  [/^unknown escape sequence/, "a backslash in double quotes must be doubled, or the quotes be single ones"],
  [/^expected valid JSON character|non-printable characters/, "a control character, which YAML does not allow"],
  [/^expected a single document/, "`...` ends the document, and something follows: begin the next one with `---`"],
  [/^end of the stream or a document separator/, "this line belongs to nothing above it"],
  [/^missed comma between flow collection entries/, "a comma is missing before this"],
  [/^expected the node content, but found ','/, "a value is missing before the comma"],
  [/^unexpected end of the stream/, "the text ends in the middle of a value"],
  [/^deficient indentation/, "this line must be indented deeper than the key to which it belongs"],
  [
    /^bad indentation of a (?:mapping entry|sequence entry)/,
    "the indentation of this line fits none of the lines above",
  ],
  [/multiline key may not be an implicit key/, "a colon is missing in this line or the one before it"],
  [/^a whitespace character is expected after the key-value separator/, "a space is missing after the colon"],
  [
    /^name of an (anchor|alias) node must contain/,
    "& and * must be followed by a name; a text that begins with them must be in quotes",
  ],
];
