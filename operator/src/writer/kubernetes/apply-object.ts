import { createHash } from "node:crypto";
import type { ObjectMeta } from "@gatewright/crd-types/meta/v1";
import { resourcePath } from "../../kubernetes/index.ts";

/** A kind of objects that we make. */
export type OwnKind = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
};

/** An object as it is to be, without anything that the API server adds. */
export type DesiredObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
};

/** An object as the API server has it. */
export type OwnObject = {
  readonly [field: string]: unknown;
  readonly metadata: ObjectMeta & {
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
};

export const fieldManager = "gatewright";

/** By this label our objects are found among all others. */
export const managedBy = { name: "app.kubernetes.io/managed-by", value: "gatewright" } as const;

/** Says what was applied last, so that one who has just started knows whether there is anything to do. */
const contentAnnotation = "gatewright.dev/content";

export const refOf = (kind: string, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;

export const pathOf = ({ group, version, plural }: OwnKind, { namespace, name }: DesiredObject["metadata"]): string =>
  resourcePath({ group, version, plural, namespace, name });

export function isOwnObject(value: unknown): value is OwnObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  const { metadata } = value;
  if (typeof metadata !== "object" || metadata === null) return false;
  return ["namespace", "name", "uid", "resourceVersion"].every(
    (field) => typeof Reflect.get(metadata, field) === "string",
  );
}

const ownerGroup = "gateway.networking.k8s.io";

/** The Gateway that owns an object, as `namespace/name`. An earlier one of the same name counts: what it left is taken over. */
export function gatewayOf({ metadata }: OwnObject): string | undefined {
  const owner = metadata.ownerReferences?.find(
    ({ apiVersion, kind }) => kind === "Gateway" && apiVersion.startsWith(`${ownerGroup}/`),
  );
  return owner && `${metadata.namespace}/${owner.name}`;
}

/** Whether we made it, for this Gateway. Others make objects that a Gateway owns too; some even of the same name. */
export function isOurs(object: OwnObject, gateway: string): boolean {
  const { labels, managedFields = [] } = object.metadata;
  const isMarked =
    labels?.[managedBy.name] === managedBy.value ||
    managedFields.some(({ manager, operation }) => manager === fieldManager && operation === "Apply");
  return isMarked && gatewayOf(object) === gateway;
}

/** A hash of what an object is to be. */
export const contentOf = (desired: DesiredObject): string =>
  createHash("sha256").update(JSON.stringify(desired, sorted)).digest("hex").slice(0, 16);

const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
    : value;

/** What to send: with the hash, and for one that is known, meant for no other that took its place. */
export function applied(desired: DesiredObject, current: OwnObject | undefined): DesiredObject {
  const { annotations = {} }: ObjectMeta = desired.metadata;
  return {
    ...withCarriedReplicas(desired, current),
    metadata: {
      ...desired.metadata,
      ...(current && { uid: current.metadata.uid }),
      annotations: { ...annotations, [contentAnnotation]: contentOf(desired) },
    },
  } as DesiredObject;
}

export const appliedContent = ({ metadata }: OwnObject): string | undefined =>
  metadata.annotations?.[contentAnnotation];

/**
 * A number of replicas that is no longer ours to say stays until an autoscaler has taken it over: to leave it out would set it to 1.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#transferring-ownership
 */
function withCarriedReplicas(desired: DesiredObject, current: OwnObject | undefined): DesiredObject {
  const wanted = fieldOf(desired, "spec");
  const replicas = fieldOf(fieldOf(current, "spec"), "replicas");
  if (desired.kind !== "Deployment" || fieldOf(wanted, "replicas") !== undefined || typeof replicas !== "number")
    return desired;
  const isStillOurs = current?.metadata.managedFields?.some(
    ({ manager, fieldsV1 }) =>
      manager === fieldManager && fieldOf(fieldOf(fieldsV1, "f:spec"), "f:replicas") !== undefined,
  );
  return isStillOurs ? Object.assign({}, desired, { spec: Object.assign({}, wanted, { replicas }) }) : desired;
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
