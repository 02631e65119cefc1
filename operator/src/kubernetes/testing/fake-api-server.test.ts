import assert from "node:assert/strict";
import type { ApiRequest } from "../api-server.ts";
import { createFakeApiServer } from "./fake-api-server.ts";

const collection = "/apis/example.com/v1/namespaces/a/things";
const path = `${collection}/one`;
const thing = {
  apiVersion: "example.com/v1",
  kind: "Thing",
  metadata: { name: "one", namespace: "a" },
  spec: { n: 1 },
};
const patch = (body: unknown, at = path): ApiRequest => ({
  method: "PATCH",
  path: at,
  body,
  contentType: "application/merge-patch+json",
});

describe("the API server in memory", () => {
  it("keeps status apart from the rest, and counts versions and generations", async () => {
    const api = createFakeApiServer();
    assert.equal((await api.request({ method: "POST", path: collection, body: thing })).status, 201);
    assert.equal((await api.request({ method: "POST", path: collection, body: thing })).status, 409);
    const first = api.get(path);
    await api.request(patch({ status: { ready: true }, spec: { n: 9 } }, `${path}/status`));
    const second = api.get(path);
    assert.deepEqual(
      [second?.["spec"], second?.["status"], second?.metadata.generation],
      [{ n: 1 }, { ready: true }, 1],
    );
    assert.ok(Number(second?.metadata.resourceVersion) > Number(first?.metadata.resourceVersion));
    await api.request(patch({ status: { ready: false }, spec: { n: 2, gone: null } }));
    const third = api.get(path);
    assert.deepEqual([third?.["spec"], third?.["status"], third?.metadata.generation], [{ n: 2 }, { ready: true }, 2]);
  });

  it("refuses what is meant for an older version, and tells nobody of what changes nothing", async () => {
    const api = createFakeApiServer();
    const { resourceVersion } = api.put(path, thing).metadata;
    const told: string[] = [];
    api.onChange((at) => told.push(at));
    assert.equal((await api.request(patch({ spec: { n: 1 } }))).status, 200);
    assert.deepEqual(told, []);
    assert.equal((await api.request(patch({ metadata: { resourceVersion }, spec: { n: 2 } }))).status, 200);
    assert.equal((await api.request(patch({ metadata: { resourceVersion }, spec: { n: 3 } }))).status, 409);
    assert.deepEqual(told, [path]);
    assert.equal((await api.request({ method: "DELETE", path })).status, 200);
    assert.equal((await api.request({ method: "GET", path })).status, 404);
  });

  it("lets tests answer, fail and hold requests", async () => {
    const api = createFakeApiServer();
    api.put(path, thing);
    const stop = api.intercept(() => new Error("down"));
    await assert.rejects(api.request({ method: "GET", path }), /down/);
    stop();
    const controller = new AbortController();
    api.intercept(() => new Promise(() => undefined));
    const held = api.request({ method: "GET", path, signal: controller.signal });
    controller.abort();
    await assert.rejects(held, /aborted/);
  });
});
