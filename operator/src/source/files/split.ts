/** A document of a file, as text. */
export type DocumentText = {
  readonly text: string;
  /** Lines of the file before its first one. */
  readonly linesBefore: number;
};

/**
 * Divides YAML into documents by their `---` lines, without parsing: what has not changed as text need not be read again.
 *
 * A `---` at the beginning of a line is a marker wherever it stands, in block scalars too (YAML 1.2, 9.1.2). Documents without content
 * are left out.
 */
export function splitDocuments(text: string): readonly DocumentText[] {
  const documents: DocumentText[] = [];
  let start = 0;
  let linesBefore = 0;
  let counted = 0;
  const end = (at: number) => {
    const part = text.slice(start, at);
    for (let next = text.indexOf("\n", counted); next !== -1 && next < start; next = text.indexOf("\n", counted)) {
      linesBefore++;
      counted = next + 1;
    }
    if (firstContent(part) !== -1) documents.push({ text: part, linesBefore });
    start = at;
  };
  for (let at = text.indexOf("---"); at !== -1; at = text.indexOf("---", at + 3)) {
    const before = text[at - 1];
    const after = text[at + 3];
    const isMarker =
      (at === 0 || before === "\n") &&
      (after === undefined || after === "\n" || after === "\r" || after === " " || after === "\t");
    if (isMarker && at > start) end(at);
  }
  end(text.length);
  return documents;
}

/** Offset of the first line that says something: neither blank nor a comment, a directive or a bare mark. -1 where none does. */
export const firstContent = (text: string): number =>
  text.search(/^(?![ \t]*(?:#|\r?$)|(?:---|\.\.\.)[ \t]*(?:#|\r?$)|%)/m);
