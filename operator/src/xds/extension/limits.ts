import { isPlainObject } from "./json.ts";

/** Far beyond any sensible configuration of a route, and checked in a few hundred milliseconds. It is sent with every route that takes it. */
export const maxTextLength = 256 * 1024;
export const maxValues = 20_000;
/** Envoy's own parsers stop at 100. */
export const maxDepth = 50;

/** Says why a value is too large to be looked at further. Does not recurse, since the depth is not yet known to be small. */
export function sizeProblem(root: unknown): string | undefined {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  let values = 0;
  let text = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    values++;
    if (depth > maxDepth) return `is nested more than ${maxDepth} levels deep`;
    if (typeof value === "string") text += value.length;
    else if (Array.isArray(value)) for (const item of value) open.push({ value: item, depth: depth + 1 });
    else if (isPlainObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        text += key.length;
        open.push({ value: item, depth: depth + 1 });
      }
    }
    if (values + open.length > maxValues) return `has more than ${maxValues} values`;
    if (text > maxTextLength) return `has more than ${maxTextLength / 1024} KiB of text`;
  }
  return undefined;
}
