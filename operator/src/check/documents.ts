import type { Path } from "@gatewright/crd-types/schema";
import { createLocator } from "../source/index.ts";

/** A document of a file, and where things are in it. */
export type Document = {
  readonly file: string;
  /** Where the field stands, or its nearest parent that is there; also what the line and the scalar look like. */
  readonly locate: (path: Path) => Located;
};

export type Located = {
  readonly line: number;
  readonly column: number;
  readonly lineText: string;
  readonly source?: string;
};

/** Nothing is looked for until it is asked for. */
export function createDocument(file: string, text: string, linesBefore: number): Document {
  let locator: ReturnType<typeof createLocator> | undefined;
  return {
    file,
    locate: (path) => {
      locator ??= createLocator(text);
      const place = locator(path);
      return { ...place, line: linesBefore + place.line };
    },
  };
}

/** An object as it is written in the files. */
export type WrittenObject = {
  readonly document: Document;
  /** Where in the document: objects may be items of a List. */
  readonly path: Path;
  readonly value: Readonly<Record<string, unknown>>;
};

const part = /\.?([^.[\]]+)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\[([^\]]+)\]/y;

/** Reads `spec.rules[0].matches` and `metadata.labels[a/b]`. What cannot be read ends the path: its parent is told then. */
export function parsePath(text: string): Path {
  const path: (string | number)[] = [];
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) break;
    const [, name, index, quoted, key] = match;
    path.push(index === undefined ? (name ?? quoted ?? key ?? "") : Number(index));
  }
  return path;
}
