import type { Placed } from "./parse.ts";

/**
 * Says more where the mistake is most likely one of YAML: the message tells what came of it, in a place that may look right.
 *
 * https://yaml.org/type/bool.html has the words that are no text.
 */
export function hintFor(message: string, { source, lineText }: Placed): string {
  const mismatch = /must be of type (\w+): "(\w+)"$/.exec(message);
  if (mismatch !== null) {
    const [, wanted, found = ""] = mismatch;
    const what = unquoted[found];
    if (wanted === "string" && what !== undefined && source !== undefined)
      return ` (without quotes, ${source} is ${what}: put it in quotes)`;
    const glued = /^([A-Za-z][\w./-]*):\S/.exec(source ?? "")?.[1];
    if (found === "string" && wanted !== "string" && glued !== undefined)
      return ` (a space is missing after "${glued}:")`;
  }
  if (/^unknown field "(?:.*\.)?-/.test(message)) return " (a space is missing after the dash)";
  if (lineText.includes("\u00A0")) return " (there is a no-break space in this line, U+00A0, where a space should be)";
  const quote = /(?<=[\s,:[{-])[\u201C\u201D\u201E\u2018\u2019]/.exec(lineText)?.[0];
  if (quote !== undefined) return ` (${quote} is no quote to YAML: it takes " and ')`;
  return "";
}

const unquoted: Readonly<Record<string, string>> = {
  boolean: "a boolean",
  integer: "a number",
  number: "a number",
};
