export { type Channel, channels, Crds, type Overlay, overlays } from "./crds.ts";
export { Operator } from "./operator.ts";
export { OperatorGuard } from "./operator-guard.ts";
export { type OperatorOptions } from "./operator-options.ts";
export { madeKinds, OperatorRoles, readKinds, reportedKinds } from "./operator-roles.ts";
export { UserRoles } from "./user-roles.ts";
