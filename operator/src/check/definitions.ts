import { applyDefaults, type Schema, validate } from "@gatewright/crd-types/schema";
import { type CustomKind, readCustom } from "../source/index.ts";
import { isFields, messageOf } from "../lib/index.ts";

/** What a CustomResourceDefinition says. */
export type Definition =
  | {
      readonly kind: "definition";
      readonly group: string;
      /** The kind of its objects. */
      readonly of: string;
      /** Served versions. */
      readonly versions: ReadonlyMap<string, CustomKind>;
    }
  | { readonly kind: "unusable"; readonly field: string; readonly message: string };

const unusable = (field: string, message: string): Definition => ({ kind: "unusable", field, message });

/** Undefined where it is something else. */
export function readDefinition(value: unknown): Definition | undefined {
  if (!isFields(value) || value["kind"] !== "CustomResourceDefinition") return undefined;
  const { apiVersion } = value;
  if (typeof apiVersion !== "string" || !apiVersion.startsWith("apiextensions.k8s.io/")) return undefined;
  if (apiVersion !== "apiextensions.k8s.io/v1")
    return unusable("apiVersion", `${apiVersion} is not served any more: write apiextensions.k8s.io/v1`);
  const spec = isFields(value["spec"]) ? value["spec"] : {};
  const names = isFields(spec["names"]) ? spec["names"] : {};
  if (typeof spec["group"] !== "string") return unusable("spec.group", "Required value");
  if (typeof names["kind"] !== "string") return unusable("spec.names.kind", "Required value");
  if (!Array.isArray(spec["versions"])) return unusable("spec.versions", "Required value");
  const versions = new Map<string, CustomKind>();
  for (const [index, version] of spec["versions"].entries()) {
    if (!isFields(version) || typeof version["name"] !== "string") continue;
    if (version["served"] !== true) continue;
    const field = `spec.versions[${index}].schema.openAPIV3Schema`;
    const holder = isFields(version["schema"]) ? version["schema"] : {};
    const schema = holder["openAPIV3Schema"];
    if (!isFields(schema)) return unusable(field, "Required value");
    const custom = { schema: schema as Schema, isNamespaced: spec["scope"] !== "Cluster" };
    const problem = problemOf(custom);
    if (problem !== undefined) return unusable(field, problem);
    versions.set(version["name"], custom);
  }
  return { kind: "definition", group: spec["group"], of: names["kind"], versions };
}

/** Why nothing can be checked by it: what is in it comes from strangers, and is tried before it is relied on. */
function problemOf({ schema, isNamespaced }: CustomKind): string | undefined {
  try {
    applyDefaults(schema, {});
    validate(schema, {});
    readCustom({ metadata: { name: "x" } }, { schema, isNamespaced });
    return undefined;
  } catch (error) {
    return `objects cannot be checked by this schema: ${messageOf(error)}`;
  }
}
