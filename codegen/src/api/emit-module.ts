import path from "node:path/posix";
import type { Constant, Enum, Field, Module, Ref, Struct, Type } from "./model.ts";
import { docComment, header, literal, propertyName } from "./text.ts";

/** The TypeScript of one module. */
export const emitModule = (module: Module): string => {
  const imports = new Set<string>();
  const context: Context = {
    module: module.name,
    use: (other) => {
      imports.add(other);
      return namespaceOf(other);
    },
  };
  const types = module.types.map((type) => emitType(type, context));
  const constants = module.constants.map(emitConstant);
  const importLines = [...imports].toSorted().map((other) => importLine(module.name, other));
  return [header, ...importLines, ...types, ...constants].join("\n");
};

type Context = {
  readonly module: string;
  /** The name under which another module is imported. */
  readonly use: (module: string) => string;
};

/** The name under which a module is imported by others: `gateway-x/v1alpha1` is `gatewayXV1alpha1`. */
export const namespaceOf = (module: string): string =>
  module.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase());

/** An import of all types of another module, from the file of `from`. */
export const importLine = (from: string, module: string): string => {
  const relative = path.relative(path.dirname(from), module);
  return `import type * as ${namespaceOf(module)} from ${literal(relative.startsWith(".") ? `${relative}.ts` : `./${relative}.ts`)};\n`;
};

const emitType = (type: Type, context: Context): string => {
  if (type.struct !== undefined) return docComment(type.doc) + emitInterface(type.name, type.struct, context);
  const value = type.enum === undefined ? refText(type.alias ?? { kind: "unknown" }, context) : enumText(type.enum);
  return `${docComment(type.doc)}export type ${type.name} = ${value};\n`;
};

const emitInterface = (name: string, struct: Struct, context: Context): string => {
  const parents = struct.extends.map((parent) => refText(parent, context));
  const heading = parents.length === 0 ? name : `${name} extends ${parents.join(", ")}`;
  const identity =
    struct.apiVersion === undefined || struct.kind === undefined
      ? ""
      : `  readonly apiVersion: ${literal(struct.apiVersion)};\n  readonly kind: ${literal(struct.kind)};\n`;
  const fields = struct.fields.map((field) => emitField(field, context)).join("");
  const others = struct.open === true ? "  readonly [key: string]: unknown;\n" : "";
  return `export interface ${heading} {\n${identity}${fields}${others}}\n`;
};

const emitField = (field: Field, context: Context): string => {
  const tags = [
    ...(field.listMapKeys === undefined ? [] : [`@listMapKeys ${field.listMapKeys.join(", ")}`]),
    ...(field.default === undefined ? [] : [`@defaultValue \`${JSON.stringify(field.default)}\``]),
    ...(field.experimental === true ? ["@experimental"] : []),
  ];
  const mark = field.optional ? "?" : "";
  return `${docComment(field.doc, "  ", tags)}  readonly ${propertyName(field.name)}${mark}: ${refText(field.type, context)}${field.nullable === true ? " | null" : ""};\n`;
};

const emitConstant = (constant: Constant): string =>
  `${docComment(constant.doc)}export const ${constant.name} = ${literal(constant.value)};\n`;

// `string & {}` keeps the known values visible to editors where others are valid too.
const enumText = (values: Enum): string => {
  if (!values.open) return values.values.map(literal).join(" | ");
  return values.base === "number" ? "number" : [...values.values.map(literal), "(string & {})"].join(" | ");
};

const refText = (ref: Ref, context: Context): string => {
  switch (ref.kind) {
    case "string":
    case "number":
    case "boolean":
    case "unknown":
      return ref.kind;
    case "bytes":
      return "string";
    case "intOrString":
      return "number | string";
    case "object":
      return "{ readonly [key: string]: unknown }";
    case "array":
      return `readonly ${parenthesized(ref.elem, context)}[]`;
    case "map":
      return `{ readonly [key: string]: ${refText(ref.elem, context)} }`;
    case "literals":
      return ref.values.map(literal).join(" | ");
    case "named":
      return ref.module === context.module ? ref.name : `${context.use(ref.module)}.${ref.name}`;
  }
};

const parenthesized = (ref: Ref, context: Context): string => {
  const text = refText(ref, context);
  return ref.kind === "literals" || ref.kind === "array" || ref.kind === "intOrString" ? `(${text})` : text;
};
