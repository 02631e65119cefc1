import type { Table } from "../../lib/index.ts";
import { contentOf, quarantineKey, type Refusal } from "../inputs.ts";

type Named = {
  readonly metadata: { readonly name?: string; readonly namespace?: string; readonly generation?: number };
};

/** What Envoy said when it refused this very content of the object; undefined: it did not. */
export function refusalOf(quarantine: Table<Refusal>, kind: string, object: Named): string | undefined {
  const { namespace = "", name = "" } = object.metadata;
  const refusal = quarantine.get(quarantineKey(kind, namespace, name));
  return refusal?.content === contentOf(object) ? refusal.message : undefined;
}
