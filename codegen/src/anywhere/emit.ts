import { namespaceOf } from "../api/emit-module.ts";
import type { Module } from "../api/model.ts";
import { literal } from "../api/text.ts";
import { type Definition, type DefinitionVersion, type Fields, isFields, moduleOf } from "./definition.ts";

const kindsPreamble = `/** What is known of a kind. */
export type KindInfo = {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: readonly KindVersion[];
};

export type KindVersion = {
  readonly name: string;
  readonly served: boolean;
  /** Whether the API server keeps objects in this version. */
  readonly storage: boolean;
  readonly deprecated: boolean;
  /** Whether status is a subresource. */
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
};
`;

/** The name of a kind in one of its versions: `source.toolkit.fluxcd.io/v1/Bucket`. */
export const objectName = (definition: Definition, version: DefinitionVersion): string =>
  `${moduleOf(definition, version)}/${definition.kind}`;

const each = <T>(definitions: readonly Definition[], map: (definition: Definition, version: DefinitionVersion) => T) =>
  definitions.flatMap((definition) => definition.versions.map((version) => map(definition, version)));

/** The module `kinds`: a table of all kinds, and the interface of each in each of its versions. */
export function emitKinds(definitions: readonly Definition[]): string {
  const modules = [...new Set(each(definitions, moduleOf))].toSorted();
  const imports = modules.map(
    (name) => `import type * as ${namespaceOf(name)} from ${literal(`./types/${name}.ts`)};\n`,
  );
  const rows = definitions.map((definition) => `  ${JSON.stringify(rowOf(definition))},\n`).join("");
  const interfaces = each(definitions, (definition, version) => {
    const type = `${namespaceOf(moduleOf(definition, version))}.${definition.kind}`;
    return `  readonly ${literal(objectName(definition, version))}: ${type};\n`;
  });
  return [
    imports.join(""),
    kindsPreamble,
    `/** All kinds. */\nexport const kinds: readonly KindInfo[] = [\n${rows}];\n`,
    `/** The interface of the objects of each kind, by \`group/version/kind\`. */\nexport interface ObjectMap {\n${interfaces.join("")}}\n`,
    "export type ObjectName = keyof ObjectMap;\n",
    "/** An object of any of these kinds. */\nexport type AnyObject = ObjectMap[ObjectName];\n",
  ].join("\n");
}

const rowOf = (definition: Definition): Fields => ({
  group: definition.group,
  kind: definition.kind,
  listKind: definition.listKind,
  plural: definition.plural,
  singular: definition.singular,
  shortNames: definition.shortNames,
  categories: definition.categories,
  scope: definition.isNamespaced ? "Namespaced" : "Cluster",
  versions: definition.versions.map((version) => ({
    name: version.name,
    served: version.isServed,
    storage: version.isStorage,
    deprecated: version.isDeprecated,
    hasStatus: version.hasStatus,
    hasScale: version.hasScale,
  })),
});

/** The module `schemas`. One string is the fastest to load. */
export function emitSchemas(definitions: readonly Definition[]): string {
  const schemas = Object.fromEntries(
    each(definitions, (definition, version) => [objectName(definition, version), bare(version.schema)] as const),
  );
  return [
    'import type { Schema } from "@gatewright/crd-types/schema";\nimport type { ObjectName } from "./kinds.ts";\n',
    `/** The OpenAPI schema of each kind in each of its versions, without descriptions. */\nexport const schemas: { readonly [Name in ObjectName]: Schema } = JSON.parse(\n  ${literal(JSON.stringify(schemas))},\n);\n`,
  ].join("\n");
}

/** Leaves out descriptions, nine tenths of the bytes, but no field that is called so. */
export function bare(schema: unknown): unknown {
  if (!isFields(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): (readonly [string, unknown])[] => {
      switch (key) {
        case "description":
          return [];
        case "properties":
          return [
            [
              key,
              isFields(value)
                ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, bare(member)]))
                : value,
            ],
          ];
        case "items":
        case "not":
        case "additionalProperties":
          return [[key, bare(value)]];
        case "allOf":
        case "anyOf":
        case "oneOf":
          return [[key, Array.isArray(value) ? value.map(bare) : value]];
        default:
          return [[key, value]];
      }
    }),
  );
}

/** The module `validators`: what an API server that has the CRDs makes of an object. */
export const emitValidators =
  (): string => `import { completeObject, type ObjectOptions, type ObjectProblem, objectProblems } from "@gatewright/crd-types/rules";
import { type KindInfo, kinds, type ObjectMap, type ObjectName } from "./kinds.ts";
import { schemas } from "./schemas.ts";

export type { ObjectOptions, ObjectProblem };

type Found = { readonly name: ObjectName; readonly kind: KindInfo; readonly isServed: boolean };

const byName = new Map<string, Found>(
  kinds.flatMap((kind) =>
    kind.versions.map(({ name: version, served: isServed }): [string, Found] => {
      const name = \`\${kind.group}/\${version}/\${kind.kind}\`;
      return [name, { name: name as ObjectName, kind, isServed }];
    }),
  ),
);

/** The kind of an object, by its apiVersion and kind; undefined if it is none of these. */
function find(object: unknown): Found | undefined {
  if (typeof object !== "object" || object === null) return undefined;
  const { apiVersion, kind } = object as { readonly apiVersion?: unknown; readonly kind?: unknown };
  return byName.get(\`\${String(apiVersion)}/\${String(kind)}\`);
}

/**
 * Why an API server that has these CRDs would refuse an object that comes anew; nothing if it would take it. It looks at metadata,
 * at the schema, with defaults filled in, and at the schema's CEL rules; rules about changes (\`oldSelf\`) do not count.
 *
 * Fields that the schema does not know are refused, as by \`kubectl\`; with \`unknownFields: "drop"\` they are passed over, as by the
 * API server itself. Objects of other kinds are refused.
 */
export function validate(object: unknown, options: ObjectOptions = {}): readonly ObjectProblem[] {
  const found = find(object);
  if (found === undefined) return [{ path: ["kind"], message: "kind: this is none of the kinds that are known here" }];
  if (!found.isServed) {
    const served = found.kind.versions.filter((version) => version.served).map(({ name }) => name);
    return [{ path: ["apiVersion"], message: \`apiVersion: \${found.kind.kind} is not served in this version, but in \${served.join(", ") || "none"}\` }];
  }
  return objectProblems(schemas[found.name], found.kind.scope === "Namespaced", object, options);
}

/** Whether an object is of a kind, by \`group/version/kind\`, and valid. */
export function isValid<Name extends ObjectName>(name: Name, object: unknown, options: ObjectOptions = {}): object is ObjectMap[Name] {
  return find(object)?.name === name && validate(object, options).length === 0;
}

/**
 * The object as an API server would store it: with the defaults of its schema and without what the schema does not know. Objects of
 * other kinds come back as they are; the object that is given is never changed.
 */
export function complete<T>(object: T): T {
  const found = find(object);
  return found === undefined ? object : (completeObject(schemas[found.name], object) as T);
}
`;

/** The index: all of it, the types of each module under a name of its own. */
export const emitIndex = (modules: readonly Module[]): string =>
  [
    modules.map(({ name }) => `export * as ${namespaceOf(name)} from ${literal(`./types/${name}.ts`)};\n`).join(""),
    'export { type AnyObject, type KindInfo, type KindVersion, kinds, type ObjectMap, type ObjectName } from "./kinds.ts";\n',
    'export { schemas } from "./schemas.ts";\n',
    'export { complete, isValid, type ObjectOptions, type ObjectProblem, validate } from "./validators.ts";\n',
  ].join("");
