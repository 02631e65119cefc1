import assert from "node:assert/strict";
import { changesOf } from "../../../test/e2e/support/control-plane.ts";
import { checkExtension, controllerName, placed, rootNamespace } from "../../../test/support/translation.ts";
import { silentLogger } from "../lib/index.ts";
import type { StoredKind } from "../store/index.ts";
import { createReconciler, type Publisher } from "./index.ts";

const apiVersion = "gateway.networking.k8s.io/v1";
const classOf = (mesh: string | undefined) => `
apiVersion: ${apiVersion}
kind: GatewayClass
metadata: {name: ours}
spec:
  controllerName: ${controllerName}
  ${mesh === undefined ? "" : `parametersRef: {group: config.aether.io, kind: MeshConfig, name: ${mesh}, namespace: ${rootNamespace}}`}
`;
const meshConfig = (image: string, format = "a", namespace = rootNamespace) => `
apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: mesh, namespace: ${namespace}}
spec:
  proxy: {image: ${image}}
  ${namespace === rootNamespace ? `telemetry: {accessLog: {format: "${format}"}}` : ""}
`;
const gateway = (name: string, parameters = "", listenerName = "web") => `
apiVersion: ${apiVersion}
kind: Gateway
metadata: {name: ${name}, namespace: infra}
spec:
  gatewayClassName: ours
  ${parameters && `infrastructure: {parametersRef: {group: config.aether.io, kind: MeshConfig, name: ${parameters}}}`}
  listeners: [{name: ${listenerName}, port: 80, protocol: HTTP}]
`;
const route = (path: string) => `
apiVersion: ${apiVersion}
kind: HTTPRoute
metadata: {name: app, namespace: infra}
spec:
  parentRefs: [{name: gw}]
  rules: [{matches: [{path: {value: ${path}}}]}]
`;

function open() {
  const settings = { controllerName, rootNamespace, accessLogPath: "/dev/stdout" };
  const published: string[] = [];
  const publisher: Publisher = {
    publish: (proxy, changes) => published.push(`${proxy} ${changes.length}`),
    remove: (proxy) => published.push(`${proxy} gone`),
    retry: () => undefined,
    onVerdict: () => () => undefined,
  };
  const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension, publisher });
  const wanted: string[] = [];
  reconciler.onRound((round) => wanted.push(...round.wanted));
  let generation = 0;
  for (const name of ["gw", "other"]) {
    reconciler.place(`infra/${name}`, placed("127.0.0.1"));
    reconciler.report(`infra/${name}`, { kind: "ready" });
  }
  reconciler.synced();
  const { ir } = reconciler;
  const conditionOf = (key: string, type: string) => {
    const { conditions = [] } = (reconciler.statuses.get(key)?.status ?? {}) as {
      conditions?: readonly { type: string; status: string; reason: string; message: string }[];
    };
    const found = conditions.find((each) => each.type === type);
    return `${found?.status} ${found?.reason} ${found?.message}`;
  };
  return {
    apply: async (...yaml: readonly string[]) => {
      reconciler.apply(changesOf(yaml.join("---"), ++generation));
      await reconciler.settled();
    },
    remove: async (kind: StoredKind, key: string) => {
      reconciler.apply([{ kind, key, object: undefined }]);
      await reconciler.settled();
    },
    conditionOf,
    classSays: () => conditionOf("GatewayClass ours", "Accepted"),
    says: (name: string, type = "Accepted") => conditionOf(`Gateway infra/${name}`, type),
    imageOf: (name: string) => ir.proxies.get(`infra/${name}`)?.deployment.image,
    listeners: () => [...ir.listeners.keys()],
    logs: () => [...ir.listeners.keys()].map((key) => JSON.stringify(ir.listeners.get(key)?.accessLog?.format)),
    logPaths: () => [...ir.listeners.keys()].map((key) => ir.listeners.get(key)?.accessLog?.path),
    refuse: async (key: string, content: string) => {
      reconciler.adopt("another", [{ of: "object", key, content, message: "unable to open file" }]);
      await reconciler.settled();
    },
    paths: () => JSON.stringify([...ir.virtualHosts.keys()].map((key) => ir.virtualHosts.get(key)?.routes)),
    addresses: (name: string) => reconciler.statuses.get(`Gateway infra/${name}`)?.status["addresses"],
    published,
    wanted,
    waiting: () => [...reconciler.waiting.keys()],
    close: reconciler.close,
  };
}

describe("createReconciler(): parameters that go bad", () => {
  let world: ReturnType<typeof open>;
  beforeEach(() => {
    world = open();
  });
  afterEach(() => world.close());

  const faults: readonly (readonly [string, () => Promise<void>])[] = [
    ["is deleted", () => world.remove("MeshConfig", `${rootNamespace}/mesh`)],
    ["is misspelled by its class", () => world.apply(classOf("mush"))],
  ];
  for (const [what, fault] of faults)
    it(`a MeshConfig that ${what} takes nothing from Gateways that are served, and the class says so`, async () => {
      await world.apply(classOf("mesh"), meshConfig("envoy:a"), gateway("gw"), route("/a"));
      const before = [world.listeners(), world.logs()];
      assert.equal(before[0]?.length, 1);
      await fault();
      assert.match(world.classSays(), /^False InvalidParameters .*does not exist; Gateways that are served go on/);
      assert.deepEqual([world.listeners(), world.logs()], before);
      assert.equal(world.imageOf("gw"), "envoy:a");
      assert.match(world.says("gw"), /^True Accepted GatewayClass ours is not accepted: /);
      assert.match(world.says("gw", "Programmed"), /^True /);
      await world.apply(route("/b"));
      assert.match(world.paths(), /"\/b"/, "changes are followed");
      await world.apply(gateway("gw", "", "renamed"));
      assert.match(world.says("gw", "Programmed"), /^True /);
    });

  it("a new Gateway of such a class is not served, and is as soon as the parameters are good", async () => {
    await world.apply(classOf("mesh"), meshConfig("envoy:a"), gateway("gw"));
    await world.remove("MeshConfig", `${rootNamespace}/mesh`);
    await world.apply(gateway("other"));
    assert.equal(world.listeners().length, 1);
    assert.match(world.says("other"), /^False InvalidParameters /);
    await world.apply(meshConfig("envoy:b", "b"));
    assert.equal(world.listeners().length, 2);
    assert.deepEqual([world.imageOf("gw"), world.imageOf("other")], ["envoy:b", "envoy:b"]);
    assert.match(world.says("gw"), /^True Accepted $/);
    assert.match(world.classSays(), /^True Accepted $/);
  });

  it("what was in effect last counts, and a class without parameters that gets bad ones had the defaults", async () => {
    await world.apply(classOf("mesh"), meshConfig("envoy:a"), gateway("gw"));
    await world.apply(meshConfig("envoy:b", "b"));
    await world.remove("MeshConfig", `${rootNamespace}/mesh`);
    assert.equal(world.imageOf("gw"), "envoy:b");
    await world.apply(classOf(undefined));
    assert.equal(world.imageOf("gw"), undefined);
    await world.apply(classOf("mush"));
    assert.equal(world.imageOf("gw"), undefined);
    assert.equal(world.listeners().length, 1);
  });

  it("what Envoy refuses of them stays out of effect", async () => {
    await world.apply(classOf("mesh"), meshConfig("envoy:a", 'a", path: "/nowhere/a.log'), gateway("gw"));
    assert.deepEqual(world.logPaths(), ["/nowhere/a.log"]);
    await world.refuse(`MeshConfig ${rootNamespace}/mesh`, "1");
    assert.deepEqual(world.logPaths(), ["stdout"]);
    await world.remove("MeshConfig", `${rootNamespace}/mesh`);
    assert.deepEqual(world.logPaths(), ["stdout"]);
  });

  it("a Gateway that is made anew under such a class has nothing that was in effect", async () => {
    await world.apply(classOf("mesh"), meshConfig("envoy:a"), gateway("gw"));
    await world.remove("MeshConfig", `${rootNamespace}/mesh`);
    await world.remove("Gateway", "infra/gw");
    await world.apply(gateway("gw"));
    assert.deepEqual(world.listeners(), []);
    assert.match(world.says("gw"), /^False InvalidParameters /);
  });

  it("parameters of a Gateway's own that go bad are told, and what they said goes on", async () => {
    await world.apply(
      classOf(undefined),
      meshConfig("envoy:own", "a", "infra"),
      gateway("gw", "mesh"),
      gateway("other"),
    );
    assert.equal(world.imageOf("gw"), "envoy:own");
    for (const fault of [() => world.remove("MeshConfig", "infra/mesh"), () => world.apply(gateway("gw", "mush"))]) {
      await fault();
      assert.equal(world.imageOf("gw"), "envoy:own");
      assert.equal(world.listeners().length, 2);
      assert.match(world.says("gw"), /^False InvalidParameters .*does not exist; what was in effect before goes on/);
      assert.equal((world.addresses("gw") as unknown[]).length, 1);
    }
    await world.apply(gateway("gw"));
    assert.equal(world.imageOf("gw"), undefined);
    assert.match(world.says("gw"), /^True Accepted $/);
  });

  it("an operator that starts meanwhile leaves Envoys, addresses and all that stands as it is, until they are good", async () => {
    await world.apply(classOf("mesh"), gateway("gw"), route("/a"));
    assert.deepEqual(world.published, [], "Envoys serve on as they were told last");
    assert.deepEqual(world.waiting(), ["infra/gw"]);
    assert.deepEqual(world.wanted, ["infra/gw"], "who places it is told that it is there");
    assert.match(world.says("gw"), /^False InvalidParameters /);
    assert.match(world.says("gw", "Programmed"), /^False Invalid /);
    assert.equal((world.addresses("gw") as unknown[]).length, 1, "names that point there go on doing so");
    await world.apply(meshConfig("envoy:a"));
    assert.deepEqual(world.waiting(), []);
    assert.equal(world.published.length, 1);
    assert.match(world.says("gw", "Programmed"), /^True /);
    await world.apply(classOf("mush"));
    assert.deepEqual(world.waiting(), []);
    await world.apply(gateway("other"));
    assert.deepEqual(world.waiting(), ["infra/other"]);
    await world.remove("Gateway", "infra/other");
    assert.deepEqual(world.waiting(), []);
  });

  it("nothing is in effect of what was never good", async () => {
    await world.apply(classOf("mush"), gateway("gw"));
    assert.match(world.classSays(), /does not exist$/);
    assert.deepEqual(world.listeners(), []);
    await world.apply(classOf(undefined), gateway("gw", "mush"));
    assert.deepEqual(world.listeners(), []);
    assert.match(world.says("gw"), /^False InvalidParameters .*does not exist$/);
  });
});
