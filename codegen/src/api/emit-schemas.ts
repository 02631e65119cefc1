import { header, literal } from "./text.ts";

const imports = `
import type { Schema } from "../../schema/index.ts";
import type { KindName } from "./kinds.ts";
`;

type SchemasByKind = { readonly [kind: string]: unknown };

/**
 * The module `schemas`. One string is the fastest to load: the compiler sees one token, and JSON.parse beats the parsing of
 * an object literal.
 */
export const emitSchemas = (schemas: SchemasByKind, overlaid: SchemasByKind = {}): string => {
  const ids = Object.keys(schemas).toSorted();
  return [
    header,
    imports.trimStart(),
    `/** The kinds that have a schema: those with a CRD, and the built-in ones that are read from files. */\nexport type SchemaKindName = Extract<\n  KindName,\n${ids.map((id) => `  | ${literal(id)}\n`).join("")}>;\n`,
    "/** Schemas by the id of the kind, in the version of the table of kinds; for the Gateway API, of the experimental channel. */",
    `export const schemas: { readonly [Name in SchemaKindName]: Schema } = ${parseText(schemas)};\n`,
    "/** Those of kinds that the overlay of the Gateway API's types changes, as it has them. */",
    `export const overlaySchemas: { readonly [Name in SchemaKindName]?: Schema } = ${parseText(overlaid)};\n`,
  ].join("\n");
};

const parseText = (schemas: SchemasByKind): string => {
  const sorted = Object.fromEntries(
    Object.keys(schemas)
      .toSorted()
      .map((id) => [id, schemas[id]]),
  );
  return `JSON.parse(\n  ${literal(JSON.stringify(sorted))},\n)`;
};
