// Two YAML libraries: js-yaml reads ten times as fast, and `yaml` knows where things stand, which only problems need.
import { load, YAMLException } from "js-yaml";
import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument, type Scalar } from "yaml";
import { formatPath, type Path } from "@gatewright/crd-types/schema";
import { firstContent } from "./split.ts";
import { explainSyntax } from "./syntax-errors.ts";
import { kubectlSchema, numberOf, wordOf } from "./yaml-schema.ts";

/** More than the API server takes for one object, so nothing that could be applied is refused for its size. */
const maxDocumentBytes = 4 * 1024 * 1024;
/** Finding a place takes the slow reader a second for this much. */
const maxLocatedLength = 1024 * 1024;
const maxDepth = 100;
/** A few lines of aliases can stand for billions of values: past this it is an attack or a mistake. */
const maxExpandedValues = 1_000_000;

export type Parsed =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "problem";
      readonly message: string;
      /** From 1, in the document. */
      readonly line?: number;
      readonly column?: number;
    };

/**
 * Reads one YAML (or JSON) document. Never throws, and takes bounded time and memory whatever it is given. `isBrief`: nobody will read
 * what is wrong.
 */
export function parseText(text: string, isBrief = false): Parsed {
  if (text.length > maxDocumentBytes)
    return { kind: "problem", message: `the document is larger than ${maxDocumentBytes / 1024 / 1024} MiB` };
  try {
    const value = load(text, { schema: kubectlSchema, maxDepth });
    if (expandedSize(value, new Map()) > maxExpandedValues)
      return { kind: "problem", message: `its aliases stand for more than ${maxExpandedValues} values` };
    const odd = findNonJson(value);
    return odd === undefined
      ? { kind: "value", value }
      : {
          kind: "problem",
          message: `${formatPath(odd)}: JSON has no such number`,
          line: createLocator(text)(odd).line,
        };
  } catch (error) {
    if (!(error instanceof YAMLException)) return { kind: "problem", message: String(error).slice(0, 500) };
    const { reason, mark } = error;
    if (isBrief) return { kind: "problem", message: reason };
    const failure = mark ?? whereMore(text);
    return {
      kind: "problem",
      ...explainSyntax(text, { message: reason, line: failure.line + 1, column: failure.column + 1 }),
    };
  }
}

/** The parser does not say where a second document begins. */
function whereMore(text: string): { readonly line: number; readonly column: number } {
  const line = text.split("\n").findIndex((each) => /^\.\.\.\s*$/.test(each));
  return { line: Math.max(0, line), column: 0 };
}

/** Where a number stands that JSON cannot say. Of aliases the first place is found. */
function findNonJson(value: unknown, path: Path = []): Path | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : path;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === "string") continue;
    const found = findNonJson(inner, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** How many values there are with aliases written out. Each shared value is counted once and added as often as it is met. */
function expandedSize(value: unknown, known: Map<object, number>): number {
  if (typeof value !== "object" || value === null) return 1;
  const counted = known.get(value);
  if (counted !== undefined) return counted;
  // Of a value that contains itself there is no end.
  known.set(value, Number.POSITIVE_INFINITY);
  let size = 1;
  for (const inner of Object.values(value)) size += expandedSize(inner, known);
  known.set(value, size);
  return size;
}

/** Where a part of a document stands, or the nearest that is there. */
export type Placed = {
  /** From 1, in the document. */
  readonly line: number;
  readonly column: number;
  /** Text of the line, as far as it was looked at. */
  readonly lineText: string;
  /** How a scalar is written. */
  readonly source?: string;
};

/**
 * Finds parts of a document by their paths. The document is read for it, once whatever the number of questions, and only when one is
 * asked; a large one is not, and its first line must do.
 */
export function createLocator(text: string, firstLine = lineOfFirstContent(text)): (path: Path) => Placed {
  const nowhere: Placed = { line: firstLine, column: 1, lineText: "" };
  let read: { readonly root: unknown; readonly lines: LineCounter } | undefined;
  return (path) => {
    if (text.length > maxLocatedLength) return nowhere;
    read ??= readPositions(text);
    const { offset, source } = find(read.root, path);
    if (offset === undefined) return nowhere;
    const start = text.lastIndexOf("\n", offset - 1) + 1;
    const end = text.indexOf("\n", offset);
    const lineText = text.slice(start, end === -1 ? undefined : end);
    const { line, col: column } = read.lines.linePos(offset);
    return { line, column, lineText, ...(source === undefined ? {} : { source }) };
  };
}

/** The first line, from 1, that says something. */
export function lineOfFirstContent(text: string): number {
  const at = firstContent(text);
  let line = 1;
  for (let next = text.indexOf("\n"); next !== -1 && next < at; next = text.indexOf("\n", next + 1)) line++;
  return line;
}

function readPositions(text: string) {
  const lines = new LineCounter();
  // Looking for keys that come twice takes the square of their number, and js-yaml has done it.
  const options = { uniqueKeys: false, prettyErrors: false, logLevel: "silent", lineCounter: lines } as const;
  return { root: parseDocument(text, options).contents, lines };
}

function find(root: unknown, path: Path): { readonly offset?: number; readonly source?: string } {
  let node = root;
  let offset = offsetOf(root);
  for (const segment of path) {
    if (isSeq(node) && typeof segment === "number") {
      node = node.items[segment];
      offset = offsetOf(node) ?? offset;
    } else if (isMap(node)) {
      const pair = node.items.find(
        ({ key }) => isScalar(key) && (key.value === segment || keyText(key) === String(segment)),
      );
      offset = offsetOf(pair?.key) ?? offset;
      node = isPair(pair) ? pair.value : undefined;
    } else node = undefined;
    if (node === undefined) return offset === undefined ? {} : { offset };
  }
  const source = isScalar(node) && typeof node.source === "string" ? node.source : undefined;
  return { ...(offset === undefined ? {} : { offset }), ...(source === undefined ? {} : { source }) };
}

/** A key as JSON has it: a word that is a boolean or a number to kubectl is written out. */
function keyText({ source = "", type, value }: Scalar): string {
  return type === "PLAIN" ? String(wordOf(source) ?? numberOf(source) ?? source) : String(value);
}

const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
