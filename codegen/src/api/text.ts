/** Renders text of foreign origin as TypeScript. Nothing in it may end a comment or a string, or pass for a tag. */

/** The first line of every file that codegen writes. */
export const header = "// Written by `npm run generate` from the Go API types. Do not edit.\n";

/**
 * A doc comment, indented by `indent`, or the empty string when there is nothing to say.
 * `tags` are lines of our own, such as `@experimental`, that stay as they are apart from what would end the comment.
 */
export const docComment = (text: string, indent = "", tags: readonly string[] = []): string => {
  const lines = [...proseLines(text), ...tags.map((tag) => inert(tag).replaceAll("\n", " "))];
  if (lines.length === 0) return "";
  const [first, ...rest] = lines;
  if (rest.length === 0) return `${indent}/** ${first} */\n`;
  const body = lines.map((line) => `${indent} *${line === "" ? "" : ` ${line}`}\n`).join("");
  return `${indent}/**\n${body}${indent} */\n`;
};

const proseLines = (text: string): string[] => {
  const trimmed = text.trim();
  if (trimmed === "") return [];
  return inert(trimmed)
    .split("\n")
    .map((line) => untagged(line.trimEnd()));
};

// First what an editor or a compiler takes for the end of a line or does not show at all: gone, it may leave the end of a
// comment behind.
const inert = (text: string): string =>
  text
    .replaceAll(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    // oxlint-disable-next-line no-control-regex -- control characters are what is removed
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .replaceAll("*/", "*\\/");

// Go says `Deprecated: why`, TSDoc `@deprecated why`. Any other tag in foreign text is none.
const untagged = (line: string): string =>
  line
    .replaceAll("{@", "{\\@")
    .replace(/^(\s*)@/, "$1\\@")
    .replace(/^Deprecated: /, "@deprecated ");

/** A string, number or boolean as a literal. */
export const literal = (value: string | number | boolean): string =>
  JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** A property name, quoted where it is not an identifier. */
export const propertyName = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name));
