/** Where a document stands in the text of a file. */
export type Section = {
  readonly text: string;
  /** Offset of its first character. */
  readonly start: number;
};

/**
 * Divides a file into documents by text alone, so that unchanged ones need no parsing. A line that begins with `---` or `...`
 * ends a document wherever it stands, in block scalars and quotes too: https://yaml.org/spec/1.2.2/#912-document-markers
 * Sections without content are left out.
 */
export function splitDocuments(text: string): readonly Section[] {
  const sections: Section[] = [];
  let start = 0;
  let search = 0;
  const add = (end: number) => {
    const section = text.slice(start, end);
    if (hasContent(section)) sections.push({ text: section, start });
  };
  for (;;) {
    const marker = nextMarker(text, search);
    if (marker === undefined) break;
    add(marker);
    // What follows `---` on its line belongs to the document; `...` stands alone.
    start = marker + 3;
    search = start;
  }
  add(text.length);
  return sections;
}

function nextMarker(text: string, from: number): number | undefined {
  if (from === 0 && isMarker(text, 0)) return 0;
  // One search for each sort of marker; files with `...` are rare, and those without pay for one search in all.
  for (let at = from; ; ) {
    const dashes = text.indexOf("\n---", at);
    const dots = dotsBetween(text, at, dashes === -1 ? text.length : dashes);
    if (dots !== undefined) return dots;
    if (dashes === -1) return undefined;
    if (isMarker(text, dashes + 1)) return dashes + 1;
    at = dashes + 4;
  }
}

function dotsBetween(text: string, from: number, to: number): number | undefined {
  for (let dots = text.indexOf("\n...", from); dots !== -1 && dots < to; dots = text.indexOf("\n...", dots + 4))
    if (isMarker(text, dots + 1)) return dots + 1;
  return undefined;
}

function isMarker(text: string, at: number): boolean {
  const mark = text.slice(at, at + 3);
  if (mark !== "---" && mark !== "...") return false;
  const next = text[at + 3];
  return next === undefined || next === "\n" || next === "\r" || next === " " || next === "\t";
}

/** Whether there is anything but blank lines, comments and directives. */
function hasContent(section: string): boolean {
  return /^(?![ \t]*(?:#|\r?$)|%)/m.test(section);
}
