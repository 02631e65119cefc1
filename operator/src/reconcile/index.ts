export type { EncodedResource, Publisher, ResourceChange, Verdict } from "./publisher.ts";
export type { SharedRefusal } from "./refusals.ts";
export { createReconciler, type Reconciler, type ReconcilerOptions, type Round } from "./reconciler.ts";
