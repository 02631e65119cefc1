import { create, type DescEnum, ScalarType } from "@bufbuild/protobuf";
import { type Duration, DurationSchema } from "@bufbuild/protobuf/wkt";
import type {
  DurationRules,
  EnumRules,
  FieldRules,
  StringRules,
} from "@gatewright/crd-types/proto/validate/validate_pb";

/** Values for one field. Only the oracle says which of them the rules allow. */
export type Values<T> = {
  /** One that should be allowed, to build the rest of a message around. */
  readonly good: T;
  /** Those at and around the borders of the rules, allowed and not. */
  readonly edges: readonly T[];
};

type Scalar = string | boolean | number | bigint | Uint8Array;

const known = new Map<FieldRules | undefined, Map<ScalarType, Values<Scalar>>>();

export function scalarValues(scalar: ScalarType, rules: FieldRules | undefined): Values<Scalar> {
  const byType = known.get(rules) ?? new Map<ScalarType, Values<Scalar>>();
  known.set(rules, byType);
  const values = byType.get(scalar) ?? findScalarValues(scalar, rules);
  byType.set(scalar, values);
  return values;
}

function findScalarValues(scalar: ScalarType, rules: FieldRules | undefined): Values<Scalar> {
  switch (scalar) {
    case ScalarType.STRING:
      return stringValues(rules?.type.case === "string" ? rules.type.value : undefined);
    case ScalarType.BOOL:
      return { good: true, edges: [true, false] };
    case ScalarType.BYTES:
      return bytesValues(rules);
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return numberValues(rules, [0, 1, -1], 0.5, Number.MAX_VALUE);
    case ScalarType.INT64:
    case ScalarType.UINT64:
    case ScalarType.SINT64:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return wideValues(rules, scalar === ScalarType.UINT64 || scalar === ScalarType.FIXED64);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return numberValues(rules, [0, 1, 2 ** 32 - 1], 1, 2 ** 32 - 1, 0);
    default:
      return numberValues(rules, [0, 1, -1, 2 ** 31 - 1], 1, 2 ** 31 - 1);
  }
}

const samples = ["a", "/a", "a/b", "GET", "%a%", "x.mmdb", "1.2.3.4", "http", "", "0"];
const oddities = [
  "",
  "a\n",
  "a\r",
  "a\0",
  "a\tb",
  "\u007f",
  "é",
  "😀",
  "a b",
  "/a?b",
  "/a#",
  "/a/",
  "%",
  "%%",
  ":path",
  "A-b_c~",
  "a,b",
];

function stringValues(rules: StringRules | undefined): Values<string> {
  const min = Number(rules?.minLen ?? 0n);
  const minBytes = Number(rules?.minBytes ?? 0n);
  const maxima = [rules?.maxLen, rules?.maxBytes].filter((max) => max !== undefined && max > 0n).map(Number);
  const pool = [...(rules?.in ?? []), ...samples, "x".repeat(Math.max(min, minBytes))];
  const allowed = (text: string) =>
    text.length >= Math.max(min, minBytes) &&
    maxima.every((max) => text.length <= max) &&
    text.startsWith(rules?.prefix ?? "") &&
    text.endsWith(rules?.suffix ?? "") &&
    (rules === undefined || rules.in.length === 0 || rules.in.includes(text)) &&
    (rules?.pattern === undefined || rules.pattern === "" || new RegExp(rules.pattern).test(text));
  const lengths = [min, minBytes, ...maxima].filter((length) => length > 0);
  const sized = lengths.flatMap((length) =>
    [length - 1, length, length + 1].flatMap((size) => [
      "x".repeat(size),
      "é".repeat(size),
      "é".repeat(Math.ceil(size / 2)),
    ]),
  );
  return { good: pool.find(allowed) ?? "a", edges: [...new Set([...pool, ...oddities, ...sized])] };
}

function bytesValues(rules: FieldRules | undefined): Values<Uint8Array> {
  const bounds = rules?.type.case === "bytes" ? [rules.type.value.minLen, rules.type.value.maxLen] : [];
  const lengths = bounds.map(Number).flatMap((length) => [length - 1, length, length + 1]);
  const edges = [0, 1, ...lengths].filter((length) => length >= 0).map((length) => new Uint8Array(length));
  return { good: new Uint8Array(Math.max(1, Number(bounds[0] ?? 0n))), edges };
}

/** The borders that any rules for numbers name. */
function bordersOf(rules: FieldRules | undefined): readonly (number | bigint)[] {
  const value: object = rules?.type.value ?? {};
  const set = new Map<string, unknown>(Object.entries(value));
  const borders: (number | bigint)[] = [];
  for (const name of ["gte", "gt", "lte", "lt", "const"]) {
    const border = set.get(name);
    if (typeof border === "number" || typeof border === "bigint") borders.push(border);
  }
  return borders;
}

function numberValues(
  rules: FieldRules | undefined,
  common: readonly number[],
  step: number,
  max: number,
  min = -max - 1,
): Values<number> {
  const borders = bordersOf(rules).map(Number);
  const near = borders.flatMap((border) => [border, border + step, border - step]);
  const edges = [...near, ...common].filter((value) => value >= min && value <= max);
  const good = edges.find((value) => withinRules(value, rules));
  return { good: good ?? 1, edges: [...new Set(edges)] };
}

function wideValues(rules: FieldRules | undefined, unsigned: boolean): Values<bigint> {
  const near = bordersOf(rules).flatMap((border) => [BigInt(border), BigInt(border) + 1n, BigInt(border) - 1n]);
  const edges = [...near, 0n, 1n, 2n ** 63n - 1n].filter((value) => value >= (unsigned ? 0n : -(2n ** 63n)));
  return { good: edges.find((value) => withinRules(value, rules)) ?? 1n, edges: [...new Set(edges)] };
}

function withinRules(value: number | bigint, rules: FieldRules | undefined): boolean {
  const limits = new Map<string, unknown>(Object.entries(rules?.type.value ?? {}));
  const limit = (name: string) => {
    const found = limits.get(name);
    return typeof found === "number" || typeof found === "bigint" ? found : undefined;
  };
  const [gte, gt, lte, lt] = [limit("gte"), limit("gt"), limit("lte"), limit("lt")];
  return (
    (gte === undefined || value >= gte) &&
    (gt === undefined || value > gt) &&
    (lte === undefined || value <= lte) &&
    (lt === undefined || value < lt)
  );
}

export function enumValues(desc: DescEnum, rules: EnumRules | undefined): Values<number> {
  const defined = desc.values.map(({ number }) => number);
  const good = defined.find((number) => rules === undefined || !rules.notIn.includes(number)) ?? 0;
  return { good, edges: [...new Set([0, -1, 12_345, ...(rules?.notIn ?? []), ...defined])] };
}

export function durationValues(rules: DurationRules | undefined): Values<Duration> {
  const at = (nanos: bigint) =>
    create(DurationSchema, { seconds: nanos / 1_000_000_000n, nanos: Number(nanos % 1_000_000_000n) });
  const borders = [rules?.gte, rules?.gt, rules?.lte, rules?.lt].flatMap((border) =>
    border === undefined ? [] : [border.seconds * 1_000_000_000n + BigInt(border.nanos)],
  );
  const near = borders.flatMap((border) => [border, border + 1n, border - 1n]);
  const least = rules?.gte ?? rules?.gt;
  const good =
    least === undefined
      ? (borders[0] ?? 1_000_000_000n) - 1n
      : least.seconds * 1_000_000_000n + BigInt(least.nanos) + 1n;
  const edges = [...near, 0n, 1n, -1n, 1_500_000_000n].map(at);
  const broken = [
    create(DurationSchema, { seconds: 1n, nanos: 1_000_000_000 }),
    create(DurationSchema, { seconds: 1n, nanos: -1 }),
    create(DurationSchema, { seconds: 315_576_000_001n }),
  ];
  // protoc-gen-validate looks at a duration only where it has rules; we look at all, so the oracle is asked there alone.
  return { good: at(good < 0n ? 0n : good), edges: rules === undefined ? edges : [...edges, ...broken] };
}
