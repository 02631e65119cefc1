import { importLine, namespaceOf } from "./emit-module.ts";
import type { Kind } from "./model.ts";
import { header, literal } from "./text.ts";

const preamble = `
/** What is known of a kind of object. */
export type KindInfo = {
  /** Names the kind in tables and stores; no two kinds share it, whatever their groups. */
  readonly id: string;
  /** Empty for the core group. */
  readonly group: string;
  /** The newest stable version: the one in which objects are held. */
  readonly version: string;
  /** \`group/version\`, or \`version\` alone for the core group. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  /** Whether status is a subresource. */
  readonly hasStatus: boolean;
  /** Who defines the kind: the Gateway API's CRDs, our own CRDs, or the API server itself. */
  readonly source: "gateway" | "gatewright" | "kubernetes";
  /** The lowest release channel of the Gateway API that carries the kind. */
  readonly channel?: "standard" | "experimental";
  /** All versions that are known, newest first. */
  readonly versions: readonly KindVersion[];
};

export type KindVersion = {
  readonly name: string;
  /** For the Gateway API: in the experimental channel. The standard one serves no alpha versions. */
  readonly served: boolean;
  /** Whether the API server keeps objects in this version. */
  readonly storage: boolean;
  readonly deprecated: boolean;
};
`;

/** The module \`kinds\`: one table of all kinds, and the interface of each by its id. */
export const emitKinds = (kinds: readonly Kind[]): string => {
  const modules = [...new Set(kinds.map((kind) => kind.module))].toSorted();
  const entries = kinds.map((kind) => `  ${kind.kind}: ${entry(kind)},\n`).join("");
  const interfaces = kinds
    .map((kind) => `  readonly ${kind.kind}: ${namespaceOf(kind.module)}.${kind.kind};\n`)
    .join("");
  return [
    header,
    ...modules.map((module) => importLine("kinds", module)),
    preamble,
    `/** All kinds by their id. */\nexport const kinds = {\n${entries}} as const satisfies { readonly [id: string]: KindInfo };\n`,
    `/** The interface of the objects of each kind. */\nexport interface KindMap {\n${interfaces}}\n`,
    "/** The id of a kind. */\nexport type KindName = keyof KindMap;\n",
    "/** An object of any kind. */\nexport type AnyKind = KindMap[KindName];\n",
  ].join("\n");
};

const entry = (kind: Kind): string => {
  const info = {
    id: kind.kind,
    group: kind.group,
    version: kind.version,
    apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    plural: kind.plural,
    singular: kind.singular,
    listKind: kind.listKind,
    shortNames: kind.shortNames,
    categories: kind.categories,
    scope: kind.namespaced ? "Namespaced" : "Cluster",
    hasStatus: kind.hasStatus,
    source: kind.source,
    ...(kind.channel === undefined ? {} : { channel: kind.channel }),
    versions: kind.versions.map(({ name, served, storage, deprecated }) => ({ name, served, storage, deprecated })),
  };
  return valueText(info);
};

/** Plain data as TypeScript. */
const valueText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, item]) => `${key}: ${valueText(item)}`)
      .join(", ")} }`;
  }
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return literal(value);
  throw new TypeError(`${typeof value} cannot be written as TypeScript`);
};
