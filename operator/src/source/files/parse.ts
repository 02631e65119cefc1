import { isCollection, isScalar, LineCounter, type Node, parseAllDocuments, parseDocument } from "yaml";
import type { Path } from "@gatewright/crd-types/schema";

/** More than the API server takes for one object, so nothing that could be applied is refused for its size. */
export const maxDocumentBytes = 4 * 1024 * 1024;
/** Aliases may multiply a document; past this many nodes by aliases it is an attack or a mistake. */
const maxAliases = 100;
const maxDepth = 200;

export type Parsed =
  | { readonly kind: "value"; readonly value: unknown; readonly warnings: readonly ParseProblem[] }
  | ({ readonly kind: "problem" } & ParseProblem);

export type ParseProblem = {
  readonly message: string;
  /** From 1, in the document. */
  readonly line?: number;
  readonly column?: number;
};

const options = { prettyErrors: false, uniqueKeys: true, merge: true, strict: true } as const;

/** Reads one YAML (or JSON) document. Never throws, and takes bounded time and memory whatever it is given. */
export function parseText(text: string): Parsed {
  if (text.length > maxDocumentBytes)
    return { kind: "problem", message: `the document is larger than ${maxDocumentBytes / 1024 / 1024} MiB` };
  if (depthOf(text) > maxDepth)
    return { kind: "problem", message: `the document is nested more than ${maxDepth} levels deep` };
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { ...options, lineCounter: lines });
    const [error] = document.errors;
    if (error !== undefined)
      return { kind: "problem", message: oneLine(error.message), ...position(lines, error.pos[0]) };
    const value: unknown = document.toJS({ maxAliasCount: maxAliases });
    return {
      kind: "value",
      value,
      warnings: document.warnings.map((warning) => ({
        message: oneLine(warning.message),
        ...position(lines, warning.pos[0]),
      })),
    };
  } catch (error) {
    return { kind: "problem", message: oneLine(error instanceof Error ? error.message : String(error)) };
  }
}

/** The line, from 1, where a path of a document stands, or the nearest that is there. */
export function lineOf(text: string, path: Path): number {
  const lines = new LineCounter();
  const [document] = parseAllDocuments(text, { ...options, lineCounter: lines });
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

function position(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

const oneLine = (message: string): string => message.split("\n", 1)[0]?.slice(0, 500) ?? "";

/** An upper bound of how deep flow collections and indentation go: the parser recurses and must not be led into its end. */
function depthOf(text: string): number {
  let flow = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === 0x5b || char === 0x7b) deepest = Math.max(deepest, ++flow);
    else if ((char === 0x5d || char === 0x7d) && flow > 0) flow--;
  }
  return Math.max(deepest, blockDepthOf(text));
}

/** Block collections nest by indentation, or by `- - -` and `? ? ?` in one line. */
function blockDepthOf(text: string): number {
  let deepest = 0;
  for (const line of text.split("\n")) {
    const lead = /^(?:[ \t]|[-?](?=[ \t]))*/.exec(line)?.[0].length ?? 0;
    deepest = Math.max(deepest, Math.ceil(lead / 2));
  }
  return deepest;
}
