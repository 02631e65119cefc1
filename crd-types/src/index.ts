// What most readers need; everything else is under its module, for example `@gatewright/crd-types/gateway/v1`.
export {
  type AnyKind,
  type KindInfo,
  type KindMap,
  type KindName,
  type KindVersion,
  kinds,
} from "./generated/api/kinds.ts";
export type { Condition, LabelSelector, ObjectMeta, OwnerReference } from "./generated/api/meta/v1.ts";
export { findKind, findKindInGroup, groupOf, versionOf } from "./kinds.ts";
