import { formatOf, heededFormat } from "./formats.ts";

import { reportInvalid, reportTooLong, reportType } from "./problem.ts";
import { compilePattern, type Matcher } from "./regexp/index.ts";
import type { Schema } from "./schema.ts";
import type { Validator } from "./validator.ts";

// The same few patterns stand everywhere in the CRDs.
const matchers = new Map<string, Matcher>();

function matcherOf(pattern: string): Matcher {
  let matcher = matchers.get(pattern);
  if (matcher === undefined) {
    matcher = compilePattern(pattern);
    matchers.set(pattern, matcher);
  }
  return matcher;
}

export function compileString(schema: Schema): Validator | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = "" } = schema;
  const matcher = pattern === "" ? undefined : matcherOf(pattern);
  const formatName = heededFormat(schema) ?? "";
  const format = formatOf(formatName);
  if (minLength === 0 && maxLength === Number.POSITIVE_INFINITY && matcher === undefined && format === undefined)
    return undefined;

  return (value, findings) => {
    if (typeof value !== "string") return;
    // The pattern is only tried on what has the right length: that bounds its cost too.
    if (isLongerThan(value, maxLength)) reportTooLong(findings, maxLength);
    else if (minLength > 0 && !isLongerThan(value, minLength - 1))
      reportInvalid(findings, value, `should be at least ${minLength} chars long`);
    else if (matcher !== undefined && !matcher.test(value)) reportInvalid(findings, value, `should match '${pattern}'`);
    if (format !== undefined && !format(value)) reportType(findings, formatName, value);
  };
}

/** Counts characters, not UTF-16 units, and only where the difference can matter. */
function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    if ((text.codePointAt(index) ?? 0) > 0xffff) index++;
    count++;
  }
  return count > max;
}
