import { createHash } from "node:crypto";
import type { DesiredStatus } from "../../gatewayapi/index.ts";
import { mergeStatus, observedGenerationOf, type Status, withoutEntriesOf } from "../merge.ts";
import { type StatusPatch, statusPatch } from "../status-patch.ts";

/** One state of an object in the cluster: as much of it as a status is about. */
export type Observed = {
  readonly resourceVersion: string;
  readonly uid: string;
  readonly generation: number;
  readonly status: Status | undefined;
};

export type Plan =
  /** The cluster has what we want, as far as others leave room for it. */
  | { readonly kind: "stands"; readonly status: Status }
  /** What we want was computed from an older object than there is: the next round brings a newer one. */
  | { readonly kind: "outdated" }
  | { readonly kind: "write"; readonly base: Observed; readonly status: Status; readonly patch: StatusPatch };

export type PlanOptions = {
  /** What the store has: what translation has seen or is about to see. */
  readonly seen: Observed;
  /** What is to be written upon: the newest state that we know of. */
  readonly base: Observed;
  readonly controllerName: string;
  /** RFC 3339. */
  readonly now: string;
};

export function planStatus(desired: DesiredStatus | undefined, { seen, base, controllerName, now }: PlanOptions): Plan {
  if (desired !== undefined && isOutdated(desired, seen, base, controllerName)) return { kind: "outdated" };
  const status =
    desired === undefined
      ? withoutEntriesOf(controllerName, base.status ?? {})
      : mergeStatus(base.status, desired.status, controllerName, now);
  const patch = statusPatch(base.status, status);
  return patch === undefined ? { kind: "stands", status } : { kind: "write", base, status, patch };
}

function isOutdated({ generation }: DesiredStatus, seen: Observed, base: Observed, controllerName: string): boolean {
  if (seen.generation > generation) return true;
  const observedGeneration = observedGenerationOf(base.status, controllerName);
  // More than the object itself has is nonsense, from a backup perhaps, and must not stop us for ever.
  return observedGeneration > generation && observedGeneration <= base.generation;
}

/** What a patch comes to apart from times: the same for two that do the same. */
export const effectOf = (patch: StatusPatch): string =>
  createHash("sha256")
    .update(JSON.stringify(patch, (key, value: unknown) => (key === "lastTransitionTime" ? undefined : value)))
    .digest("base64url")
    .slice(0, 16);

/**
 * Whether a resourceVersion is newer than another of the same kind. They are numbers that rise; of one that is none we only know that it
 * differs. https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
 */
export function isNewer(left: string, right: string): boolean {
  if (!isNumber(left) || !isNumber(right)) return left !== right;
  return left.length === right.length ? left > right : left.length > right.length;
}

const isNumber = (text: string): boolean => /^(0|[1-9]\d*)$/.test(text);

/** Of an object as the store or the API server has it. */
export function observedOf(object: unknown): Observed {
  const { metadata, status } = recordOf(object);
  const { resourceVersion, uid, generation } = recordOf(metadata);
  return {
    resourceVersion: typeof resourceVersion === "string" ? resourceVersion : "",
    uid: typeof uid === "string" ? uid : "",
    generation: typeof generation === "number" ? generation : 0,
    status: typeof status === "object" && status !== null ? { ...status } : undefined,
  };
}

const recordOf = (value: unknown): { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null ? { ...value } : {};
