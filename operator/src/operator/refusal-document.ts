import type { ConfigMap } from "@gatewright/crd-types/core/v1";
import { isFields } from "../lib/index.ts";
import type { SharedRefusal } from "../reconcile/index.ts";

/** Whom a replica tells by an object of its own what its Envoys refuse. */
export const refusalsPrefix = "gatewright-refusals-";
export const refusalsLabel = "gatewright.dev/refusals";
export const renewedAnnotation = "gatewright.dev/renewed-at";
/** The release of the replica: another one may make of an object what Envoys take. */
export const versionAnnotation = "gatewright.dev/version";

/** So many are told and read at most: some 200 kB. */
const maxRefusals = 200;
/** More than any name or message that a replica writes, less than what is not read of a ConfigMap. */
const maxLength = 2_048;

/** The name of a replica's object. Hosts may have names that objects may not. */
export const refusalsName = (instance: string): string =>
  `${refusalsPrefix}${instance.toLowerCase().replaceAll(/[^a-z0-9-]/g, "-")}`.slice(0, 253).replace(/-+$/, "");

export type RefusalDocument = {
  /** One refusal a key: large values are not read. */
  readonly data: Readonly<Record<string, string>>;
  /** How many found no place in it. */
  readonly leftOut: number;
};

/** The same refusals make the same document, in whatever order. */
export function encodeRefusals(refusals: readonly SharedRefusal[]): RefusalDocument {
  const texts = refusals
    .map(({ of, key, content, message }) => JSON.stringify({ of, key, content, message }))
    .filter((text) => text.length <= maxLength)
    .toSorted()
    .slice(0, maxRefusals);
  return {
    data: Object.fromEntries(texts.map((text, index) => [String(index), text])),
    leftOut: refusals.length - texts.length,
  };
}

export type RefusalReading =
  | { readonly kind: "refusals"; readonly refusals: readonly SharedRefusal[] }
  | { readonly kind: "unreadable"; readonly message: string };

/** Another replica may be older or newer, and others may write in its name: nothing is taken for granted. */
export function decodeRefusals({ data = {} }: Pick<ConfigMap, "data">): RefusalReading {
  const texts = Object.entries(data);
  if (texts.length > maxRefusals)
    return { kind: "unreadable", message: `it has ${texts.length} refusals, more than ${maxRefusals}` };
  const refusals: SharedRefusal[] = [];
  for (const [at, text] of texts) {
    const refusal = text.length <= maxLength ? parse(text) : undefined;
    if (refusal === undefined) return { kind: "unreadable", message: `data.${at} is no refusal` };
    refusals.push(refusal);
  }
  return { kind: "refusals", refusals };
}

function parse(text: string): SharedRefusal | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isRefusal(value) ? value : undefined;
}

function isRefusal(value: unknown): value is SharedRefusal {
  if (!isFields(value)) return false;
  const { of, key, content, message } = value;
  return (
    (of === "listener" || of === "object" || of === "cluster") &&
    [key, content, message].every((field) => typeof field === "string")
  );
}
