// What plain words mean in YAML differs from reader to reader. Manifests are read by kubectl first, so here they mean what they mean there
// (sigs.k8s.io/yaml, which reads YAML 1.1 in the way of Go): `yes` and `on` are true, `0120` is 80 and `0o17` is 15, `1_000` is 1000,
// `12:30:45` and dates are text.
import { defineScalarTag, FAILSAFE_SCHEMA, mapTag, mergeTag, NOT_RESOLVED, type Schema, seqTag } from "js-yaml";

const words: ReadonlyMap<string, null | boolean> = new Map<string, null | boolean>([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** Numbers that JSON has not: kubectl refuses them, and so do we, where it is known where they stand. */
const beyondJson: ReadonlyMap<string, number> = new Map([
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, Number.NEGATIVE_INFINITY] as const),
]);

const integer = /^([-+]?)(?:0x([0-9a-f_]+)|0b([01_]+)|0o([0-7_]+)|0([0-7]+)|([1-9][0-9]*|0))$/i;
const real = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)(e[-+]?[0-9]+)?$/i;

/** A plain word that is a number; undefined: it is text. */
export function numberOf(source: string): number | undefined {
  const word = beyondJson.get(source);
  if (word !== undefined) return word;
  // What begins with a point is read without a look at underscores.
  const digits = source.startsWith(".") ? source : /^[-+0-9]/.test(source) ? source.replaceAll("_", "") : "";
  const parts = integer.exec(digits);
  if (parts !== null) {
    const [, sign, hex, binary, octal, oldOctal, decimal] = parts;
    const size = decimal ?? (hex && `0x${hex}`) ?? (binary && `0b${binary}`) ?? `0o${octal ?? oldOctal}`;
    const value = Number(size);
    return sign === "-" && value !== 0 ? -value : value;
  }
  if (!real.test(digits)) return undefined;
  const value = Number(digits);
  // Go reads no number that is too large for it.
  return Number.isFinite(value) ? value : undefined;
}

export const wordOf = (source: string): null | boolean | undefined => words.get(source);

const tag = (name: string) => `tag:yaml.org,2002:${name}`;
const never = () => false;

const nullTag = defineScalarTag(tag("null"), {
  implicit: true,
  implicitFirstChars: ["", "~", "n", "N"],
  resolve: (source) => (wordOf(source) === null ? null : NOT_RESOLVED),
  identify: never,
});

const boolTag = defineScalarTag(tag("bool"), {
  implicit: true,
  implicitFirstChars: "yYnNtTfFoO".split(""),
  resolve: (source) => wordOf(source) ?? NOT_RESOLVED,
  identify: never,
});

/** Integers and all other numbers are one to JSON. */
const numberTag = (name: string, implicit: boolean) =>
  defineScalarTag(tag(name), {
    implicit,
    implicitFirstChars: "-+.0123456789".split(""),
    resolve: (source) => numberOf(source) ?? NOT_RESOLVED,
    identify: never,
  });

/** Tags that say how to read a text are followed; of others only the text counts. */
const textTag = (name: string, matchByTagPrefix = false) =>
  defineScalarTag(name, { matchByTagPrefix, resolve: (source) => source, identify: never });

const binaryTag = defineScalarTag(tag("binary"), {
  resolve: (source) => Buffer.from(source, "base64").toString("utf8"),
  identify: never,
});

/** Keys are text in JSON: numbers and booleans are written out, and kubectl takes no others. */
const textMapTag = {
  ...mapTag,
  addPair: (map: Record<string, unknown>, key: unknown, value: unknown): string => {
    if (key === null) return "a key is missing before the colon";
    if (typeof key === "object") return "a key must be text, and this is a list or a mapping";
    return mapTag.addPair(map, typeof key === "number" ? keyOfNumber(key) : key, value);
  },
};

function keyOfNumber(key: number): string {
  if (Number.isNaN(key)) return ".nan";
  return Number.isFinite(key) ? String(key) : key > 0 ? ".inf" : "-.inf";
}

export const kubectlSchema: Schema = FAILSAFE_SCHEMA.withTags(
  nullTag,
  boolTag,
  numberTag("int", true),
  numberTag("float", false),
  mergeTag,
  binaryTag,
  textTag(tag("timestamp")),
  textTag("!", true),
  { ...seqTag, tagName: "!", matchByTagPrefix: true },
  { ...textMapTag, tagName: "!", matchByTagPrefix: true },
  textMapTag,
);
