import assert from "node:assert/strict";
import type { KindName } from "@gatewright/crd-types";
import type { ApiServer } from "../kubernetes/index.ts";
import {
  connectPlainly,
  createRecorder,
  type HttpServer,
  startHttpServer,
  statusOf,
  until,
} from "../kubernetes/testing/index.ts";
import { createDiscovery, type Discovery, type DiscoveryOptions } from "./discovery.ts";

const group = "gateway.networking.k8s.io";
const routes = { group, versions: ["v1beta1", "v1"], kind: "HTTPRoute", plural: "httproutes", namespaced: true };
const grants = { group, versions: ["v1beta1"], kind: "ReferenceGrant", plural: "referencegrants", namespaced: true };
const secrets = { group: "", versions: ["v1"], kind: "Secret", plural: "secrets", namespaced: true };
const definitions = {
  group: "apiextensions.k8s.io",
  versions: ["v1"],
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  namespaced: false,
};
const kinds: readonly KindName[] = ["HTTPRoute", "ReferenceGrant", "Secret", "ListenerSet"];

describe("createDiscovery()", () => {
  let server: HttpServer;
  let api: ApiServer;
  let discovery: Discovery;

  beforeEach(async () => {
    server = await startHttpServer();
    for (const resource of [routes, grants, secrets, definitions]) server.serve(resource);
    api = connectPlainly(server.url);
  });
  afterEach(async () => {
    discovery.close();
    api.close();
    await server.close();
  });

  function make(options: Partial<DiscoveryOptions> = {}) {
    const recorder = createRecorder();
    discovery = createDiscovery({
      api,
      kinds,
      logger: recorder.logger,
      // What it does by itself is tested by tests that say so.
      intervalMs: 1e9,
      clock: {
        after: (ms, action) => {
          const timer = setTimeout(action, ms > 1e6 ? 1e6 : Math.min(ms, 10));
          return () => clearTimeout(timer);
        },
      },
      ...options,
    });
    let changes = 0;
    discovery.onChange(() => changes++);
    return { recorder, changes: () => changes };
  }

  const served = () => Object.fromEntries([...discovery.served()].map(([kind, { version }]) => [kind, version]));
  const all = { HTTPRoute: "v1", ReferenceGrant: "v1beta1", Secret: "v1" };

  for (const form of ["aggregated", "by group"] as const) {
    it(`finds kinds in the newest version that both sides know (${form})`, async () => {
      server.discovery = form;
      const { changes } = make();
      await discovery.start();
      assert.deepEqual(served(), all);
      assert.equal(changes(), 1);
      assert.deepEqual(discovery.served().get("HTTPRoute"), { group, version: "v1", plural: "httproutes" });
    });

    it(`notices kinds and versions that come (${form})`, async () => {
      server.discovery = form;
      const { recorder, changes } = make();
      await discovery.start();
      server.serve({ ...grants, versions: ["v1", "v1beta1"] });
      server.serve({ ...routes, versions: ["v1"], kind: "ListenerSet", plural: "listenersets" });
      await discovery.probe();
      assert.deepEqual(served(), { ...all, ReferenceGrant: "v1", ListenerSet: "v1" });
      assert.equal(changes(), 2);
      assert.deepEqual(recorder.lines("info"), [
        "ReferenceGrant is read in another version",
        "the API server has ListenerSet now",
      ]);
    });
  }

  it("asks in two requests where the server can answer so", async () => {
    make();
    await discovery.start();
    const paths = server.requests.map(({ path }) => path).filter((path) => !path.includes("customresource"));
    assert.deepEqual(paths, ["/api", "/apis", `/apis/${group}/v1/listenersets`]);
  });

  it("waits for a server that is starting, and does not take for missing what it does not have yet", async () => {
    server.withdraw("httproutes");
    const stop = server.intercept(({ path }) =>
      path.endsWith("/httproutes") ? { status: 503, body: statusOf(503, "ServiceUnavailable", "starting") } : undefined,
    );
    const { recorder } = make();
    const start = discovery.start();
    await until(() => server.requests.filter(({ path }) => path === "/apis").length >= 3);
    assert.deepEqual(served(), {});
    assert.equal(recorder.lines("warn").length, 1);
    assert.match(discovery.state().problem ?? "", /httproutes are answered by 503/);
    stop();
    server.serve(routes);
    await start;
    assert.deepEqual(served(), all);
    assert.equal(discovery.state().problem, undefined);
  });

  it("finds what discovery does not tell of, at the start", async () => {
    server.intercept(({ path }) =>
      path === "/apis" ? { status: 200, body: { kind: "APIGroupDiscoveryList" } } : undefined,
    );
    make();
    await discovery.start();
    assert.deepEqual(served(), { HTTPRoute: "v1", Secret: "v1" });
  });

  it("starts without what it may not ask for", async () => {
    server.withdraw("httproutes");
    server.intercept(({ path }) => (path.endsWith("/httproutes") ? { status: 403 } : undefined));
    make();
    await discovery.start();
    assert.deepEqual(served(), { ReferenceGrant: "v1beta1", Secret: "v1" });
  });

  it("keeps all while the server is away, or says nothing of use", async () => {
    const { changes } = make();
    await discovery.start();
    for (const reply of [
      { status: 503 },
      { status: 403 },
      { status: 429, headers: { "retry-after": "1" } },
      { raw: (response: { destroy: () => void }) => response.destroy() },
    ]) {
      const stop = server.intercept(({ path }) => (path === "/apis" ? reply : undefined));
      for (let round = 0; round < 5; round++) await discovery.probe();
      stop();
    }
    assert.deepEqual(served(), all);
    assert.equal(changes(), 1);
  });

  it("keeps a group that is missing for a while, and one that is missing while its kinds answer", async () => {
    make();
    await discovery.start();
    const empty = { status: 200, body: { kind: "APIGroupDiscoveryList", items: [] } };
    const stop = server.intercept(({ path }) => (path === "/apis" ? empty : undefined));
    for (let round = 0; round < 6; round++) await discovery.probe();
    assert.deepEqual(served(), all);
    const unavailable = server.intercept(({ path }) =>
      path.startsWith("/apis/gateway") ? { status: 503 } : undefined,
    );
    for (let round = 0; round < 6; round++) await discovery.probe();
    assert.deepEqual(served(), all);
    unavailable();
    stop();
    await discovery.probe();
    server.withdraw("httproutes");
    for (let round = 0; round < 2; round++) await discovery.probe();
    assert.deepEqual(served(), all);
    server.serve(routes);
    await discovery.probe();
    server.withdraw("httproutes");
    for (let round = 0; round < 2; round++) await discovery.probe();
    assert.deepEqual(served(), all);
  });

  it("keeps what is stale by the server's own word", async () => {
    make();
    await discovery.start();
    const versions = [{ version: "v1", freshness: "Stale" }];
    const body = { kind: "APIGroupDiscoveryList", items: [{ metadata: { name: group }, versions }] };
    server.intercept(({ path }) => (path === "/apis" ? { status: 200, body } : undefined));
    server.withdraw("httproutes");
    for (let round = 0; round < 6; round++) await discovery.probe();
    assert.equal(served()["HTTPRoute"], "v1");
  });

  it("takes for gone what is missing again and again and answers 404", async () => {
    const { recorder } = make();
    await discovery.start();
    server.withdraw("httproutes");
    for (let round = 0; round < 3; round++) await discovery.probe();
    assert.deepEqual(served(), { ReferenceGrant: "v1beta1", Secret: "v1" });
    assert.deepEqual(recorder.lines("warn"), ["the API server does not have HTTPRoute any more"]);
    server.serve(routes);
    await discovery.probe();
    assert.deepEqual(served(), all);
  });

  const requests = {
    group: "certificates.k8s.io",
    versions: ["v1"],
    kind: "CertificateSigningRequest",
    plural: "certificatesigningrequests",
    namespaced: false,
  };
  const bundles = {
    group: "certificates.k8s.io",
    versions: ["v1beta1", "v1"],
    kind: "ClusterTrustBundle",
    plural: "clustertrustbundles",
    namespaced: false,
  };
  const ofBundles = { kinds: ["Secret", "ClusterTrustBundle"] } as const;
  /** Anything but questions of what there is. */
  const askedForBundles = () => server.requests.filter(({ path }) => path.includes(bundles.plural));

  for (const form of ["aggregated", "by group"] as const)
    it(`asks for no object of a kind that the API server itself may have, and finds it when it comes (${form})`, async () => {
      server.discovery = form;
      // The group is always there.
      server.serve(requests);
      make(ofBundles);
      await discovery.start();
      for (let round = 0; round < 5; round++) await discovery.probe();
      assert.deepEqual(served(), { Secret: "v1" });
      server.serve({ ...bundles, versions: ["v1beta1"] });
      await discovery.probe();
      assert.deepEqual(served(), { Secret: "v1", ClusterTrustBundle: "v1beta1" });
      server.serve(bundles);
      await discovery.probe();
      assert.deepEqual(served(), { Secret: "v1", ClusterTrustBundle: "v1" });
      server.withdraw(bundles.plural);
      for (let round = 0; round < 3; round++) await discovery.probe();
      assert.deepEqual(served(), { Secret: "v1" });
      assert.deepEqual(askedForBundles(), []);
    });

  it("finds such a kind where the overview does not tell of it yet", async () => {
    server.serve(requests);
    server.serve({ ...bundles, versions: ["v1beta1"] });
    server.intercept(({ path }) =>
      path === "/apis" ? { status: 200, body: { kind: "APIGroupDiscoveryList" } } : undefined,
    );
    make(ofBundles);
    await discovery.start();
    assert.deepEqual(served(), { Secret: "v1", ClusterTrustBundle: "v1beta1" });
  });

  it("looks sooner at what may be going", async () => {
    server.serve(requests);
    server.serve(bundles);
    const pauses: number[] = [];
    const clock = {
      after: (ms: number) => {
        pauses.push(Math.round(ms));
        return () => undefined;
      },
    };
    make({ ...ofBundles, intervalMs: 30_000, random: () => 0.5, clock });
    await discovery.start();
    server.withdraw(bundles.plural);
    for (let round = 0; round < 3; round++) await discovery.probe();
    await until(() => pauses.length >= 4);
    assert.deepEqual(pauses.slice(-4), [30_000, 1_000, 4_000, 30_000]);
    assert.deepEqual(served(), { Secret: "v1" });
  });

  describe("of fields", () => {
    const field = "Gateway.status.addresses.routability";
    const gateways = { group, versions: ["v1"], kind: "Gateway", plural: "gateways", namespaced: true };
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gateways.gateway.networking.k8s.io";
    const definition = (properties: object) => ({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "gateways.gateway.networking.k8s.io" },
      spec: {
        versions: [
          { name: "v1beta1", schema: { openAPIV3Schema: {} } },
          {
            name: "v1",
            schema: {
              openAPIV3Schema: {
                properties: { status: { properties: { addresses: { type: "array", items: { properties } } } } },
              },
            },
          },
        ],
      },
    });
    const absent = () => [...discovery.absentFields()].filter((name) => name === field);
    const reads = () => server.requests.filter((request) => request.path === path).length;
    const { plural } = definitions;
    let status = 200;

    async function start(properties: object) {
      server.serve(gateways);
      server.put(plural, definition(properties));
      server.intercept((request) => {
        if (request.path !== path) return undefined;
        const body = server.objects(plural).get("gateways.gateway.networking.k8s.io") ?? {};
        return { status, body: status === 200 ? body : statusOf(status, "Trouble", "no") };
      });
      const made = make({ kinds: ["Gateway"] });
      assert.deepEqual(absent(), [field]);
      await discovery.start();
      await until(() => server.watches(plural) === 1);
      return made;
    }

    it("knows whether a definition has one, and looks again when definitions have changed, and only then", async () => {
      status = 200;
      const { changes } = await start({ value: {} });
      assert.deepEqual(absent(), [field]);
      for (let round = 0; round < 3; round++) await discovery.probe();
      // Once more than at the start, since changes were not watched before.
      assert.ok(reads() <= 2);
      const before = changes();
      server.put(plural, definition({ value: {}, routability: {} }));
      await until(() => absent().length === 0);
      assert.equal(changes(), before + 1);
    });

    it("reads a definition once for all of its fields, and tells them apart", async () => {
      status = 200;
      const { changes } = await start({ routability: {} });
      assert.deepEqual([...discovery.absentFields()], ["Gateway.spec.listeners.filters"]);
      const before = [changes(), reads()] as const;
      const listeners = { spec: { properties: { listeners: { items: { properties: { filters: {} } } } } } };
      server.put(plural, {
        ...definition({}),
        spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: listeners } } }] },
      });
      await until(() => changes() > before[0]);
      assert.deepEqual([...discovery.absentFields()], [field]);
      assert.ok(reads() - before[1] <= 2, "once after the change, and once more a while later");
    });

    it("counts on none where definitions may not be read, and lets the last word stand while the server is in trouble", async () => {
      status = 403;
      await start({ routability: {} });
      assert.deepEqual(absent(), [field]);
      status = 200;
      server.put(plural, definition({ routability: {}, other: {} }));
      await until(() => absent().length === 0);
      status = 500;
      const before = reads();
      server.put(plural, definition({}));
      await until(() => reads() > before);
      await discovery.probe();
      assert.deepEqual(absent(), []);
      status = 200;
      await discovery.probe();
      assert.deepEqual(absent(), [field]);
    });
  });

  it("looks by itself from time to time", async () => {
    make({ intervalMs: 10 });
    await discovery.start();
    server.serve({ ...routes, versions: ["v1"], kind: "ListenerSet", plural: "listenersets" });
    await until(() => served()["ListenerSet"] === "v1");
  });

  it("looks when a definition of ours changes, of which it reads the metadata only", async () => {
    server.put("customresourcedefinitions", { metadata: { name: `httproutes.${group}` } });
    make();
    await discovery.start();
    await until(() => server.watches("customresourcedefinitions") === 1);
    const probes = () => server.requests.filter(({ path }) => path === "/apis").length;
    server.put("customresourcedefinitions", { metadata: { name: "apps.example.com" } });
    assert.equal(probes(), 1);
    server.serve({ ...routes, versions: ["v1"], kind: "ListenerSet", plural: "listenersets" });
    server.put("customresourcedefinitions", { metadata: { name: `listenersets.${group}` } });
    await until(() => served()["ListenerSet"] === "v1");
    const accepts = server.requests
      .filter(({ path }) => path.includes("customresource"))
      .map(({ headers }) => headers.accept);
    assert.deepEqual(accepts, [
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    ]);
  });

  it("does without definitions where it may not read them, and warns of nothing", async () => {
    server.intercept(({ path }) => (path.includes("customresource") ? { status: 403 } : undefined));
    const { recorder } = make();
    await discovery.start();
    await until(() => server.requests.filter(({ path }) => path.includes("customresource")).length >= 2);
    assert.deepEqual(served(), all);
    assert.deepEqual(recorder.lines("warn"), []);
  });
});
