import { hash } from "node:crypto";
import type { StoredKind } from "../../store/index.ts";
import { createLocator, lineOfFirstContent, parseText } from "./parse.ts";
import type { SourceProblem } from "./problem.ts";
import { type ReadObject, readObjects } from "./read-object.ts";
import { splitDocuments } from "./split.ts";

/** More than this is no manifest; it is not even read. */
export const maxFileBytes = 64 * 1024 * 1024;

/** What a file holds. Documents that have not changed as text are not read again: `previous` has them. */
export type FileContent = {
  readonly documents: readonly Document[];
  readonly byHash: ReadonlyMap<string, Document>;
  /** Some of it is no YAML: what it held before may only be missing for the moment. */
  readonly isBroken: boolean;
  /** Of the file as a whole. */
  readonly problems: readonly SourceProblem[];
};

export type Document = {
  readonly linesBefore: number;
  readonly hash: string;
  readonly reading: Reading;
};

/** Lines count from 1, in the document. */
type Reading = {
  readonly objects: readonly (ReadObject & { readonly line: number })[];
  readonly problems: readonly (Omit<SourceProblem, "file" | "line"> & { readonly line: number })[];
  readonly isBroken: boolean;
};

const nothing: FileContent = { documents: [], byHash: new Map(), isBroken: true, problems: [] };

/** A file whose content could not be had, for a reason in words. */
export const unreadable = (file: string, message: string): FileContent => ({
  ...nothing,
  problems: [{ severity: "error", file, message }],
});

export const tooLarge = (file: string): FileContent =>
  unreadable(file, `the file is larger than ${maxFileBytes / 1024 / 1024} MiB`);

export function readContent(file: string, bytes: Uint8Array, previous?: FileContent): FileContent {
  if (bytes.length > maxFileBytes) return tooLarge(file);
  const text = decode(bytes);
  if (text === undefined) return unreadable(file, "the file is not UTF-8 text");
  const documents = splitDocuments(text).map(({ text: part, linesBefore }): Document => {
    const digest = hash("sha1", part, "base64");
    return { linesBefore, hash: digest, reading: previous?.byHash.get(digest)?.reading ?? readDocument(part) };
  });
  return {
    documents,
    byHash: new Map(documents.map((document) => [document.hash, document])),
    isBroken: documents.some(({ reading }) => reading.isBroken),
    problems: [],
  };
}

/** UTF-8 with or without a byte order mark; undefined for anything else. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function readDocument(text: string): Reading {
  const parsed = parseText(text);
  if (parsed.kind === "problem") return broken(parsed);
  const { objects, problems } = readObjects(parsed.value);
  const firstLine = lineOfFirstContent(text);
  const lineOf = createLocator(text, firstLine);
  return {
    objects: objects.map((object) => ({ ...object, line: firstLine })),
    problems: problems.map(({ path, ...problem }) => ({ ...problem, line: lineOf(path) })),
    isBroken: false,
  };
}

const broken = ({
  message,
  line = 1,
  column,
}: {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}): Reading => ({
  objects: [],
  problems: [{ severity: "error", message, line, ...(column !== undefined && { column }) }],
  isBroken: true,
});

/** Where an object stands. */
export type Place = { readonly file: string; readonly line: number };

export const objectName = (kind: StoredKind, key: string): string => `${kind} ${key}`;
