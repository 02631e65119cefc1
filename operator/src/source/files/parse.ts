// Two YAML libraries: js-yaml reads ten times as fast, and `yaml` knows where things stand, which only problems need.
import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import type { Path } from "@gatewright/crd-types/schema";
import { firstContent } from "./split.ts";

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

const schema = CORE_SCHEMA.withTags(mergeTag);

/** Reads one YAML (or JSON) document. Never throws, and takes bounded time and memory whatever it is given. */
export function parseText(text: string): Parsed {
  if (text.length > maxDocumentBytes)
    return { kind: "problem", message: `the document is larger than ${maxDocumentBytes / 1024 / 1024} MiB` };
  try {
    const value = load(text, { schema, maxDepth });
    if (expandedSize(value, new Map()) > maxExpandedValues)
      return { kind: "problem", message: `its aliases stand for more than ${maxExpandedValues} values` };
    return { kind: "value", value };
  } catch (error) {
    if (!(error instanceof YAMLException)) return { kind: "problem", message: String(error).slice(0, 500) };
    const { reason, mark } = error;
    return {
      kind: "problem",
      message: reason.replace(/^nesting exceeded maxDepth.*/, `nested more than ${maxDepth} levels deep`),
      ...(mark && { line: mark.line + 1, column: mark.column + 1 }),
    };
  }
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

/**
 * Says on which line, from 1, a path of a document stands, or the nearest that is there. The document is read for it, once
 * whatever the number of questions, and only when one is asked; a large one is not, and its first line must do.
 */
export function createLocator(text: string, firstLine = lineOfFirstContent(text)): (path: Path) => number {
  let read: { readonly root: unknown; readonly lines: LineCounter } | undefined;
  return (path) => {
    if (text.length > maxLocatedLength) return firstLine;
    read ??= readPositions(text);
    const offset = offsetAt(read.root, path);
    return offset === undefined ? firstLine : read.lines.linePos(offset).line;
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

function offsetAt(root: unknown, path: Path): number | undefined {
  let node = root;
  let offset = offsetOf(root);
  for (const segment of path) {
    if (isSeq(node) && typeof segment === "number") {
      node = node.items[segment];
      offset = offsetOf(node) ?? offset;
    } else if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === segment);
      offset = offsetOf(pair?.key) ?? offset;
      node = isPair(pair) ? pair.value : undefined;
    } else break;
  }
  return offset;
}

const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
