import type { Schema } from "@gatewright/crd-types/schema";
import { schemas } from "@gatewright/crd-types/schemas";
import { type StoredKind, storedKinds } from "../../store/index.ts";
import type { Fields } from "../../lib/index.ts";
import { bundleNameFaults, clusterTrustBundleFaults } from "./cluster-trust-bundle.ts";
import { type Completed, completeConfigMap, completeSecret, configMapFaults, secretFaults } from "./data.ts";
import { endpointSliceFaults } from "./endpoint-slice.ts";
import type { Fault } from "./fault.ts";
import { metadataFaults } from "./metadata.ts";
import { labelFaults } from "./names.ts";
import { namespaceFaults } from "./namespace.ts";
import { overlaySchemaOf } from "./overlay.ts";
import { serviceFaults } from "./service.ts";

/** Kinds that the API server reads into Go's types: bytes are Go's base64 there, and no matter of a schema. */
const withoutByteFormat = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === "format" && value === "byte" ? undefined : value)));

/** To Go a name that is missing is an empty one, which a zone may have. */
const withNamelessZones = (schema: Schema): Schema =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      key === "forZones" ? { ...value, items: { ...value.items, required: undefined } } : value,
    ),
  );

const adjusted: Readonly<Partial<Record<StoredKind, Schema>>> = {
  Secret: withoutByteFormat(schemas.Secret),
  ConfigMap: withoutByteFormat(schemas.ConfigMap),
  EndpointSlice: withNamelessZones(schemas.EndpointSlice),
};

/** What an object of a kind must be. */
export const schemaOf = (kind: StoredKind, object: unknown): Schema =>
  adjusted[kind] ?? overlaySchemaOf(kind, object) ?? schemas[kind];

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
  // Go's types have no way to say that it is not there.
  if (kind === "ClusterTrustBundle") return { object: { ...object, spec: object["spec"] ?? {} }, faults: [] };
  return kind === "ConfigMap" ? completeConfigMap(object) : { object, faults: [] };
}

const checks: Readonly<Partial<Record<StoredKind, (object: Fields) => readonly Fault[]>>> = {
  ClusterTrustBundle: clusterTrustBundleFaults,
  ConfigMap: configMapFaults,
  EndpointSlice: endpointSliceFaults,
  Namespace: namespaceFaults,
  Secret: secretFaults,
  Service: serviceFaults,
};

/** What the API server would say of an object that its schema takes. */
export const objectFaults = (kind: StoredKind, object: Fields): readonly Fault[] => checks[kind]?.(object) ?? [];
