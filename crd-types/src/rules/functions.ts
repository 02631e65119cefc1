import type { parse } from "@bufbuild/cel";
import { environment } from "./environment.ts";

/** Operators and macros that are no functions of the environment. */
const syntax: ReadonlySet<string> = new Set(["_&&_", "_||_", "_?_:_", "_[_]", "@not_strictly_false", "_==_", "_!=_"]);

/** Whether a function, or a method, can be called by this name; `format.dns1123Label` is one too. */
export const isKnownFunction = (name: string): boolean =>
  syntax.has(name) ||
  environment.funcs.find(name) !== undefined ||
  [...environment.funcs].some((func) => func.name.endsWith(`.${name}`));

/** The names of all functions that an expression calls. */
export function calledFunctions(expression: ReturnType<typeof parse>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) return value.forEach(visit);
    const name: unknown = Reflect.get(value, "function");
    if (typeof name === "string" && name !== "") found.add(name);
    Object.values(value).forEach(visit);
  };
  visit(expression.expr);
  return found;
}
