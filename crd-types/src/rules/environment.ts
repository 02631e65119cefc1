import { type CelEnv, celEnv, celFunc, celMethod, CelScalar, listType } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { compilePattern, type Matcher } from "../schema/index.ts";
import { addressFunctions } from "./addresses.ts";
import { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from "./names.ts";

const { BOOL, DYN, STRING } = CelScalar;
const texts = listType(STRING);

/**
 * What the API server adds to CEL, as far as the rules of our kinds use it; rules that need more fail their test.
 * https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-cel-libraries
 */
const formats = {
  dns1123Label: labelFaults,
  dns1123Subdomain: subdomainFaults,
  qualifiedName: qualifiedNameFaults,
  labelValue: labelValueFaults,
} as const;

const isFormat = (name: unknown): name is keyof typeof formats => typeof name === "string" && name in formats;

const functions = [
  ...addressFunctions,
  ...Object.keys(formats).map((name) => celFunc(`format.${name}`, [], STRING, () => name)),
  celMethod("validate", STRING, [STRING], texts, function validate(text) {
    if (!isFormat(this)) throw new Error(`no such format: ${this}`);
    return formats[this](text);
  }),
  // Of the optional list that a format answers with.
  celMethod("hasValue", listType(DYN), [], BOOL, function hasValue() {
    return this.size > 0;
  }),
];

const matchers = new Map<string, Matcher>();

/** Patterns are compiled once, and take time in proportion to the text. */
function matcherOf(pattern: string): Matcher {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const made = compilePattern(pattern);
  matchers.set(pattern, made);
  return made;
}

export const environment: CelEnv = celEnv({ funcs: [...strings, ...functions], re2: { compile: matcherOf } });
