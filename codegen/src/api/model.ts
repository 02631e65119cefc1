/** What the Go program `apitypes` prints. The shapes are those of codegen/go/internal/model/types.go. */
export type Model = {
  readonly modules: readonly Module[];
  readonly kinds: readonly Kind[];
  readonly features: readonly Feature[];
  readonly featureConstants: readonly Constant[];
  readonly crds: readonly CustomResourceDefinition[];
  /** OpenAPI schemas by kind, without descriptions. */
  readonly schemas: { readonly [kind: string]: unknown };
  /** Markers without effect, where those are let pass. */
  readonly warnings?: readonly string[];
};

/** Whether the model has its parts; their insides are the other program's affair. */
export const isModel = (value: unknown): value is Model =>
  typeof value === "object" &&
  value !== null &&
  ["modules", "kinds", "features", "featureConstants", "crds"].every((key) => Array.isArray(Reflect.get(value, key))) &&
  typeof Reflect.get(value, "schemas") === "object";

export type CustomResourceDefinition = {
  /** A release channel of the Gateway API, or `gatewright`. */
  readonly folder: string;
  readonly file: string;
  readonly definition: unknown;
};

export type Module = {
  readonly name: string;
  readonly package: string;
  readonly types: readonly Type[];
  readonly constants: readonly Constant[];
};

/** One exported type: exactly one of `struct`, `alias` and `enum` is set. */
export type Type = {
  readonly name: string;
  readonly doc: string;
  readonly struct?: Struct;
  readonly alias?: Ref;
  readonly enum?: Enum;
};

export type Struct = {
  /** Set, as `kind` is, for what stands alone as a document. */
  readonly apiVersion?: string;
  readonly kind?: string;
  /** Whether there may be fields beyond those that are known. */
  readonly open?: boolean;
  readonly extends: readonly Ref[];
  readonly fields: readonly Field[];
};

export type Literal = string | number | boolean;

export type Enum = {
  readonly base: "string" | "number";
  readonly values: readonly Literal[];
  /** Whether other values are valid too. */
  readonly open: boolean;
};

export type Field = {
  readonly name: string;
  readonly doc: string;
  readonly type: Ref;
  readonly optional: boolean;
  /** Whether the field may hold null. */
  readonly nullable?: boolean;
  readonly experimental?: boolean;
  readonly default?: unknown;
  readonly listMapKeys?: readonly string[];
};

export type Ref =
  | { readonly kind: "string" | "number" | "boolean" | "unknown" | "object" | "bytes" | "intOrString" }
  | { readonly kind: "array" | "map"; readonly elem: Ref }
  | { readonly kind: "named"; readonly module: string; readonly name: string }
  | { readonly kind: "literals"; readonly values: readonly Literal[] };

export type Constant = { readonly name: string; readonly doc: string; readonly value: Literal };

export type Feature = {
  readonly name: string;
  readonly channel: string;
  readonly doc: string;
  readonly sets: readonly string[];
};

export type Kind = {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly module: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly source: string;
  readonly channel?: string;
  readonly versions: readonly KindVersion[];
};

export type KindVersion = {
  readonly name: string;
  readonly module: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
};
