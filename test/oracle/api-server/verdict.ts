import { readContent } from "../../../operator/src/source/files/file-content.ts";
import { parseText } from "../../../operator/src/source/files/parse.ts";
import type { Case } from "./corpus.ts";

/** What becomes of a text: the JSON that it stands for, bytes that are kept, and why it is refused. */
export type Verdict = {
  readonly json?: unknown;
  readonly data?: Readonly<Record<string, string | null>>;
  readonly problems: readonly string[];
};

export function ourVerdict({ text, kind }: Case): Verdict {
  if (kind === undefined) {
    const parsed = parseText(text);
    return parsed.kind === "value" ? { json: parsed.value, problems: [] } : { problems: [parsed.message] };
  }
  const { documents } = readContent("a.yaml", Buffer.from(text));
  const [reading] = documents.map((document) => document.reading);
  const problems = (reading?.problems ?? [])
    .filter(({ severity }) => severity === "error")
    .map(({ message }) => message);
  const object: object = reading?.objects[0]?.object ?? {};
  const data: unknown = Reflect.get(object, kind === "Secret" ? "data" : "binaryData");
  return { problems, ...(isRecord(data) ? { data } : {}) };
}

const isRecord = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" && value !== null;

/** What of a verdict must be the same. Texts alone: the value. Objects: whether they are taken, the bytes, and what rules say. */
export function essence(verdict: Verdict, { kind }: Case): unknown {
  const { json, data = {}, problems } = verdict;
  if (kind === undefined) return problems.length > 0 ? "refused" : { json };
  if (problems.length > 0) return { refused: isOfRules(problems) ? problems.map(plain).toSorted() : true };
  return { data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, text ?? ""])) };
}

/** Only rules are compared word by word: what else refuses an object is said in one way by schemas and in another by Go's types. */
const isOfRules = (problems: readonly string[]): boolean =>
  problems.every((problem) => /^spec\S*: Invalid value: (?!"(?:object|array|string|integer)": spec)/.test(problem)) &&
  problems.every((problem) => !/ in body |RFC 1123|must be|may not|'None'/.test(problem));

/** Go writes JSON for HTML, and adds examples to what names must be. */
const plain = (problem: string): string =>
  problem
    .replace(/ \(e\.g\. .*$/, "")
    .replaceAll(/\\u00(3c|3e|26)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/**
 * Where we mean to differ. Duplicate keys are a mistake, though kubectl takes the last. Endpoints on loopback are what one machine has. And
 * a name is needed where nobody makes one up.
 */
export const isMeantToDiffer = ({ text }: Case): boolean => /127\.0\.0\.1|"?::1"?|generateName/.test(text);
