import { findKind, findKindInGroup, groupOf, type KindInfo } from "@gatewright/crd-types";
import { applyDefaults, formatPath, type Path, unknownFields, validate } from "@gatewright/crd-types/schema";
import { schemas } from "@gatewright/crd-types/schemas";
import { type Change, keyOf, type StoredKind, storedKindOf, storedKinds } from "../../store/index.ts";

/** An object that a document holds, ready for the store but for its generation. */
export type ReadObject = {
  readonly kind: StoredKind;
  readonly key: string;
  readonly object: NonNullable<Change["object"]>;
};

export type ObjectProblem = {
  readonly severity: "error" | "warning";
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

/** Groups whose kinds are said when we cannot serve them; what other groups have is none of our business. */
const ownGroups = new Set(["gateway.networking.k8s.io", "gateway.networking.x-k8s.io", "config.aether.io"]);

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads what a document holds: an object, or a `List` of them. Everything wrong is a problem in words; nothing is thrown. */
export function readObjects(value: unknown, path: Path = []): ReadResult {
  if (value === null || value === undefined) return { objects: [], problems: [] };
  if (!isFields(value))
    return refused(path, "this is not a Kubernetes object: it must have apiVersion, kind and metadata");
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || apiVersion === "" || kind === "")
    return refused(
      path,
      `this is not a Kubernetes object: ${typeof apiVersion === "string" && apiVersion !== "" ? "kind" : "apiVersion"} is missing`,
    );
  if (kind.endsWith("List") && Array.isArray(value["items"])) return readList(value["items"], path);
  const stored = storedKindOf(apiVersion, kind);
  if (stored === undefined) return { objects: [], problems: notServed(apiVersion, kind, value, path) };
  return readStored(stored, value, path);
}

function readList(items: readonly unknown[], path: Path): ReadResult {
  const results = items.map((item, index) => readObjects(item, [...path, "items", index]));
  return { objects: results.flatMap(({ objects }) => objects), problems: results.flatMap(({ problems }) => problems) };
}

function notServed(apiVersion: string, kind: string, value: Fields, path: Path): readonly ObjectProblem[] {
  const group = groupOf(apiVersion);
  if (!ownGroups.has(group)) return [];
  const object = nameOf(kind, value);
  const at = { object, path: [...path, "kind"] };
  return findKindInGroup(group, kind) === undefined
    ? [{ ...at, severity: "error", message: `${group} has no kind ${kind}` }]
    : [{ ...at, severity: "warning", message: `${kind} is not served yet and has no effect` }];
}

function readStored(kind: StoredKind, given: Fields, path: Path): ReadResult {
  const object = nameOf(kind, given);
  const info = findKind(String(given["apiVersion"]), kind) ?? findKindInGroup(storedKinds[kind].group, kind);
  const metadataProblem = problemOfMetadata(given, info);
  if (metadataProblem !== undefined)
    return {
      objects: [],
      problems: [
        {
          severity: "error",
          object,
          path: [...path, ...metadataProblem.path],
          field: metadataProblem.path.join("."),
          message: metadataProblem.message,
        },
      ],
    };
  const schema = schemas[kind];
  const value = complete(kind, given);
  const defaulted = applyDefaults(schema, value);
  const faults = [...unknownFields(schema, value), ...validate(schema, defaulted)];
  if (faults.length > 0)
    return {
      objects: [],
      problems: faults.map(({ path: at, message }) => ({
        severity: "error",
        object,
        field: formatPath(at),
        path: [...path, ...at],
        message,
      })),
    };
  // The schema says that it is of this kind.
  const whole = defaulted as ReadObject["object"];
  return { objects: [{ kind, key: keyOf(whole), object: whole }], problems: [] };
}

/** What the API server adds beyond schemas, and what we hold versions and namespaces to. */
function complete(kind: StoredKind, given: Fields): Fields {
  const metadata = isFields(given["metadata"]) ? given["metadata"] : {};
  const { status: _, ...object } = given;
  const apiVersion = heldVersion(kind, String(given["apiVersion"]));
  if (!storedKinds[kind].namespaced)
    return { ...object, apiVersion, metadata: kind === "Namespace" ? withNameLabel(metadata) : metadata };
  const placed = { ...object, apiVersion, metadata: { ...metadata, namespace: metadata["namespace"] ?? "default" } };
  return kind === "Secret" ? withStringData(placed) : placed;
}

/** Versions of one kind hold the same here: all are kept as the one that translation reads. */
function heldVersion(kind: StoredKind, apiVersion: string): string {
  return findKindInGroup(storedKinds[kind].group, kind)?.apiVersion ?? apiVersion;
}

const withNameLabel = (metadata: Fields): Fields => ({
  ...metadata,
  labels: {
    ...(isFields(metadata["labels"]) ? metadata["labels"] : {}),
    "kubernetes.io/metadata.name": metadata["name"],
  },
});

/** `stringData` is written into `data`, as the API server does. */
function withStringData({ stringData, ...secret }: Fields): Fields {
  if (!isFields(stringData)) return stringData === undefined ? secret : { ...secret, stringData };
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(String(text)).toString("base64")]);
  return { ...secret, data: { ...(isFields(secret["data"]) ? secret["data"] : {}), ...Object.fromEntries(encoded) } };
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function problemOfMetadata(
  value: Fields,
  info: KindInfo | undefined,
): { readonly path: Path; readonly message: string } | undefined {
  const metadata = value["metadata"];
  if (!isFields(metadata)) return { path: ["metadata"], message: "metadata: Required value" };
  const { name, namespace } = metadata;
  if (typeof name !== "string" || name === "")
    return {
      path: ["metadata", "name"],
      message:
        typeof metadata["generateName"] === "string"
          ? "metadata.generateName is of no use in files: give it a name"
          : "metadata.name: Required value: name or generateName is required",
    };
  if (name.length > 253 || !subdomain.test(name))
    return {
      path: ["metadata", "name"],
      message: `metadata.name: Invalid value: ${JSON.stringify(name.slice(0, 253))}: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
    };
  if (namespace === undefined || namespace === null) return undefined;
  if (info?.scope === "Cluster")
    return { path: ["metadata", "namespace"], message: "metadata.namespace: Forbidden: not allowed on this type" };
  if (typeof namespace !== "string" || namespace.length > 63 || !label.test(namespace))
    return {
      path: ["metadata", "namespace"],
      message: `metadata.namespace: Invalid value: ${JSON.stringify(namespace)}: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character`,
    };
  return undefined;
}

function nameOf(kind: string, { metadata }: Fields): string {
  if (!isFields(metadata)) return kind;
  const { name, namespace } = metadata;
  const parts = [namespace, name].filter((part) => typeof part === "string");
  return parts.length === 0 ? kind : `${kind} ${parts.join("/")}`;
}

const refused = (path: Path, message: string): ReadResult => ({
  objects: [],
  problems: [{ severity: "error", path, message }],
});
