import { header, literal } from "./text.ts";

const preamble = `
import type { KindName } from "./kinds.ts";

/**
 * A structural OpenAPI schema as CRDs carry it, without descriptions.
 *
 * Objects: \`properties\`, \`required\`, or \`additionalProperties\` for maps; fields that are neither known nor kept by
 * \`x-kubernetes-preserve-unknown-fields\` are pruned. \`default\` holds for a field that is left out of an object that is
 * there. Lists: \`items\`, and \`x-kubernetes-list-type\` with \`x-kubernetes-list-map-keys\`.
 * See https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema.
 */
export type JSONSchema = {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [name: string]: JSONSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: JSONSchema | boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: JSONSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly allOf?: readonly JSONSchema[];
  readonly anyOf?: readonly JSONSchema[];
  readonly oneOf?: readonly JSONSchema[];
  readonly not?: JSONSchema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  readonly "x-kubernetes-embedded-resource"?: boolean;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-validations"?: readonly ValidationRule[];
};

/** A rule in CEL. */
export type ValidationRule = {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
};
`;

/**
 * The module `schemas`. One string is the fastest to load: the compiler sees one token, and JSON.parse beats the parsing of
 * an object literal.
 */
export const emitSchemas = (schemas: { readonly [kind: string]: unknown }): string => {
  const ids = Object.keys(schemas).toSorted();
  const sorted = Object.fromEntries(ids.map((id) => [id, schemas[id]]));
  return [
    header,
    preamble.trimStart(),
    `/** The kinds that have a schema: those with a CRD, and the built-in ones that are read from files. */\nexport type SchemaKindName = Extract<\n  KindName,\n${ids.map((id) => `  | ${literal(id)}\n`).join("")}>;\n`,
    "/** Schemas by the id of the kind, in the version of the table of kinds; for the Gateway API, of the experimental channel. */",
    `export const schemas: { readonly [Name in SchemaKindName]: JSONSchema } = JSON.parse(\n  ${literal(JSON.stringify(sorted))},\n);\n`,
  ].join("\n");
};
