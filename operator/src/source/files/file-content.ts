import { hash } from "node:crypto";
import type { StoredKind } from "../../store/index.ts";
import { decode } from "./decode.ts";
import { hintFor } from "./hints.ts";
import { createLocator, lineOfFirstContent, parseText } from "./parse.ts";
import type { SourceProblem } from "./problem.ts";
import { type ReadObject, readObjects } from "./read-object.ts";
import { type DocumentText, splitDocuments } from "./split.ts";

/** More than this is no manifest; it is not even read. */
export const maxFileBytes = 64 * 1024 * 1024;

/** Of a file with more documents than these the rest is not read. */
const maxDocuments = 100_000;

/** Of so many problems of a file it is said what and where they are; the others are only counted. */
export const maxToldProblems = 100;

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
  /** Nobody has looked where its problems are: those before it were enough. */
  readonly isBrief: boolean;
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
  if (typeof text !== "string") return { ...nothing, problems: [{ severity: "error", file, ...text }] };
  const parts = splitDocuments(text);
  const documents = readDocuments(parts.slice(0, maxDocuments), previous);
  const isTooMuch = parts.length > maxDocuments;
  const message = `the file has ${parts.length} documents: those after the first ${maxDocuments} are not read`;
  return {
    documents,
    byHash: new Map(documents.map((document) => [document.hash, document])),
    isBroken: isTooMuch || documents.some(({ reading }) => reading.isBroken),
    problems: isTooMuch ? [{ severity: "error", file, message }] : [],
  };
}

function readDocuments(parts: readonly DocumentText[], previous: FileContent | undefined): readonly Document[] {
  let problemCount = 0;
  return parts.map(({ text, linesBefore }) => {
    const digest = hash("sha1", text, "base64");
    const isBrief = problemCount >= maxToldProblems;
    const known = previous?.byHash.get(digest)?.reading;
    const reading = known !== undefined && (isBrief || !known.isBrief) ? known : readDocument(text, isBrief);
    problemCount += reading.problems.length;
    return { linesBefore, hash: digest, reading };
  });
}

function readDocument(text: string, isBrief: boolean): Reading {
  const parsed = parseText(text, isBrief);
  if (parsed.kind === "problem") return { ...broken(text, parsed), isBrief };
  const { objects, problems } = readObjects(parsed.value);
  const firstLine = lineOfFirstContent(text);
  const locate = isBrief ? () => ({ line: firstLine, column: 1, lineText: "" }) : createLocator(text, firstLine);
  return {
    objects: objects.map((object) => ({ ...object, line: firstLine })),
    problems: problems.map((each) => {
      const { path, rule: _, message, ...problem } = each;
      const place = locate(path);
      return { ...problem, line: place.line, message: message + hintFor(message, place) };
    }),
    isBroken: false,
    isBrief,
  };
}

function broken(
  text: string,
  { message, line = 1, column }: { readonly message: string; readonly line?: number; readonly column?: number },
): Omit<Reading, "isBrief"> {
  const object = guessObject(text);
  return {
    objects: [],
    problems: [
      {
        severity: "error",
        message,
        line,
        ...(column !== undefined && { column }),
        ...(object !== undefined && { object }),
      },
    ],
    isBroken: true,
  };
}

/** Which object a text seems to mean that cannot be read: its author knows it by that name. */
export function guessObject(text: string): string | undefined {
  const kind = /^kind: *(\w+)/m.exec(text)?.[1];
  if (kind === undefined || kind.endsWith("List")) return undefined;
  const metadata = /^metadata:(.*(?:\n[ \t].*)*)/m.exec(text)?.[1] ?? "";
  const valueOf = (field: string) =>
    new RegExp(`(?:^|[\\s{,])${field}: *["']?([a-z0-9][a-z0-9.-]*)`).exec(metadata)?.[1];
  const name = [valueOf("namespace"), valueOf("name")].filter((part) => part !== undefined).join("/");
  return name === "" ? kind : `${kind} ${name}`;
}

/** Where an object stands. */
export type Place = { readonly file: string; readonly line: number };

export const objectName = (kind: StoredKind, key: string): string => `${kind} ${key}`;
