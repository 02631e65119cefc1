export { apiFailure, isOfEndingNamespace, isSuccess } from "./api-failure.ts";
export { type ApiRequest, type ApiResponse, type ApiServer, ApiUnreachableError } from "./api-server.ts";
export { resourcePath, type ResourcePath } from "./resource-path.ts";
export { type ApiServerCheck, checkApiServer, type Cluster, connectToCluster, type ConnectOptions } from "./connect.ts";
export { ClusterError } from "./cluster-error.ts";
export {
  createListWatch,
  type ListWatch,
  type ListWatchOptions,
  type ListWatchState,
  type ObjectEvent,
} from "./list-watch.ts";
export { type RawObject } from "./raw-object.ts";
export { type Trouble } from "./trouble.ts";
export { type ServedKind, type ServedKinds } from "./served-kind.ts";
export { createBackoff, type Backoff, type BackoffOptions } from "./backoff.ts";
export { serviceAccountFolder } from "./service-account.ts";
export { stayAlive } from "./stay.ts";
