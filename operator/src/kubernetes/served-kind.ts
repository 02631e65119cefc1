import type { KindName } from "@gatewright/crd-types";

/** How a server has a kind. */
export type ServedKind = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
};

/** The kinds that a server has, of those that somebody wants to know of, and when that changes. */
export type ServedKinds = {
  readonly served: () => ReadonlyMap<KindName, ServedKind>;
  /** Returns how to stop it. */
  readonly onChange: (listener: () => void) => () => void;
};
