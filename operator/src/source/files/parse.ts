// Two YAML libraries: js-yaml reads ten times as fast, and `yaml` knows where things stand, which only problems need.
import { CORE_SCHEMA, load, mergeTag, YAMLException } from "js-yaml";
import { isCollection, isScalar, LineCounter, type Node, parseAllDocuments } from "yaml";
import type { Path } from "@gatewright/crd-types/schema";

/** More than the API server takes for one object, so nothing that could be applied is refused for its size. */
export const maxDocumentBytes = 4 * 1024 * 1024;
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

/** The line, from 1, where a path of a document stands, or the nearest that is there. */
export function lineOf(text: string, path: Path): number {
  const lines = new LineCounter();
  const [document] = parseAllDocuments(text, { merge: true, prettyErrors: false, lineCounter: lines });
  let node: unknown = document !== undefined && "contents" in document ? document.contents : undefined;
  let offset = offsetOf(node);
  for (const segment of path) {
    const pair = isCollection(node) && "items" in node ? node.items.find((item) => isPairOf(item, segment)) : undefined;
    offset = offsetOf(pair === undefined ? undefined : keyOf(pair)) ?? offset;
    node = isCollection(node) ? node.get(segment, true) : undefined;
    if (node === undefined) break;
    offset = typeof segment === "number" ? (offsetOf(node) ?? offset) : offset;
  }
  return offset === undefined ? 1 : lines.linePos(offset).line;
}

const keyOf = (pair: unknown): unknown =>
  typeof pair === "object" && pair !== null && "key" in pair ? pair.key : undefined;
const isPairOf = (pair: unknown, segment: string | number): boolean => {
  const key = keyOf(pair);
  return isScalar(key) && key.value === segment;
};
const offsetOf = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined);
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "range" in value;
