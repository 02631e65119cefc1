// From a Gateway's addresses to Services, and from what the cluster makes of them to its status.
import assert from "node:assert/strict";
import { controllerName, parseManifests, rootNamespace, toChange } from "../../../test/support/translation.ts";
import { infraKinds } from "../infra/index.ts";
import type { ListWatchOptions, RawObject } from "../kubernetes/index.ts";
import { createFakeApiServer, failure, type FakeObject, isRecord } from "../kubernetes/testing/index.ts";
import { silentLogger } from "../lib/index.ts";
import { createReconciler } from "../reconcile/index.ts";
import { createApplier } from "../writer/index.ts";
import { checkExtension } from "../xds/index.ts";
import { createProxies } from "./proxies.ts";

const api = "gateway.networking.k8s.io/v1";

/** A cluster with Services of 198.51.100.0/24 and load balancers of 192.0.2.0/24, whose proxies are ready at once. */
function createCluster() {
  const server = createFakeApiServer();
  const watches = new Set<ListWatchOptions>();
  let inner = 0;
  let outer = 0;

  server.intercept(({ method, path, body }) => {
    if (method !== "PATCH" || !isRecord(body)) return undefined;
    const spec = isRecord(body["spec"]) ? body["spec"] : {};
    const before = server.get(path);
    if (body["kind"] === "Deployment")
      return { status: 200, body: server.put(path, { ...body, status: { readyReplicas: 1 } }) };
    if (body["kind"] !== "Service") return { status: 200, body: server.put(path, body) };
    const had = isRecord(before?.["spec"]) ? before["spec"]["clusterIP"] : undefined;
    const clusterIP = spec["clusterIP"] ?? had ?? `198.51.100.${++inner}`;
    if (typeof clusterIP !== "string" || !clusterIP.startsWith("198.51.100."))
      return failure(422, "Invalid", "the provided network does not match the current range");
    const isBalanced = spec["type"] === "LoadBalancer";
    const ip = spec["loadBalancerIP"] ?? `192.0.2.${++outer}`;
    const status = isBalanced ? { loadBalancer: { ingress: [{ ip }] } } : {};
    return { status: 200, body: server.put(path, { ...body, spec: { ...spec, clusterIP }, status }) };
  });

  function tell(options: ListWatchOptions, path: string, found: FakeObject | undefined): void {
    const [, kindPath, namespace, plural, name] = /^(.*)\/namespaces\/([^/]*)\/([^/]*)\/(.*)$/.exec(path) ?? [];
    if (`${kindPath}/${plural}` !== options.path) return;
    const key = `${namespace}/${name}`;
    options.onEvents([found ? { kind: "present", key, object: found as unknown as RawObject } : { kind: "gone", key }]);
  }
  server.onChange((path, found) => {
    for (const options of watches) tell(options, path, found);
  });
  return {
    server,
    watch: (options: ListWatchOptions) => {
      watches.add(options);
      let isListed = false;
      queueMicrotask(() => {
        isListed = true;
        options.onState?.();
      });
      return {
        state: () => ({ isListed, objects: 0, lists: 1, watches: 1 }),
        close: () => watches.delete(options),
      };
    },
  };
}

describe("addresses of a Gateway in a cluster", () => {
  const open = async () => {
    const { server, watch } = createCluster();
    const reconciler = createReconciler({
      logger: silentLogger,
      settings: { controllerName, rootNamespace },
      checkExtension,
    });
    const applier = createApplier({
      api: server,
      logger: silentLogger,
      kinds: infraKinds,
      isLeader: () => true,
      isOurs: () => true,
      reservedPorts: new Map(),
      onPlacement: reconciler.place,
      onState: reconciler.report,
      watch,
    });
    const proxies = createProxies({
      reconciler,
      applier,
      identity: { proxySecretData: () => Promise.resolve({ "tls.crt": "" }) },
      isLeader: () => true,
      ads: { name: "gatewright.example", port: 18_000 },
      logger: silentLogger,
    });
    reconciler.onRound(({ wanted }) => proxies.update(wanted));
    const apply = (generation: number, addresses: string) =>
      reconciler.apply(
        parseManifests(`
apiVersion: ${api}
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: ${controllerName}}
---
apiVersion: ${api}
kind: Gateway
metadata: {name: web, namespace: shop, uid: u1, generation: ${generation}}
spec:
  gatewayClassName: gatewright
  ${addresses === "" ? "" : `addresses: ${addresses}`}
  listeners: [{name: http, port: 80, protocol: HTTP}]
`).map(toChange),
      );
    reconciler.synced();
    await applier.synced;
    let generation = 0;
    return {
      close: async () => {
        await applier.close();
        await reconciler.close();
      },
      /** What the status comes to for these addresses, when nothing more is due. */
      ask: async (addresses: string) => {
        apply(++generation, addresses);
        // Each settles what the other has begun.
        for (let round = 0; round < 5; round++) {
          await reconciler.settled();
          await new Promise(setImmediate);
          await applier.settled();
        }
        await reconciler.settled();
        const status = reconciler.statuses.get("Gateway shop/web")?.status ?? {};
        const conditions = Array.isArray(status["conditions"]) ? status["conditions"].filter(isRecord) : [];
        const said = (wanted: string) => conditions.find(({ type }) => type === wanted);
        return {
          addresses: (Array.isArray(status["addresses"]) ? status["addresses"].filter(isRecord) : []).map(
            ({ value, routability }) => `${String(value)} ${String(routability)}`.trim(),
          ),
          assigned: `${String(said("AddressesAssigned")?.["status"])} ${String(said("AddressesAssigned")?.["reason"])}`,
          message: String(said("AddressesAssigned")?.["message"]),
          programmed: `${String(said("Programmed")?.["status"])} ${String(said("Programmed")?.["reason"])}`,
          services: server
            .paths()
            .filter((path) => path.includes("/services/"))
            .map((path) => {
              const spec = server.get(path)?.["spec"];
              return `${path.slice(path.lastIndexOf("/") + 1)} ${isRecord(spec) ? String(spec["type"]) : ""}`;
            })
            .toSorted(),
        };
      },
    };
  };
  let cluster: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    cluster = await open();
  });
  afterEach(() => cluster.close());

  it("are inside of the cluster only where that is asked for, and nothing leads in from outside then", async () => {
    assert.deepEqual((await cluster.ask("")).services, ["web-gatewright LoadBalancer"]);
    const { services, addresses, assigned, programmed } = await cluster.ask("[{routability: Cluster}]");
    assert.deepEqual(services, ["web-gatewright ClusterIP"]);
    assert.deepEqual(addresses, ["198.51.100.1 Cluster"]);
    assert.equal(`${assigned}, ${programmed}`, "True AddressesAssigned, True Programmed");
  });

  it("are several, each of its own reach, and what is not asked for any more goes", async () => {
    const several = await cluster.ask("[{}, {routability: Cluster}, {routability: Cluster, value: 198.51.100.99}]");
    assert.deepEqual(several.addresses, ["192.0.2.1", "198.51.100.1 Cluster", "198.51.100.99 Cluster"]);
    assert.deepEqual(several.services, [
      "web-gatewright LoadBalancer",
      "web-gatewright-cluster-198-51-100-99 ClusterIP",
    ]);
    const fewer = await cluster.ask("[{}, {routability: Cluster}]");
    assert.deepEqual(fewer.addresses, ["192.0.2.1", "198.51.100.1 Cluster"]);
    assert.deepEqual(fewer.services, ["web-gatewright LoadBalancer"]);
  });

  it("that the cluster refuses cost the Gateway nothing else, and the status has the cluster's words", async () => {
    const partly = await cluster.ask("[{routability: Cluster, value: 203.0.113.9}, {}]");
    assert.deepEqual(partly.addresses, ["192.0.2.1"]);
    assert.equal(`${partly.assigned}, ${partly.programmed}`, "False PartiallyAssigned, True Programmed");
    assert.match(partly.message, /203\.0\.113\.9 of routability Cluster \(.*does not match the current range\)/);
    const none = await cluster.ask("[{routability: Cluster, value: 203.0.113.9}]");
    assert.deepEqual(none.addresses, []);
    assert.equal(`${none.assigned}, ${none.programmed}`, "False NotAssigned, False AddressNotAssigned");
    assert.deepEqual(none.services, ["web-gatewright ClusterIP"]);
  });

  it("of a reach that there is not are not stood for by others", async () => {
    await cluster.ask("");
    const { addresses, services, programmed } = await cluster.ask("[{routability: example.com/wan}]");
    assert.deepEqual(addresses, []);
    assert.deepEqual(services, ["web-gatewright ClusterIP"]);
    assert.equal(programmed, "False AddressNotAssigned");
  });
});
