import { header, literal } from "./text.ts";

const imports = `
import type { Schema } from "../../schema/index.ts";
import type { KindName } from "./kinds.ts";
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
    imports.trimStart(),
    `/** The kinds that have a schema: those with a CRD, and the built-in ones that are read from files. */\nexport type SchemaKindName = Extract<\n  KindName,\n${ids.map((id) => `  | ${literal(id)}\n`).join("")}>;\n`,
    "/** Schemas by the id of the kind, in the version of the table of kinds; for the Gateway API, of the experimental channel. */",
    `export const schemas: { readonly [Name in SchemaKindName]: Schema } = JSON.parse(\n  ${literal(JSON.stringify(sorted))},\n);\n`,
  ].join("\n");
};
