export type { BackendView } from "./backend.ts";
export {
  backendKey,
  type BackendTransport,
  parseBackendKey,
  presenting,
  serviceOfBackend,
  weightedClusterName,
} from "./backend-key.ts";
export {
  type BackendReader,
  createBackendReader,
  createBackends,
  createClusters,
  type NamedClusters,
} from "./tables.ts";
