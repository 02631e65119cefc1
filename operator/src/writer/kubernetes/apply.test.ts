import assert from "node:assert/strict";
import type { Placement, ProxyState } from "../../gatewayapi/index.ts";
import type { ApiRequest, ListWatchOptions, RawObject } from "../../kubernetes/index.ts";
import {
  applyMergePatch,
  createFakeApiServer,
  createManualTime,
  failure,
  failureOfEndingNamespace,
  type Interceptor,
  isRecord,
  type JsonObject,
} from "../../kubernetes/testing/index.ts";
import { silentLogger } from "../../lib/index.ts";
import { type Applier, createApplier } from "./apply.ts";
import type { DesiredObject, OwnKind } from "./apply-object.ts";

const kinds: readonly OwnKind[] = [
  { group: "", version: "v1", kind: "Service", plural: "services" },
  { group: "", version: "v1", kind: "Secret", plural: "secrets" },
  { group: "apps", version: "v1", kind: "Deployment", plural: "deployments" },
  { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers" },
];
const paths = {
  service: "/api/v1/namespaces/shop/services/web-gatewright",
  deployment: "/apis/apps/v1/namespaces/shop/deployments/web-gatewright",
  gateway: "/apis/gateway.networking.k8s.io/v1/namespaces/shop/gateways/web",
  autoscaler: "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers/web-gatewright",
};
const gateway = "shop/web";

const owner = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  name: "web",
  uid: "gw-1",
  controller: true,
};
const labels = { "app.kubernetes.io/managed-by": "gatewright", "gateway.networking.k8s.io/gateway-name": "web" };

type Content = JsonObject & { readonly metadata?: JsonObject };
const object = (apiVersion: string, kind: string, { metadata, ...rest }: Content): DesiredObject & JsonObject => {
  const named = { name: "web-gatewright", namespace: "shop", labels, ownerReferences: [owner], ...metadata };
  return { apiVersion, kind, metadata: named, ...rest };
};
const service = (...ports: readonly number[]) =>
  object("v1", "Service", {
    spec: { type: "LoadBalancer", ports: ports.map((port) => ({ name: `tcp-${port}`, port, protocol: "TCP" })) },
  });
const deployment = (spec: JsonObject = { replicas: 2 }) => object("apps/v1", "Deployment", { spec });
const autoscaler = object("autoscaling/v2", "HorizontalPodAutoscaler", { spec: { maxReplicas: 5 } });
const objects = (...wanted: readonly DesiredObject[]) => ({ kind: "objects", objects: wanted }) as const;

function keyOf(path: string): string {
  const [, namespace, name] = /\/namespaces\/([^/]*)\/[^/]*\/(.*)$/.exec(path) ?? [];
  return namespace === undefined ? path.slice(path.lastIndexOf("/") + 1) : `${namespace}/${name}`;
}

/** A cluster with server-side apply, as far as it concerns us, and what an applier says of it. */
function createCluster() {
  const api = createFakeApiServer();
  const time = createManualTime();
  const appliedBefore = new Map<string, JsonObject>();
  const watches = new Set<ListWatchOptions>();
  let isLeader = true;
  let gatewayMetadata: JsonObject | undefined = { uid: owner.uid };
  const ours = new Set<string>();
  const placements = new Map<string, Placement | undefined>();
  const states = new Map<string, ProxyState | undefined>();

  let override: Interceptor | undefined;
  api.intercept((request) => override?.(request));
  api.intercept(({ method, path }) => {
    if (method !== "GET" || path !== paths.gateway) return undefined;
    return gatewayMetadata ? { status: 200, body: { metadata: gatewayMetadata } } : failure(404, "NotFound", "gone");
  });
  // What an earlier apply said and this one does not is taken away; what others wrote stays.
  api.intercept(({ method, path, contentType, body }) => {
    if (method !== "PATCH" || contentType !== "application/apply-patch+yaml" || !isRecord(body)) return undefined;
    const current = api.get(path);
    const { uid } = isRecord(body["metadata"]) ? body["metadata"] : {};
    if (uid !== undefined && uid !== current?.metadata.uid) return failure(409, "Conflict", "uid mismatch");
    const { apiVersion, kind, metadata, ...content } = body;
    const removals = Object.fromEntries(Object.keys(appliedBefore.get(path) ?? {}).map((key) => [key, null]));
    const emptied = applyMergePatch(current ?? {}, isRecord(content["spec"]) ? { spec: removals } : {});
    const managedFields = [{ manager: "gatewright", operation: "Apply", fieldsV1: fieldsOf(content) }];
    const merged = applyMergePatch(emptied, {
      apiVersion: apiVersion ?? null,
      kind: kind ?? null,
      metadata: { ...(isRecord(metadata) ? metadata : {}), managedFields },
      ...content,
    });
    appliedBefore.set(path, isRecord(content["spec"]) ? content["spec"] : {});
    return { status: 200, body: api.put(path, merged) };
  });

  function tell(options: ListWatchOptions, path: string, found: JsonObject | undefined): void {
    const isOfNode = path.startsWith("/api/v1/nodes/");
    const [, kindPath, key] = /^(.*)\/namespaces\/(.*)$/.exec(path) ?? [];
    const [, plural] = key?.split("/") ?? [];
    if ((isOfNode ? "/api/v1/nodes" : `${kindPath}/${plural}`) !== options.path) return;
    const metadata = isRecord(found?.["metadata"]) ? found["metadata"] : {};
    const isMarked =
      isRecord(metadata["labels"]) && metadata["labels"]["app.kubernetes.io/managed-by"] === "gatewright";
    // As a list has it, without its kind.
    const { apiVersion: _, kind: __, ...listed } = structuredClone(found ?? {});
    options.onEvents([
      found !== undefined && (isMarked || isOfNode)
        ? { kind: "present", key: keyOf(path), object: listed as RawObject }
        : { kind: "gone", key: keyOf(path) },
    ]);
  }
  api.onChange((path, found) => {
    for (const options of watches) tell(options, path, found);
  });

  const create = (): Applier =>
    createApplier({
      api,
      kinds,
      logger: silentLogger,
      isLeader: () => isLeader,
      isOurs: (key) => ours.has(key),
      reservedPorts: new Map([[19_001, "taken"]]),
      onPlacement: (key, placement) => placements.set(key, placement),
      onState: (key, state) => states.set(key, state),
      clock: time,
      now: time.now,
      watch: (options) => {
        watches.add(options);
        let isListed = false;
        queueMicrotask(() => {
          for (const path of api.paths()) tell(options, path, api.get(path));
          isListed = true;
          options.onState?.();
        });
        return {
          state: () => ({ isListed, objects: 0, lists: 1, watches: 1 }),
          close: () => watches.delete(options),
        };
      },
    });

  const writesOf = (requests: readonly ApiRequest[]) =>
    requests.flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path.split("/").slice(-2)[0]}`]));
  return {
    api,
    time,
    create,
    placements,
    states,
    /** Gateways that are there, whatever is wanted for them. */
    ours,
    /** What the API server knows of the Gateway. */
    setGateway: (metadata: JsonObject | undefined) => (gatewayMetadata = metadata),
    lead: (leads: boolean) => (isLeader = leads),
    /** What happens to requests in place of what would. */
    override: (interceptor: Interceptor | undefined) => (override = interceptor),
    /** Paths of what is watched. */
    watched: () => [...watches].map(({ path }) => path),
    /** Requests that write, since the last call. */
    writes: () => writesOf(api.requests.splice(0)),
  };
}

function fieldsOf(value: unknown): JsonObject {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [`f:${name}`, fieldsOf(inner)]));
}

async function open(...wanted: readonly DesiredObject[]) {
  const cluster = createCluster();
  const applier = cluster.create();
  await applier.synced;
  applier.want(gateway, objects(...wanted));
  applier.compareAll();
  await applier.settled();
  return { ...cluster, applier, created: cluster.writes() };
}

const message = (state: ProxyState | undefined) => (state?.kind === "pending" ? state.message : state?.kind);

describe("createApplier()", () => {
  it("makes what is wanted, in its order, and then has nothing to do", async () => {
    const { created, writes, api, applier } = await open(service(80), deployment());
    assert.deepEqual(created, ["PATCH services", "PATCH deployments"]);
    assert.deepEqual(api.get(paths.service)?.["spec"], service(80)["spec"]);
    applier.want(gateway, objects(service(80), deployment()));
    applier.compareAll();
    await applier.settled();
    assert.deepEqual(writes(), []);
  });

  it("says as a field manager what it wants, and takes it from whoever has it", async () => {
    const cluster = createCluster();
    const applier = cluster.create();
    applier.want(gateway, objects(service(80)));
    await applier.synced;
    await applier.settled();
    const patch = cluster.api.requests.find(({ method }) => method === "PATCH");
    assert.deepEqual(patch?.query, { fieldManager: "gatewright", force: true });
    assert.equal(patch.contentType, "application/apply-patch+yaml");
  });

  it("writes what has changed and nothing else", async () => {
    const { applier, writes, api } = await open(service(80), deployment());
    applier.want(gateway, objects(service(80, 443), deployment()));
    await applier.settled();
    assert.deepEqual(writes(), ["PATCH services"]);
    assert.deepEqual(api.get(paths.service)?.["spec"], service(80, 443)["spec"]);
  });

  it("does not write after a restart when nothing has changed, and writes what has", async () => {
    const { applier, create, writes } = await open(service(80), deployment());
    await applier.close();
    const second = create();
    second.want(gateway, objects(service(80), deployment({ replicas: 3 })));
    await second.synced;
    second.compareAll();
    await second.settled();
    assert.deepEqual(writes(), ["PATCH deployments"]);
  });

  it("takes it for nobody's doing when the API server writes the same in another form", async () => {
    const { api, applier, create, writes, override } = await open();
    override(({ method, path, body }) => {
      if (method !== "PATCH" || !isRecord(body)) return undefined;
      const status = api.get(path)?.["status"];
      return {
        status: 200,
        body: api.put(path, { ...body, spec: { cpu: "1" }, ...(status !== undefined && { status }) }),
      };
    });
    const wanted = objects(deployment({ cpu: "1000m" }));
    applier.want(gateway, wanted);
    await applier.settled();
    api.put(paths.deployment, { ...api.get(paths.deployment), status: { readyReplicas: 1 } });
    await applier.settled();
    assert.deepEqual(writes(), ["PATCH deployments"]);
    await applier.close();
    // One who has just started cannot know, and asks: nothing comes of it.
    const second = create();
    second.want(gateway, wanted);
    await second.synced;
    await second.settled();
    assert.ok(writes().length <= 1);
    assert.equal(second.stats().corrections, 0);
  });

  it("sets right what somebody changed, and leaves what somebody added", async () => {
    const { api, applier, writes } = await open(service(80), deployment());
    const current = api.get(paths.deployment);
    api.put(paths.deployment, { ...current, spec: { replicas: 2, paused: false } });
    await applier.settled();
    assert.deepEqual(writes(), []);
    api.put(paths.deployment, { ...api.get(paths.deployment), spec: { replicas: 9, paused: false } });
    await applier.settled();
    assert.deepEqual(writes(), ["PATCH deployments"]);
    assert.deepEqual(api.get(paths.deployment)?.["spec"], { replicas: 2, paused: false });
    assert.equal(applier.stats().corrections, 1);
  });

  it("makes anew what somebody deleted, and marks anew what somebody unmarked", async () => {
    const { api, time, applier, writes } = await open(service(80));
    api.delete(paths.service);
    await applier.settled();
    assert.deepEqual(writes(), ["PATCH services"]);
    const { metadata, ...rest } = api.get(paths.service) ?? assert.fail();
    api.put(paths.service, { ...rest, metadata: { ...metadata, labels: {} } });
    await applier.settled();
    await time.advance(1_000);
    await applier.settled();
    assert.deepEqual(api.get(paths.service)?.metadata["labels"], labels);
  });

  for (const [how, metadata] of [
    ["is gone", undefined],
    ["is another of its name", { uid: "gw-2" }],
    ["is waiting for the end of what it owns", { uid: "gw-1", deletionTimestamp: "2026-01-01T00:00:00Z" }],
  ] as const)
    it(`makes nothing again for a Gateway that ${how}, which a watch is yet to tell`, async () => {
      const { api, applier, writes, setGateway, ours } = await open(service(80), deployment());
      ours.add(gateway);
      setGateway(metadata);
      // By the garbage collector, one after another.
      for (const path of [paths.service, paths.deployment]) {
        api.delete(path);
        await applier.settled();
      }
      ours.delete(gateway);
      applier.want(gateway, undefined);
      await applier.settled();
      assert.deepEqual(writes(), []);
      assert.equal(applier.stats().corrections, 0);
      // A new one of the same name gets all of it.
      setGateway({ uid: "gw-2" });
      const renewed = object("v1", "Service", { metadata: { ownerReferences: [{ ...owner, uid: "gw-2" }] } });
      applier.want(gateway, objects(renewed));
      await applier.settled();
      assert.deepEqual(writes(), ["PATCH services"]);
    });

  it("says nothing and tries nothing again while a namespace ends and takes all with it", async () => {
    const { api, time, applier, writes, override, states } = await open(service(80), deployment());
    override(({ method }) => (method === "PATCH" ? failureOfEndingNamespace("shop") : undefined));
    for (const path of [paths.deployment, paths.service]) {
      api.delete(path);
      await applier.settled();
    }
    await time.advance(600_000);
    assert.deepEqual(writes(), ["PATCH deployments", "PATCH services"]);
    assert.equal(applier.stats().troubled, 0);
    assert.equal(message(states.get(gateway)), "the proxies are about to be deployed");
  });

  it("makes again what was deleted once it can ask whether the Gateway is there, or is not let ask", async () => {
    const { api, time, applier, writes, override } = await open(service(80));
    override(({ path }) => (path === paths.gateway ? failure(503, "ServiceUnavailable", "etcd") : undefined));
    api.delete(paths.service);
    await applier.settled();
    assert.deepEqual(writes(), []);
    override(({ path }) => (path === paths.gateway ? failure(403, "Forbidden", "no") : undefined));
    await time.advance(500);
    await applier.settled();
    assert.deepEqual(writes(), ["PATCH services"]);
  });

  it("gives way ever longer to whoever fights for an object", async () => {
    const { api, time, applier, writes } = await open(deployment());
    const undo = () => api.put(paths.deployment, { ...api.get(paths.deployment), spec: { replicas: 9 } });
    const waits: number[] = [];
    for (let round = 0; round < 6; round++) {
      undo();
      await applier.settled();
      let waited = 0;
      for (; writes().length === 0; waited += 500) await time.advance(500);
      waits.push(waited);
    }
    assert.deepEqual(waits, [0, 1_000, 2_000, 4_000, 8_000, 16_000]);
    await time.advance(700_000);
    undo();
    await applier.settled();
    assert.deepEqual(writes(), ["PATCH deployments"], "after a long peace all is forgotten");
  });

  it("deletes what is not needed any more, and nothing of others", async () => {
    const { api, applier, writes, ours } = await open(service(80), deployment(), autoscaler);
    const foreign = "/api/v1/namespaces/shop/services/web-istio";
    api.put(foreign, object("v1", "Service", { metadata: { name: "web-istio", labels: {} } }));
    applier.want(gateway, objects(service(80), deployment()));
    await applier.settled();
    assert.deepEqual(writes(), ["DELETE horizontalpodautoscalers"]);
    applier.want(gateway, { kind: "keep" });
    applier.compareAll();
    await applier.settled();
    assert.deepEqual(writes(), []);
    ours.add(gateway);
    applier.want(gateway, undefined);
    applier.compareAll();
    await applier.settled();
    assert.deepEqual(writes(), [], "a Gateway with a mistake keeps what it has");
    ours.delete(gateway);
    applier.want(gateway, undefined);
    await applier.settled();
    assert.deepEqual(writes().toSorted(), ["DELETE deployments", "DELETE services"]);
    assert.deepEqual(api.paths(), [foreign]);
  });

  it("deletes nothing before it was told all that is wanted", async () => {
    const { applier, create, writes } = await open(service(80));
    await applier.close();
    const second = create();
    await second.synced;
    await second.settled();
    assert.deepEqual(writes(), []);
    second.compareAll();
    await second.settled();
    assert.deepEqual(writes(), ["DELETE services"]);
  });

  for (const [whose, metadata] of [
    ["nobody's", { labels: {}, ownerReferences: [] }],
    ["another implementation's, for the same Gateway", { labels: {} }],
    ["ours, for another Gateway", { ownerReferences: [{ ...owner, name: "other" }] }],
  ] as const)
    it(`leaves an object of the same name alone that is ${whose}, and says so`, async () => {
      const cluster = createCluster();
      const theirs = cluster.api.put(paths.service, object("v1", "Service", { metadata, spec: { type: "ClusterIP" } }));
      const applier = cluster.create();
      applier.want("shop/other", { kind: "keep" });
      applier.want(gateway, objects(service(80), deployment()));
      await applier.synced;
      applier.compareAll();
      await applier.settled();
      assert.deepEqual(cluster.api.get(paths.service), theirs);
      assert.match(message(cluster.states.get(gateway)) ?? "", /^Service shop\/web-gatewright exists already, and /);
      assert.ok(cluster.api.get(paths.deployment), "the rest is made");
    });

  it("has the name at once when whatever had it is gone", async () => {
    const cluster = createCluster();
    cluster.api.put(paths.service, object("v1", "Service", { metadata: { labels: {}, ownerReferences: [] } }));
    const applier = cluster.create();
    applier.want(gateway, objects(service(80), deployment()));
    await applier.synced;
    await applier.settled();
    cluster.api.delete(paths.service);
    applier.noteGone("Service", "shop/other");
    await applier.settled();
    assert.equal(cluster.api.get(paths.service), undefined);
    applier.noteGone("Service", "shop/web-gatewright");
    await applier.settled();
    assert.ok(cluster.api.get(paths.service), "it does not wait for its next try");
  });

  it("takes over what an earlier Gateway of the same name left", async () => {
    const cluster = createCluster();
    const left = object("v1", "Service", { metadata: { ownerReferences: [{ ...owner, uid: "gw-0" }] } });
    cluster.api.put(paths.service, left);
    const applier = cluster.create();
    applier.want(gateway, objects(service(80)));
    await applier.synced;
    await applier.settled();
    assert.deepEqual(cluster.api.get(paths.service)?.metadata["ownerReferences"], [owner]);
  });

  it("does not write to an object that took the place of the one it knew", async () => {
    const { api, applier, states, override } = await open(service(80));
    const stranger = {
      ...service(1),
      metadata: { name: "web-gatewright", namespace: "shop", uid: "x", resourceVersion: "9" },
    };
    // The watch has not told yet.
    override(({ method, path, body }) => {
      if (path !== paths.service) return undefined;
      if (method === "GET") return { status: 200, body: stranger };
      assert.ok(isRecord(body) && isRecord(body["metadata"]));
      assert.equal(body["metadata"]["uid"], api.get(path)?.metadata.uid);
      return failure(409, "Conflict", "uid mismatch");
    });
    applier.want(gateway, objects(service(81)));
    await applier.settled();
    assert.match(message(states.get(gateway)) ?? "", /^Service shop\/web-gatewright exists already/);
  });

  it("says what the API server does not take, tries again, and says when it is over", async () => {
    const { time, applier, states, override, writes } = await open(service(80));
    override(({ method, path }) =>
      method === "PATCH" && path === paths.deployment
        ? failure(403, "Forbidden", "exceeded quota: compute")
        : undefined,
    );
    applier.want(gateway, objects(service(80), deployment()));
    await applier.settled();
    const expected = "Deployment shop/web-gatewright cannot be applied: 403 Forbidden: exceeded quota: compute";
    assert.equal(message(states.get(gateway)), expected);
    assert.equal(applier.stats().troubled, 1);
    await time.advance(4_000);
    assert.deepEqual(writes(), ["PATCH deployments"], "nobody has helped meanwhile");
    override(undefined);
    await time.advance(2_000);
    await applier.settled();
    assert.equal(message(states.get(gateway)), "0 of 2 proxies are ready");
    assert.equal(applier.stats().troubled, 0);
  });

  it("says nothing to users of a server that is away, and goes on when it is back", async () => {
    const { api, time, applier, states, override, writes } = await open(service(80));
    override(({ method }) => (method === "GET" ? undefined : failure(503, "ServiceUnavailable", "etcd")));
    applier.want(gateway, objects(service(81), deployment()));
    await applier.settled();
    assert.equal(message(states.get(gateway)), "the proxies are about to be deployed");
    assert.deepEqual(writes(), ["PATCH services"], "one request is enough to know");
    override(undefined);
    await time.advance(500);
    await applier.settled();
    assert.ok(api.get(paths.deployment));
  });

  it("writes nothing unless it leads, and tells how proxies are all the same", async () => {
    const cluster = createCluster();
    cluster.lead(false);
    const applier = cluster.create();
    applier.want(gateway, objects(service(80), deployment()));
    await applier.synced;
    applier.compareAll();
    await applier.settled();
    assert.deepEqual(cluster.writes(), []);
    cluster.api.put(paths.deployment, { ...deployment(), status: { readyReplicas: 1 } });
    assert.deepEqual(cluster.states.get(gateway), { kind: "ready" });
    cluster.lead(true);
    applier.compareAll();
    await applier.settled();
    assert.deepEqual(cluster.writes(), ["PATCH services", "PATCH deployments"]);
  });

  it("leaves the number of replicas to an autoscaler without setting it to 1 in between", async () => {
    const { api, applier } = await open(deployment({ replicas: 4, paused: false }));
    applier.want(gateway, objects(deployment({ paused: false }), autoscaler));
    await applier.settled();
    assert.deepEqual(api.get(paths.deployment)?.["spec"], { replicas: 4, paused: false });
    // The autoscaler has taken the field over.
    const { metadata, ...rest } = api.get(paths.deployment) ?? assert.fail();
    api.put(paths.deployment, {
      ...rest,
      spec: { replicas: 6, paused: false },
      metadata: { ...metadata, managedFields: [] },
    });
    await applier.settled();
    assert.deepEqual(api.get(paths.deployment)?.["spec"], { replicas: 6, paused: false });
    assert.equal(applier.stats().corrections, 0);
  });

  it("tells where a proxy stands and how it is, once for each change", async () => {
    const { api, applier, placements, states } = await open(service(80), deployment());
    assert.deepEqual(placements.get(gateway)?.addresses, []);
    assert.deepEqual(placements.get(gateway)?.bind(80), { address: "0.0.0.0", port: 80 });
    assert.equal(placements.get(gateway)?.unavailablePorts?.get(19_001), "taken");
    const before = placements.get(gateway);
    const pod = "/api/v1/namespaces/shop/pods/web-1";
    const waiting = { reason: "ImagePullBackOff", message: "no such image" };
    api.put(pod, {
      metadata: { name: "web-1", namespace: "shop", labels },
      status: { containerStatuses: [{ state: { waiting } }] },
    });
    assert.equal(message(states.get(gateway)), "0 of 2 proxies are ready: ImagePullBackOff: no such image");
    assert.equal(placements.get(gateway), before);
    api.delete(pod);
    assert.equal(message(states.get(gateway)), "0 of 2 proxies are ready");
    api.put(paths.deployment, { ...api.get(paths.deployment), status: { readyReplicas: 1 } });
    api.put(paths.service, { ...api.get(paths.service), status: { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } } });
    assert.deepEqual(placements.get(gateway)?.addresses, [{ type: "IPAddress", value: "192.0.2.1" }]);
    assert.deepEqual(states.get(gateway), { kind: "ready" });
    applier.want(gateway, undefined);
    assert.deepEqual([placements.get(gateway), states.get(gateway)], [undefined, undefined]);
  });

  it("serves a Gateway without an address that the cluster refuses, says why, and asks again", async () => {
    const { api, applier, placements, states, override, time } = await open(service(80), deployment());
    api.put(paths.deployment, { ...api.get(paths.deployment), status: { readyReplicas: 1 } });
    const further = object("v1", "Service", {
      metadata: { name: "web-gatewright-cluster-198-51-100-9" },
      spec: { type: "ClusterIP", clusterIP: "198.51.100.9" },
    });
    const wanted = {
      ...objects(service(80), further, deployment({ replicas: 3 })),
      addressServices: new Map([["web-gatewright-cluster-198-51-100-9", "the address"]]),
    };
    let isTaken = true;
    override(({ method, path }) =>
      isTaken && method === "PATCH" && path.endsWith("198-51-100-9")
        ? failure(422, "Invalid", "provided IP is already allocated")
        : undefined,
    );
    applier.want(gateway, wanted);
    await applier.settled();
    assert.match(placements.get(gateway)?.unusableAddresses?.get("the address") ?? "", /already allocated/);
    assert.deepEqual(states.get(gateway), { kind: "ready" });
    assert.deepEqual(api.get(paths.deployment)?.["spec"], { replicas: 3 });
    isTaken = false;
    await time.advance(600_000);
    await applier.settled();
    assert.equal(placements.get(gateway)?.unusableAddresses, undefined);
    assert.ok(api.get(`${paths.service}-cluster-198-51-100-9`));
    // What is not asked for any more goes.
    applier.want(gateway, objects(service(80), deployment({ replicas: 3 })));
    await applier.settled();
    assert.equal(api.get(`${paths.service}-cluster-198-51-100-9`), undefined);
  });

  it("tells the addresses of nodes of a Service that opens a port on each, and reads nodes for nobody else", async () => {
    const nodePort = object("v1", "Service", { spec: { type: "NodePort", ipFamilies: ["IPv4"] } });
    const { api, applier, placements, watched } = await open(service(80), deployment());
    const node = (name: string, address: string, ready = "True") =>
      api.put(`/api/v1/nodes/${name}`, {
        metadata: { name },
        status: { addresses: [{ type: "InternalIP", address }], conditions: [{ type: "Ready", status: ready }] },
      });
    assert.ok(!watched().includes("/api/v1/nodes"));
    applier.want(gateway, objects(nodePort, deployment()));
    await applier.settled();
    assert.ok(watched().includes("/api/v1/nodes"));
    node("b", "192.0.2.2");
    node("a", "192.0.2.1");
    node("c", "192.0.2.3", "False");
    assert.deepEqual(
      placements.get(gateway)?.addresses.map(({ value }) => value),
      ["192.0.2.1", "192.0.2.2"],
    );
    api.delete("/api/v1/nodes/a");
    assert.deepEqual(
      placements.get(gateway)?.addresses.map(({ value }) => value),
      ["192.0.2.2"],
    );
  });

  it("shows the identity that a proxy has", async () => {
    const secret = object("v1", "Secret", { data: { "tls.crt": "Y3J0" } });
    const { applier } = await open(secret);
    assert.deepEqual(applier.secretData(gateway), { "tls.crt": "Y3J0" });
    assert.equal(applier.secretData("shop/other"), undefined);
  });
});
