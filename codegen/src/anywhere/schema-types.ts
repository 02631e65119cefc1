import type { Field, Literal, Module, Ref, Type } from "../api/model.ts";
import {
  compare,
  type Definition,
  type DefinitionVersion,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  moduleOf,
  textsOf,
} from "./definition.ts";
import { metaModule } from "./meta.ts";

/** The modules of types that CRDs come to, with that of metadata: one for each version of each group. */
export function modulesOf(definitions: readonly Definition[]): readonly Module[] {
  const types = new Map<string, Type[]>();
  for (const definition of definitions)
    for (const version of definition.versions) {
      const name = moduleOf(definition, version);
      const known = types.get(name) ?? [];
      types.set(name, known);
      describeKind(definition, version, known);
    }
  const modules = [...types].map(
    ([name, found]): Module => ({
      name,
      package: name,
      types: found.toSorted((left, right) => compare(left.name, right.name)),
      constants: [],
    }),
  );
  return [...modules.toSorted((left, right) => compare(left.name, right.name)), metaModule];
}

const meta = (name: string): Ref => ({ kind: "named", module: metaModule.name, name });

function describeKind(definition: Definition, version: DefinitionVersion, types: Type[]): void {
  const apiVersion = moduleOf(definition, version);
  const { kind, listKind } = definition;
  const describer = createDescriber(apiVersion, types);
  const fields = describer
    .fieldsOf(kind, version.schema)
    .filter(({ name }) => name !== "apiVersion" && name !== "kind" && name !== "metadata");
  const metadata: Field = { name: "metadata", doc: "", type: meta("ObjectMeta"), optional: false };
  const doc = textOf(version.schema["description"]);
  describer.claim(kind);
  types.push({ name: kind, doc, struct: { apiVersion, kind, extends: [], fields: [metadata, ...fields] } });
  const items: Field = {
    name: "items",
    doc: "",
    type: { kind: "array", elem: named(apiVersion, kind) },
    optional: false,
  };
  const listMeta: Field = { name: "metadata", doc: "", type: meta("ListMeta"), optional: true };
  types.push({
    name: describer.claim(listKind),
    doc: `A list of objects of the kind ${kind}.`,
    struct: { apiVersion, kind: listKind, extends: [], fields: [listMeta, items] },
  });
}

const named = (module: string, name: string): Ref => ({ kind: "named", module, name });
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Describes schemas as types. What has fields becomes a type by the way that leads to it: `GitRepositorySpecVerify`. */
function createDescriber(module: string, types: Type[]) {
  const taken = new Set(types.map(({ name }) => name));

  function claim(wanted: string): string {
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`;
    taken.add(name);
    return name;
  }

  function fieldsOfSchema(owner: string, schema: Fields): readonly Field[] {
    const required = new Set(textsOf(schema["required"]));
    return Object.entries(fieldsOf(schema["properties"])).map(([name, value]): Field => {
      const member = fieldsOf(value);
      const keys = textsOf(member["x-kubernetes-list-map-keys"]);
      return {
        name,
        doc: textOf(member["description"]),
        type: refOf(`${owner}${pascal(name)}`, member),
        optional: !required.has(name),
        ...(member["nullable"] === true ? { nullable: true } : {}),
        ...(member["default"] === undefined ? {} : { default: member["default"] }),
        ...(keys.length === 0 ? {} : { listMapKeys: keys }),
      };
    });
  }

  function refOf(name: string, schema: Fields): Ref {
    const values = literalsOf(schema["enum"]);
    if (values.length > 0) return { kind: "literals", values };
    if (schema["x-kubernetes-int-or-string"] === true) return { kind: "intOrString" };
    switch (schema["type"]) {
      case "string":
        return { kind: "string" };
      case "integer":
      case "number":
        return { kind: "number" };
      case "boolean":
        return { kind: "boolean" };
      case "array":
        return { kind: "array", elem: refOf(name, fieldsOf(schema["items"])) };
      case "object":
        return objectRef(name, schema);
      default:
        return isFields(schema["properties"]) ? objectRef(name, schema) : { kind: "unknown" };
    }
  }

  function objectRef(name: string, schema: Fields): Ref {
    const others = schema["additionalProperties"];
    if (Object.keys(fieldsOf(schema["properties"])).length === 0)
      return isFields(others) && Object.keys(others).length > 0
        ? { kind: "map", elem: refOf(name, others) }
        : { kind: "object" };
    const own = claim(name);
    const open = schema["x-kubernetes-preserve-unknown-fields"] === true;
    const fields = fieldsOfSchema(own, schema);
    types.push({ name: own, doc: "", struct: { extends: [], fields, ...(open ? { open } : {}) } });
    return named(module, own);
  }

  return { claim, fieldsOf: fieldsOfSchema };
}

const literalsOf = (value: unknown): readonly Literal[] => {
  const values = listOf(value).filter((item) => item !== null);
  const known = values.filter(
    (item) => typeof item === "string" || typeof item === "number" || typeof item === "boolean",
  );
  return known.length === values.length ? known : [];
};

const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
