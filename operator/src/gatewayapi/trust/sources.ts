import type { ConfigMap, Secret } from "@gatewright/crd-types/core/v1";
import type { Table } from "../../lib/index.ts";
import { objectKey, type Store } from "../../store/index.ts";
import { formatKind } from "../messages.ts";
import { secretText } from "./secret-text.ts";

/** A kind of object that may hold certificates of authorities. One more kind is one more row of `sourcesOf`. */
export type Source = {
  readonly group: string;
  readonly kind: string;
  /** The object's key in its table; where the kind has no namespaces, that of who refers to it means nothing. */
  readonly keyOf: (namespace: string, name: string) => string;
  /** What the object holds, whatever it is. */
  readonly read: (key: string) => Reading;
};

export type Reading =
  | { readonly kind: "text"; readonly text: string; readonly field: string }
  | { readonly kind: "missing"; readonly message: string };

const field = "ca.crt";

function readField<V>(table: Table<V>, textOf: (object: V) => string | undefined): Source["read"] {
  return (key) => {
    const object = table.get(key);
    if (object === undefined) return { kind: "missing", message: "does not exist" };
    const text = textOf(object);
    return text === undefined ? { kind: "missing", message: `has no ${field}` } : { kind: "text", text, field };
  };
}

/** By `group/kind`, as `formatKind` writes it. */
export const sourcesOf = (objects: Store["objects"]): ReadonlyMap<string, Source> =>
  new Map(
    [
      {
        group: "",
        kind: "ConfigMap",
        keyOf: objectKey,
        read: readField<ConfigMap>(objects.ConfigMap, ({ data }) => data?.[field]),
      },
      {
        group: "",
        kind: "Secret",
        keyOf: objectKey,
        read: readField<Secret>(objects.Secret, (secret) => secretText(secret, field)),
      },
    ].map((source) => [formatKind(source), source]),
  );
