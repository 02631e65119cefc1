import type { Schema } from "@gatewright/crd-types/schema";
import { overlaySchemas } from "@gatewright/crd-types/schemas";
import type { StoredKind } from "../../store/index.ts";
import { isFields } from "../../lib/index.ts";

const overlaidField = "clusterTrustBundleRef";

/**
 * The schema of an object that has the field which our overlay of the Gateway API's types adds: where there is such an object,
 * there is the overlay. Undefined for all others, which are as they were released. docs/adr/0011.
 */
export function overlaySchemaOf(kind: StoredKind, object: unknown): Schema | undefined {
  const schema = overlaySchemas[kind];
  return schema !== undefined && isFields(object) && hasField(object["spec"], overlaidField) ? schema : undefined;
}

function hasField(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => hasField(item, name));
  return isFields(value) && Object.entries(value).some(([key, inner]) => key === name || hasField(inner, name));
}
