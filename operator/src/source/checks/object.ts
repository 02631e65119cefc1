import type { Schema } from "@gatewright/crd-types/schema";
import { schemas } from "@gatewright/crd-types/schemas";
import { type StoredKind, storedKinds } from "../../store/index.ts";
import { bundleNameFaults, clusterTrustBundleFaults } from "./cluster-trust-bundle.ts";
import { type Completed, completeConfigMap, completeSecret, configMapFaults, secretFaults } from "./data.ts";
import { endpointSliceFaults } from "./endpoint-slice.ts";
import type { Fault } from "./fault.ts";
import type { Fields } from "./fields.ts";
import { metadataFaults } from "./metadata.ts";
import { labelFaults } from "./names.ts";
import { overlaySchemaOf } from "./overlay.ts";
import { serviceFaults } from "./service.ts";

/** Kinds that the API server reads into Go's types: bytes are Go's base64 there, and no matter of a schema. */
const withoutByteFormat = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === "format" && value === "byte" ? undefined : value)));

const bytesKinds: Readonly<Partial<Record<StoredKind, Schema>>> = {
  Secret: withoutByteFormat(schemas.Secret),
  ConfigMap: withoutByteFormat(schemas.ConfigMap),
};

/** What an object of a kind must be. */
export const schemaOf = (kind: StoredKind, object: unknown): Schema =>
  bytesKinds[kind] ?? overlaySchemaOf(kind, object) ?? schemas[kind];

/** Kinds whose names become DNS labels. */
const labelNamed: ReadonlySet<StoredKind> = new Set(["Namespace", "Service"]);

export const metadataFaultsOf = (kind: StoredKind, object: Fields): readonly Fault[] =>
  metadataFaults(object, {
    isNamespaced: storedKinds[kind].namespaced,
    ...(labelNamed.has(kind) ? { nameFaults: labelFaults } : {}),
    ...(kind === "ClusterTrustBundle" ? { nameFaults: bundleNameFaults(object) } : {}),
  });

/** What the API server makes of an object before it checks it against its schema. */
export function completeBuiltin(kind: StoredKind, object: Fields): Completed {
  if (kind === "Secret") return completeSecret(object);
  return kind === "ConfigMap" ? completeConfigMap(object) : { object, faults: [] };
}

const checks: Readonly<Partial<Record<StoredKind, (object: Fields) => readonly Fault[]>>> = {
  ClusterTrustBundle: clusterTrustBundleFaults,
  ConfigMap: configMapFaults,
  EndpointSlice: endpointSliceFaults,
  Secret: secretFaults,
  Service: serviceFaults,
};

/** What the API server would say of an object that its schema takes. */
export const objectFaults = (kind: StoredKind, object: Fields): readonly Fault[] => checks[kind]?.(object) ?? [];
