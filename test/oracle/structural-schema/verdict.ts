import { applyDefaults, prune, type Schema, unknownFields, validate } from "@gatewright/crd-types/schema";

/** What becomes of a value: the fields that are not known, the value with its defaults, and why it is refused. */
export type Verdict = {
  readonly unknown: readonly string[];
  readonly defaulted: unknown;
  readonly problems: readonly string[];
};

export function ourVerdict(schema: Schema, value: unknown): Verdict {
  const defaulted = applyDefaults(schema, prune(schema, value));
  return {
    unknown: unknownFields(schema, value)
      .map(({ message }) => message.slice('unknown field "'.length, -1))
      .toSorted(),
    defaulted: sorted(defaulted),
    problems: comparable(validate(schema, defaulted).map(({ message }) => message)),
  };
}

export const theirVerdict = ({ unknown, defaulted, problems }: Verdict): Verdict => ({
  unknown: unknown.toSorted(),
  defaulted: sorted(defaulted),
  problems: comparable(problems),
});

/**
 * The API server has lost the path of some problems (`<nil>: …`), which we tell; it counts one twice here and there; and
 * inside maps it writes `labels[a]` for some and `labels.a` for others. Its
 * JSON is written for HTML.
 */
function comparable(problems: readonly string[]): readonly string[] {
  const pathless = /^\S*: (Invalid value: "": (?:Checked value|"[^"]*" must|must validate))/;
  const texts = problems.map((text) =>
    text
      .replace(pathless, "$1")
      .replaceAll(/\[([a-z]\w*)\]/gi, ".$1")
      .replaceAll(/\\u00(3c|3e|26)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
  return [...new Set(texts)].toSorted();
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

/**
 * kube-openapi takes a list for a string that has a format. We do not: a program that reads the string would break. And
 * of alternatives that all fail, which is nearest is a matter of taste.
 */
export function isKnownDifference(ours: Verdict, theirs: Verdict): boolean {
  if (theirs.problems.some((problem) => problem.includes("Found none valid"))) return ours.problems.length > 0;
  const onlyOurs = ours.problems.filter((problem) => !theirs.problems.includes(problem));
  const isStricter = theirs.problems.every((problem) => ours.problems.includes(problem));
  return isStricter && onlyOurs.every((problem) => problem.endsWith(' in body must be of type string: "array"'));
}
