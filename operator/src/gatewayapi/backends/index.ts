export type { BackendView } from "./backend.ts";
export { backendKey } from "./backend-key.ts";
export { createBackends, createClusters } from "./tables.ts";
