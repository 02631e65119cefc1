export {
  createFakeApiServer,
  failure,
  type FakeApiServer,
  type FakeObject,
  type Interceptor,
} from "./fake-api-server.ts";
export { applyMergePatch, isRecord, type JsonObject } from "./merge-patch.ts";
export { createManualTime, type ManualTime } from "./manual-time.ts";
