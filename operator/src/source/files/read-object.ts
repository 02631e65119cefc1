import { findKindInGroup, groupOf, versionOf } from "@gatewright/crd-types";
import {
  applyDefaults,
  formatPath,
  type Path,
  type Schema,
  type SchemaProblem,
  type SchemaProblemKind,
  unknownFields,
  validate,
} from "@gatewright/crd-types/schema";
import { type Fields, fieldsOf, isFields } from "../../lib/index.ts";
import { type Change, keyOf, type StoredKind, storedKindOf, storedKinds } from "../../store/index.ts";
import { completeBuiltin, type Fault, metadataFaultsOf, objectFaults, schemaOf } from "../checks/index.ts";
import { ruleFaults } from "../rules/index.ts";

/** An object that a document holds, ready for the store but for its generation. */
export type ReadObject = {
  readonly kind: StoredKind;
  readonly key: string;
  readonly object: NonNullable<Change["object"]>;
};

/** What finds a problem of an object. */
export type ObjectRule =
  | "not-an-object"
  | "unknown-kind"
  | "unserved-version"
  | "no-effect"
  /** Name, namespace, labels, annotations. */
  | "metadata"
  /** What Kubernetes checks beside the schema of a kind that is its own. */
  | "builtin"
  | "unknown-field"
  | "schema"
  /** A rule of a schema, in CEL. */
  | "cel";

export type ObjectProblem = {
  readonly severity: "error" | "warning";
  readonly rule: ObjectRule;
  /** `HTTPRoute team-a/x`, as far as it is known. */
  readonly object?: string;
  readonly field?: string;
  /** Where in the document. */
  readonly path: Path;
  readonly message: string;
};

export type ReadResult = {
  readonly objects: readonly ReadObject[];
  readonly problems: readonly ObjectProblem[];
};

/** How a cluster has the kinds that are read. */
export type ServedKinds = {
  readonly schemaOf: (kind: StoredKind, object: Fields) => Schema;
  /** Names of the versions in which it takes objects; none: it does not have the kind. */
  readonly versionsOf: (kind: StoredKind) => readonly string[];
};

/** All that is known. */
export const allKinds: ServedKinds = {
  schemaOf,
  versionsOf: (kind) =>
    (findKindInGroup(storedKinds[kind].group, kind)?.versions ?? [])
      .filter(({ served }) => served)
      .map(({ name }) => name),
};

/** Groups whose kinds are said when we cannot serve them; what other groups have is none of our business. */
const ownGroups = new Set(["gateway.networking.k8s.io", "gateway.networking.x-k8s.io", "config.aether.io"]);

/** Reads what a document holds: an object, or a `List` of them. Everything wrong is a problem in words; nothing is thrown. */
export function readObjects(value: unknown, path: Path = [], served: ServedKinds = allKinds): ReadResult {
  if (value === null || value === undefined) return { objects: [], problems: [] };
  if (!isFields(value))
    return refused(path, "this is not a Kubernetes object: it must have apiVersion, kind and metadata");
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || apiVersion === "" || kind === "")
    return refused(
      path,
      `this is not a Kubernetes object: ${typeof apiVersion === "string" && apiVersion !== "" ? "kind" : "apiVersion"} is missing`,
    );
  if (kind.endsWith("List") && Array.isArray(value["items"])) return readList(value["items"], path, served);
  const stored = storedKindOf(apiVersion, kind);
  if (stored === undefined) return { objects: [], problems: notServed(apiVersion, kind, value, path) };
  return wrongVersion(stored, apiVersion, value, path, served) ?? readStored(stored, value, path, served);
}

/** Versions of a kind that its CRD does not serve: a cluster does not know them, whatever they would say. */
function wrongVersion(
  kind: StoredKind,
  apiVersion: string,
  value: Fields,
  path: Path,
  { versionsOf }: ServedKinds,
): ReadResult | undefined {
  const versions = versionsOf(kind);
  if (versions.includes(versionOf(apiVersion))) return undefined;
  const others = versions.length === 0 ? "" : ` (there is ${versions.join(", ")})`;
  const problem: ObjectProblem = {
    severity: "error",
    rule: "unserved-version",
    object: nameOf(kind, value),
    field: "apiVersion",
    path: [...path, "apiVersion"],
    message: `no matches for kind "${kind}" in version "${apiVersion}"${others}`,
  };
  return { objects: [], problems: [problem] };
}

function readList(items: readonly unknown[], path: Path, served: ServedKinds): ReadResult {
  const results = items.map((item, index) => readObjects(item, [...path, "items", index], served));
  return { objects: results.flatMap(({ objects }) => objects), problems: results.flatMap(({ problems }) => problems) };
}

function notServed(apiVersion: string, kind: string, value: Fields, path: Path): readonly ObjectProblem[] {
  const group = groupOf(apiVersion);
  if (!ownGroups.has(group)) return [];
  const object = nameOf(kind, value);
  const at = { object, path: [...path, "kind"] };
  return findKindInGroup(group, kind) === undefined
    ? [{ ...at, severity: "error", rule: "unknown-kind", message: `${group} has no kind ${kind}` }]
    : [{ ...at, severity: "warning", rule: "no-effect", message: `${kind} is not served yet and has no effect` }];
}

function readStored(kind: StoredKind, given: Fields, path: Path, { schemaOf: schemaFor }: ServedKinds): ReadResult {
  const object = nameOf(kind, given);
  const problemOf = ({ path: at, message, isWarning, rule }: RuledFault): ObjectProblem => ({
    severity: isWarning === true ? "warning" : "error",
    rule,
    object,
    field: formatPath(at),
    path: [...path, ...at],
    message,
  });
  const { whole, faults } = judge(kind, given, schemaFor(kind, given));
  const objects = whole === undefined ? [] : [{ kind, key: keyOf(whole), object: whole }];
  return { objects, problems: faults.map(problemOf) };
}

type RuledFault = Fault & { readonly rule: ObjectRule };

type Judgement = {
  /** Undefined where the API server would refuse the object. */
  readonly whole: ReadObject["object"] | undefined;
  readonly faults: readonly RuledFault[];
};

const isError = ({ isWarning }: Fault): boolean => isWarning !== true;

const by = (rule: ObjectRule, faults: readonly Fault[]): readonly RuledFault[] =>
  faults.map((fault) => ({ ...fault, rule }));

/** Some is said by a schema and by Kubernetes itself. */
const unique = (faults: readonly RuledFault[]): RuledFault[] => [
  ...new Map(faults.map((fault) => [fault.message, fault])).values(),
];

/** Takes an object the way of the API server. */
function judge(kind: StoredKind, given: Fields, schema: Schema): Judgement {
  const ofMetadata = by("metadata", metadataFaultsOf(kind, given));
  if (!isFields(given["metadata"] ?? {})) return { whole: undefined, faults: ofMetadata };
  const { object: completed, faults: ofData } = completeBuiltin(kind, place(kind, given));
  const defaulted = applyDefaults(schema, completed);
  const fields = fieldsOf(defaulted);
  const unknown = unknownFields(schema, completed);
  const ofSchema = validate(schema, defaulted);
  const faults = unique([
    ...ofMetadata,
    ...by("builtin", ofData),
    ...by("unknown-field", unknown),
    ...by("schema", ofSchema),
    ...by("builtin", objectFaults(kind, fields)),
  ]);
  if (unknown.length === 0 && canAskRules(ofMetadata, ofSchema)) faults.push(...by("cel", ruleFaults(schema, fields)));
  // The schema says that it is of this kind.
  return { whole: faults.some(isError) ? undefined : (defaulted as ReadObject["object"]), faults };
}

const blocking: ReadonlySet<SchemaProblemKind> = new Set(["required", "type", "unsupported", "tooLong", "tooMany"]);

/** Rules can only be asked of what has the form that they expect; the API server draws the line here. */
export const canAskRules = (ofMetadata: readonly Fault[], ofSchema: readonly SchemaProblem[]): boolean =>
  !ofSchema.some(({ kind }) => blocking.has(kind)) &&
  !ofMetadata.some(({ message }) => /: (?:Required value|Too long)|must be of type/.test(message));

/** Statuses are not for files to say; versions and namespaces are held to one. */
function place(kind: StoredKind, given: Fields): Fields {
  const { status: _, ...object } = given;
  const metadata = fieldsOf(given["metadata"]);
  const apiVersion = heldVersion(kind, String(given["apiVersion"]));
  if (!storedKinds[kind].namespaced)
    return { ...object, apiVersion, metadata: kind === "Namespace" ? withNameLabel(metadata) : metadata };
  return { ...object, apiVersion, metadata: { ...metadata, namespace: metadata["namespace"] || "default" } };
}

/** Versions of one kind hold the same here: all are kept as the one that translation reads. */
function heldVersion(kind: StoredKind, apiVersion: string): string {
  return findKindInGroup(storedKinds[kind].group, kind)?.apiVersion ?? apiVersion;
}

const withNameLabel = (metadata: Fields): Fields => ({
  ...metadata,
  labels: { ...fieldsOf(metadata["labels"]), "kubernetes.io/metadata.name": metadata["name"] },
});

function nameOf(kind: string, { metadata }: Fields): string {
  if (!isFields(metadata)) return kind;
  const { name, namespace } = metadata;
  const parts = [namespace, name].filter((part) => typeof part === "string" && part !== "");
  return parts.length === 0 ? kind : `${kind} ${parts.join("/")}`;
}

const refused = (path: Path, message: string): ReadResult => ({
  objects: [],
  problems: [{ severity: "error", rule: "not-an-object", path, message }],
});
