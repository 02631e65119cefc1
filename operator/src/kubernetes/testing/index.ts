export { applyJsonPatch } from "./json-patch.ts";
export {
  createFakeApiServer,
  failure,
  failureOfEndingNamespace,
  type FakeApiServer,
  type FakeObject,
  type Interceptor,
} from "./fake-api-server.ts";
export { applyMergePatch, isRecord, type JsonObject } from "./merge-patch.ts";
export { createManualTime, type ManualTime } from "./manual-time.ts";
export {
  type HttpServer,
  type Reply,
  type SeenRequest,
  type ServedResource,
  startHttpServer,
  statusOf,
  type StoredObject,
} from "./http-server.ts";
export { createRecorder, type Recorder } from "./recorder.ts";
export { until } from "./until.ts";
export { connectPlainly } from "./connect.ts";
