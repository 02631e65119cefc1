import assert from "node:assert/strict";
import type { KindName } from "@gatewright/crd-types";
import { type ApiServer, type ServedKind } from "../../kubernetes/index.ts";
import {
  connectPlainly,
  createRecorder,
  type HttpServer,
  startHttpServer,
  statusOf,
  until,
} from "../../kubernetes/testing/index.ts";
import type { Change } from "../../store/index.ts";
import { createKubernetesSource, type KubernetesSource, type KubernetesSourceOptions } from "./kubernetes-source.ts";

const group = "gateway.networking.k8s.io";
const routes = { group, versions: ["v1beta1", "v1"], kind: "HTTPRoute", plural: "httproutes", namespaced: true };
const secrets = { group: "", versions: ["v1"], kind: "Secret", plural: "secrets", namespaced: true };
const classes = { group, versions: ["v1"], kind: "GatewayClass", plural: "gatewayclasses", namespaced: false };
const resources = [routes, secrets, classes];

const route = (name: string, hostname = "a.example") => ({
  metadata: { name, namespace: "a", generation: 1 },
  spec: { hostnames: [hostname] },
});

describe("createKubernetesSource()", () => {
  let server: HttpServer;
  let api: ApiServer;
  let source: KubernetesSource;

  beforeEach(async () => {
    server = await startHttpServer();
    for (const resource of resources) server.serve(resource);
    api = connectPlainly(server.url);
  });
  afterEach(async () => {
    source.close();
    api.close();
    await server.close();
  });

  /** What a discovery would say, held in hand. */
  function makeServed() {
    const served = new Map<KindName, ServedKind>();
    const listeners = new Set<() => void>();
    const set = (kind: KindName, version: string | undefined) => {
      const resource = resources.find((one) => one.kind === kind);
      assert.ok(resource !== undefined);
      if (version === undefined) served.delete(kind);
      else served.set(kind, { group: resource.group, version, plural: resource.plural });
      for (const listener of listeners) listener();
    };
    for (const { kind } of resources) set(kind as KindName, "v1");
    const onChange = (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    return { served: () => served, onChange, set };
  }

  function start(options: Partial<KubernetesSourceOptions> = {}) {
    const recorder = createRecorder();
    const served = makeServed();
    const store = new Map<string, Change["object"]>();
    const changes: Change[] = [];
    let synced = 0;
    let storeAtSync: readonly string[] = [];
    source = createKubernetesSource({
      api,
      served,
      logger: recorder.logger,
      clock: {
        after: (ms, action) => {
          const timer = setTimeout(action, Math.min(ms, 10));
          return () => clearTimeout(timer);
        },
      },
      onChanges: (batch) => {
        for (const change of batch) {
          changes.push(change);
          const name = `${change.kind} ${change.key}`;
          if (change.object === undefined) store.delete(name);
          else store.set(name, change.object);
        }
      },
      onSynced: () => {
        synced++;
        storeAtSync = [...store.keys()].toSorted();
      },
      ...options,
    });
    source.start();
    return { recorder, served, store, changes, synced: () => synced, storeAtSync: () => storeAtSync };
  }

  it("hands over all kinds, and then says so once", async () => {
    server.put("httproutes", route("one"));
    server.put("secrets", {
      metadata: { name: "s", namespace: "a" },
      type: "kubernetes.io/tls",
      data: { "tls.key": "eA==" },
    });
    server.put("gatewayclasses", { metadata: { name: "c" }, spec: { controllerName: "example.com/x" } });
    const { store, synced, storeAtSync } = start();
    await until(() => synced() === 1);
    assert.deepEqual(storeAtSync(), ["GatewayClass c", "HTTPRoute a/one", "Secret a/s"]);
    server.put("httproutes", route("one", "b.example"));
    server.remove("gatewayclasses", "c");
    await until(() => store.size === 2);
    await until(() => JSON.stringify(store.get("HTTPRoute a/one")).includes("b.example"));
    server.compact();
    server.cut("reset");
    server.put("httproutes", route("two"));
    await until(() => store.has("HTTPRoute a/two"));
    assert.equal(synced(), 1);
    assert.equal(source.isSynced(), true);
    const state = source.state().get("HTTPRoute");
    assert.deepEqual([state?.isListed, state?.objects, state?.lists, state?.skipped], [true, 2, 2, 0]);
  });

  it("does not ask for Secrets that are no certificates", async () => {
    const { synced } = start();
    await until(() => synced() === 1);
    const asked = server.requests.filter(({ path }) => path.endsWith("/secrets"));
    assert.ok(asked.every(({ query }) => query.get("fieldSelector")?.includes("type!=helm.sh/release.v1")));
  });

  it("waits for every kind, through faults, and for the right to read it", async () => {
    const forbidden = server.intercept(({ path }) =>
      path.endsWith("/secrets") ? { status: 403, body: statusOf(403, "Forbidden", "secrets is forbidden") } : undefined,
    );
    const failing = server.intercept(({ path }) => (path.endsWith("/httproutes") ? { status: 500 } : undefined));
    server.put("httproutes", route("one"));
    const { recorder, store, synced } = start();
    await until(() => server.requests.filter(({ path }) => path.endsWith("/httproutes")).length > 3);
    await until(() => source.state().get("Secret")?.trouble?.kind === "forbidden");
    assert.equal(synced(), 0);
    failing();
    await until(() => store.has("HTTPRoute a/one"));
    assert.equal(synced(), 0, "what Envoys know of Secrets would be taken from them");
    assert.equal(recorder.lines("warn").filter((line) => line.startsWith("Secret cannot be read")).length, 1);
    server.put("secrets", { metadata: { name: "s", namespace: "a" } });
    forbidden();
    await until(() => synced() === 1);
    assert.ok(store.has("Secret a/s"));
  });

  it("leaves out what does not fit, says so, and keeps the last good form", async () => {
    server.put("httproutes", route("one"));
    server.put("httproutes", route("two", "not a host!"));
    server.put("secrets", { metadata: { name: "s", namespace: "a" }, data: { "tls.key": 42 } });
    const { recorder, store, changes, synced } = start();
    await until(() => synced() === 1);
    assert.deepEqual([...store.keys()], ["HTTPRoute a/one"]);
    server.put("httproutes", route("one", "neither!"));
    await until(() => recorder.lines("warn").length === 3);
    assert.equal(source.state().get("HTTPRoute")?.skipped, 2);
    assert.match(recorder.lines("warn")[2] ?? "", /^HTTPRoute a\/one is left out as it is now/);
    assert.match(JSON.stringify(store.get("HTTPRoute a/one")), /a\.example/);
    server.put("httproutes", route("two"));
    server.remove("httproutes", "a/one");
    await until(() => store.has("HTTPRoute a/two") && !store.has("HTTPRoute a/one"));
    assert.equal(source.state().get("HTTPRoute")?.skipped, 0);
    assert.equal(changes.length, 3);
  });

  it("does not fill the log where nothing fits", async () => {
    for (let i = 0; i < 100; i++) server.put("httproutes", route(`r${i}`, "not a host!"));
    const { recorder, synced } = start();
    await until(() => synced() === 1);
    assert.equal(source.state().get("HTTPRoute")?.skipped, 100);
    assert.equal(recorder.lines("warn").length, 21);
  });

  it("follows kinds that come, go and change their version", async () => {
    server.put("httproutes", route("one"));
    const { served, store, changes, synced } = start();
    await until(() => synced() === 1);
    served.set("HTTPRoute", "v1beta1");
    await until(() => server.requests.some(({ path, query }) => path.includes("v1beta1") && query.has("watch")));
    assert.equal(changes.length, 1);
    assert.equal(source.state().get("HTTPRoute")?.version, "v1beta1");
    served.set("HTTPRoute", undefined);
    assert.equal(store.size, 0);
    assert.equal(source.state().has("HTTPRoute"), false);
    await until(() => server.watches("httproutes") === 0);
    served.set("HTTPRoute", "v1");
    await until(() => store.size === 1);
  });

  it("keeps objects while their kind is missing, and drops them when discovery says that it is gone", async () => {
    server.put("httproutes", route("one"));
    const { served, store, synced } = start();
    await until(() => synced() === 1);
    server.withdraw("httproutes");
    await until(() => source.state().get("HTTPRoute")?.trouble?.kind === "missing");
    assert.equal(store.size, 1);
    served.set("HTTPRoute", undefined);
    assert.equal(store.size, 0);
  });

  it("starts at once where nothing of what it knows is served", () => {
    const { served } = start();
    for (const { kind } of resources) served.set(kind as KindName, undefined);
    assert.equal(source.isSynced(), true);
  });
});
