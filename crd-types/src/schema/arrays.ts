import { canonicalJson } from "./go-text.ts";
import { type Findings, isFull, reportDuplicate, reportInvalid, reportInvalidBare, reportTooMany } from "./problem.ts";
import type { Schema } from "./schema.ts";
import { has, isObject } from "./types.ts";
import type { Validator } from "./validator.ts";

export function compileArray(schema: Schema, compile: (schema: Schema) => Validator): Validator | undefined {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = schema;
  const checkItem = items === undefined ? undefined : compile(items);
  const checkList = compileListType(schema);

  return (value, findings) => {
    if (!Array.isArray(value)) return;
    if (checkItem !== undefined) {
      const depth = findings.path.length;
      for (let index = 0; index < value.length && !isFull(findings); index++) {
        findings.path[depth] = index;
        checkItem(value[index], findings);
      }
      findings.path.length = depth;
    }
    if (value.length < minItems) reportInvalid(findings, value.length, `should have at least ${minItems} items`);
    if (value.length > maxItems) reportTooMany(findings, value.length, maxItems);
    if (uniqueItems && new Set(value.map(canonicalJson)).size < value.length)
      reportInvalid(findings, "", "shouldn't contain duplicates");
    checkList?.(value, findings);
  };
}

type ListCheck = (list: readonly unknown[], findings: Findings) => void;

/** `x-kubernetes-list-type`: no element of a set, and no key of a map, may come twice. */
function compileListType(schema: Schema): ListCheck | undefined {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  switch (schema["x-kubernetes-list-type"]) {
    case "set":
      return (list, findings) => reportRepeated(list, findings);
    case "map":
      return (list, findings) => {
        const odd = list.findIndex((item) => item !== null && !isObject(item));
        if (odd === -1)
          reportRepeated(
            list.map((item) => keyOf(item, keys)),
            findings,
          );
        else
          at(findings, odd, () =>
            reportInvalidBare(findings, list[odd], "must be an object for an array of list-type map"),
          );
      };
    default:
      return undefined;
  }
}

function keyOf(item: unknown, keys: readonly string[]): unknown {
  if (!isObject(item)) return {};
  return Object.fromEntries(keys.flatMap((key) => (has(item, key) ? [[key, item[key]]] : [])));
}

/** Says of each value that comes more than once where it comes the second time. */
function reportRepeated(values: readonly unknown[], findings: Findings): void {
  if (values.length < 2) return;
  const times = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const text = canonicalJson(value);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before === 1) at(findings, index, () => reportDuplicate(findings, value));
  }
}

function at(findings: Findings, index: number, say: () => void): void {
  findings.path.push(index);
  say();
  findings.path.pop();
}
