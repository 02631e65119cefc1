import { type KindInfo, type KindName, kinds } from "./generated/api/kinds.ts";

/** The group of an apiVersion: `gateway.networking.k8s.io/v1` has `gateway.networking.k8s.io`, `v1` has the empty one. */
export const groupOf = (apiVersion: string): string => apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));

/** The version of an apiVersion: `v1` for `gateway.networking.k8s.io/v1` and for `v1`. */
export const versionOf = (apiVersion: string): string => apiVersion.slice(apiVersion.indexOf("/") + 1);

const byGroupKind = new Map<string, KindInfo & { readonly id: KindName }>(
  Object.values(kinds).map((info) => [groupKind(info.group, info.kind), info]),
);

/** What is known of the kind that an object names; undefined for a kind that is not in the table. Any version will do. */
export const findKind = (apiVersion: string, kind: string): (KindInfo & { readonly id: KindName }) | undefined =>
  byGroupKind.get(groupKind(groupOf(apiVersion), kind));

/** What is known of a kind by its group, as references between objects name it. */
export const findKindInGroup = (group: string, kind: string): (KindInfo & { readonly id: KindName }) | undefined =>
  byGroupKind.get(groupKind(group, kind));

function groupKind(group: string, kind: string): string {
  return `${group}/${kind}`;
}
