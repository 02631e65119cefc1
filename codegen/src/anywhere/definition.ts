/** What is read of a CustomResourceDefinition (apiextensions.k8s.io/v1). */
export type Definition = {
  readonly group: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly isNamespaced: boolean;
  readonly versions: readonly DefinitionVersion[];
  /** The whole, as it was read or made. */
  readonly whole: Fields;
};

export type DefinitionVersion = {
  readonly name: string;
  readonly isServed: boolean;
  readonly isStorage: boolean;
  readonly isDeprecated: boolean;
  readonly hasStatus: boolean;
  readonly hasScale: boolean;
  readonly schema: Fields;
};

export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textsOf = (value: unknown): readonly string[] => listOf(value).filter((item) => typeof item === "string");

/** Reads a CRD; what keeps it from being one is said in words. */
export function readDefinition(whole: Fields): Definition | string {
  if (whole["apiVersion"] !== "apiextensions.k8s.io/v1")
    return `apiVersion is ${JSON.stringify(whole["apiVersion"])}; only apiextensions.k8s.io/v1 is read`;
  const spec = fieldsOf(whole["spec"]);
  const names = fieldsOf(spec["names"]);
  const { group, scope } = spec;
  const { kind, plural } = names;
  if (!isName(group, /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/)) return "spec.group is not the name of a group";
  if (!isName(kind, /^[A-Za-z][A-Za-z0-9]*$/)) return "spec.names.kind is not the name of a kind";
  if (!isName(plural, /^[a-z]([-a-z0-9]*[a-z0-9])?$/)) return "spec.names.plural is not a name";
  if (scope !== "Namespaced" && scope !== "Cluster") return "spec.scope is neither Namespaced nor Cluster";
  const versions: DefinitionVersion[] = [];
  for (const [index, version] of listOf(spec["versions"]).entries()) {
    const read = readVersion(fieldsOf(version));
    if (typeof read === "string") return `spec.versions[${index}]: ${read}`;
    versions.push(read);
  }
  if (versions.length === 0) return "spec.versions is empty";
  const { listKind = `${kind}List`, singular } = names;
  if (!isName(listKind, /^[A-Za-z][A-Za-z0-9]*$/)) return "spec.names.listKind is not the name of a kind";
  return {
    group,
    kind,
    plural,
    listKind,
    singular: typeof singular === "string" && singular !== "" ? singular : kind.toLowerCase(),
    shortNames: textsOf(names["shortNames"]),
    categories: textsOf(names["categories"]),
    isNamespaced: scope === "Namespaced",
    versions,
    whole,
  };
}

function readVersion(version: Fields): DefinitionVersion | string {
  const { name, served, storage, deprecated } = version;
  if (!isName(name, /^[a-z]([-a-z0-9]*[a-z0-9])?$/)) return "name is not the name of a version";
  const schema = fieldsOf(version["schema"])["openAPIV3Schema"];
  if (!isFields(schema)) return "schema.openAPIV3Schema is missing";
  const subresources = fieldsOf(version["subresources"]);
  return {
    name,
    isServed: served === true,
    isStorage: storage === true,
    isDeprecated: deprecated === true,
    hasStatus: isFields(subresources["status"]),
    hasScale: isFields(subresources["scale"]),
    schema,
  };
}

const isName = (value: unknown, form: RegExp): value is string => typeof value === "string" && form.test(value);

/** The name that controller-gen gives to the file of a CRD. */
export const fileOf = ({ group, plural }: Definition): string => `${group}_${plural}.yaml`;

/** By group, then by kind. */
export const sorted = (definitions: readonly Definition[]): readonly Definition[] =>
  definitions.toSorted((left, right) => compare(`${left.group}/${left.kind}`, `${right.group}/${right.kind}`));

export const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** The module of types in which a version of a kind is described. */
export const moduleOf = ({ group }: Definition, { name }: DefinitionVersion): string => `${group}/${name}`;
