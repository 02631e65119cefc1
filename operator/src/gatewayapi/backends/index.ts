export type { BackendView } from "./backend.ts";
export { backendKey, type BackendTransport, serviceOfBackend, weightedClusterName } from "./backend-key.ts";
export { createBackends, createClusters } from "./tables.ts";
