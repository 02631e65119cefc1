import { kinds } from "@gatewright/crd-types";
import { applyDefaults, formatPath, type SchemaProblem, validate } from "@gatewright/crd-types/schema";
import { schemas } from "@gatewright/crd-types/schemas";
import { isFields } from "../../lib/index.ts";
import type { RawObject } from "../../kubernetes/index.ts";
import { type Change, keyOf, type StoredKind } from "../../store/index.ts";
import { overlaySchemaOf } from "../checks/index.ts";

export type ClusterReading =
  | { readonly kind: "change"; readonly change: Change }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

type Fields = Readonly<Record<string, unknown>>;

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const maxProblems = 5;
/** Dashboards and the like; what we read of ConfigMaps are certificates. */
const largeValue = 16 * 1024;

/**
 * An object as the store has it. The server has looked at it already, but perhaps by other schemas than ours: those of an older
 * or newer release of the CRDs. Its status is kept as it is, whoever wrote it.
 */
export function readClusterObject(kind: StoredKind, raw: RawObject): ClusterReading {
  const { status, ...given } = slim(kind, raw);
  // Items of a list do not say what they are, and all versions hold the same: they are kept as the one that translation reads.
  const { apiVersion } = kinds[kind];
  const schema = overlaySchemaOf(kind, given) ?? schemas[kind];
  const defaulted = applyDefaults(schema, { ...given, apiVersion, kind, metadata: slimMetadata(raw.metadata) });
  const problems = validate(schema, defaulted);
  if (!fits(defaulted, problems))
    return { kind: "problems", problems: problems.slice(0, maxProblems).map(wordsOf(kind)) };
  // No default for a status that nobody wrote.
  const { status: _, ...object } = defaulted;
  const change = { kind, key: keyOf(object), object: status === undefined ? object : { ...object, status } };
  return isChange(change) ? { kind: "change", change } : { kind: "problems", problems: ["it is of another kind"] };
}

type Stored = NonNullable<Change["object"]> & { readonly status?: unknown };

/** The schema says what an object is. */
const fits = (_: unknown, problems: readonly SchemaProblem[]): _ is Stored => problems.length === 0;

type ChangeOfSome = { readonly kind: StoredKind; readonly key: string; readonly object: unknown };
const isChange = (change: ChangeOfSome): change is Change =>
  isFields(change.object) && change.object["kind"] === change.kind;

/** Without what nobody reads, and is often more than the rest. */
function slimMetadata(metadata: Fields): Fields {
  const { managedFields: _, annotations, ...others } = metadata;
  if (!isFields(annotations)) return others;
  const { [lastApplied]: __, ...kept } = annotations;
  return { ...others, annotations: kept };
}

/** What of an object's data is kept. */
const keptData: Readonly<Partial<Record<StoredKind, (name: string, value: unknown) => boolean>>> = {
  ConfigMap: (_, value) => typeof value === "string" && (value.length <= largeValue || value.includes("-----BEGIN ")),
  // Passwords and tokens that nobody reads need no memory, and cannot leak.
  Secret: (name) => /\.(crt|key)$/.test(name),
};

function slim(kind: StoredKind, object: Fields): Fields {
  const isKept = keptData[kind];
  if (isKept === undefined) return object;
  const { binaryData: _, ...rest } = object;
  if (!isFields(rest["data"])) return rest;
  return { ...rest, data: Object.fromEntries(Object.entries(rest["data"]).filter((entry) => isKept(...entry))) };
}

/** Messages quote values, which of Secrets nobody may see. */
const wordsOf =
  (kind: StoredKind) =>
  ({ path, message }: SchemaProblem): string =>
    kind === "Secret" ? `${formatPath(path)} is not valid` : message;
