// The API server's messages are made by Go; these write values as Go does.

// Messages must not grow with what a stranger wrote.
const maxValueLength = 512;

/** As `strconv.Quote`, cut to a length that a person reads. */
export function quote(text: string): string {
  const shown = text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
  return `"${Array.from(shown, quoteChar).join("")}"`;
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quoteChar(char: string): string {
  const escape = escapes[char];
  if (escape !== undefined) return escape;
  if (char === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

/** The value as an error shows it. */
export function formatValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = canonicalJson(value);
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}

/** JSON with the keys in order, so that equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(",")}}`;
}
