import assert from "node:assert/strict";
import { changesOf } from "../../../test/e2e/support/control-plane.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "../../../test/e2e/support/manifests.ts";
import { checkExtension, controllerName, placed, rootNamespace } from "../../../test/support/translation.ts";
import { silentLogger } from "../lib/index.ts";
import type { ResourceType } from "../xds/index.ts";
import { createReconciler, type Publisher, type Verdict } from "./index.ts";

const proxy = "team-a/gw";

/** A replica of the operator with an Envoy of its own, which answers as it is told. */
function createReplica() {
  const versions = new Map<ResourceType, Map<string, string>>();
  const verdictListeners = new Set<(verdict: Verdict) => void>();
  const publisher: Publisher = {
    publish: (_, changes) => {
      for (const { type, name, resource } of changes) {
        const ofType = versions.get(type) ?? new Map<string, string>();
        versions.set(type, ofType);
        if (resource === undefined) ofType.delete(name);
        else ofType.set(name, resource.version);
      }
    },
    remove: () => undefined,
    retry: () => undefined,
    onVerdict: (listener) => {
      verdictListeners.add(listener);
      return () => verdictListeners.delete(listener);
    },
  };
  const settings = { controllerName, rootNamespace };
  const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension, publisher });
  reconciler.place(proxy, placed("127.0.0.1"));
  reconciler.synced();
  return {
    reconciler,
    served: (type: ResourceType) => versions.get(type),
    attend: async (isHere: boolean) => {
      reconciler.attend(proxy, isHere);
      await reconciler.settled();
    },
    apply: async (yaml: string, generation: number) => {
      reconciler.apply(changesOf(yaml, generation));
      await reconciler.settled();
    },
    say: async (kind: Verdict["kind"], type: ResourceType, message = "") => {
      const resources = [...(versions.get(type) ?? [])].map(([name, version]) => ({ name, version }));
      for (const listener of verdictListeners) listener({ kind, proxy, type, resources, message });
      await reconciler.settled();
    },
    statusOf: (key: string) => JSON.stringify(reconciler.statuses.get(key)?.status),
  };
}

const route = (name: string, host = name) =>
  httpRoute(name, `${host}.example.com`, "  rules: [{backendRefs: [{name: one, port: 80}]}]");
const ground = joinDocuments(gatewayClass, httpGateway(8080), service("one", []), route("good"));

describe("createReconciler(): replicas", () => {
  let leader: ReturnType<typeof createReplica>;
  let follower: ReturnType<typeof createReplica>;

  /** The leader takes in what the follower has to tell. */
  async function tell(): Promise<void> {
    leader.reconciler.adopt("follower", follower.reconciler.refusals());
    await leader.reconciler.settled();
  }
  async function toBoth(yaml: string, generation: number): Promise<void> {
    await leader.apply(yaml, generation);
    await follower.apply(yaml, generation);
  }

  beforeEach(async () => {
    leader = createReplica();
    follower = createReplica();
    await toBoth(ground, 1);
    for (const replica of [leader, follower]) await replica.say("accepted", "virtualHost");
  });
  afterEach(async () => {
    await leader.reconciler.close();
    await follower.reconciler.close();
  });

  const bad = "HTTPRoute team-a/bad";
  const refuseBad = async () => {
    await toBoth(route("bad"), 1);
    await follower.say("refused", "virtualHost", "no such thing");
    await tell();
  };

  it("tell nothing where nothing is refused", () => {
    assert.deepEqual(follower.reconciler.refusals(), []);
  });

  it("say in a status what the Envoys of another refuse, and spare their own", async () => {
    await refuseBad();
    assert.deepEqual(follower.reconciler.refusals(), [
      { of: "object", key: bad, message: "no such thing", content: "1" },
    ]);
    assert.match(leader.statusOf(bad), /no such thing/);
    assert.doesNotMatch(leader.statusOf("HTTPRoute team-a/good"), /no such thing/);
    assert.deepEqual(leader.served("virtualHost"), follower.served("virtualHost"));
    // What is left out is not accepted by who accepts the rest.
    await leader.say("accepted", "virtualHost");
    assert.match(leader.statusOf(bad), /no such thing/);
    assert.deepEqual(leader.reconciler.refusals(), []);
  });

  it("forget it when the object changes, whoever sees that first", async () => {
    await refuseBad();
    await leader.apply(route("bad"), 2);
    assert.doesNotMatch(leader.statusOf(bad), /no such thing/);
    await tell();
    assert.doesNotMatch(leader.statusOf(bad), /no such thing/);
    await follower.apply(route("bad"), 2);
    assert.deepEqual(follower.reconciler.refusals(), []);
  });

  it("take a refusal of what they have not seen yet, once they see it", async () => {
    await toBoth(route("bad"), 1);
    await follower.apply(route("bad"), 2);
    await follower.say("refused", "virtualHost", "no such thing");
    await tell();
    assert.doesNotMatch(leader.statusOf(bad), /no such thing/);
    await leader.apply(route("bad"), 2);
    assert.match(leader.statusOf(bad), /no such thing/);
  });

  it("forget it when the replica is gone, unless one more says so", async () => {
    await refuseBad();
    leader.reconciler.adopt("third", follower.reconciler.refusals());
    leader.reconciler.adopt("follower", undefined);
    await leader.reconciler.settled();
    assert.match(leader.statusOf(bad), /no such thing/);
    leader.reconciler.adopt("third", undefined);
    await leader.reconciler.settled();
    assert.doesNotMatch(leader.statusOf(bad), /no such thing/);
  });

  it("go on holding out what a replica held out that is gone, and tell others so", async () => {
    await refuseBad();
    const published = leader.served("virtualHost");
    const spared = [...(published ?? [])];
    leader.reconciler.inherit("follower");
    await leader.reconciler.settled();
    assert.match(leader.statusOf(bad), /no such thing/);
    assert.deepEqual([...(leader.served("virtualHost") ?? [])], spared, "its Envoys are not asked again");
    assert.deepEqual(leader.reconciler.refusals(), [
      { of: "object", key: bad, message: "no such thing", content: "1" },
    ]);
    // It counts as their own: until the object changes.
    await leader.apply(route("bad"), 2);
    assert.doesNotMatch(leader.statusOf(bad), /no such thing/);
    assert.deepEqual(leader.reconciler.refusals(), []);
  });

  it("inherit nothing that is not so any more, and nothing that an Envoy says of itself", async () => {
    await refuseBad();
    await follower.say("refused", "listener", "cannot listen");
    await tell();
    await leader.apply(route("bad"), 2);
    leader.reconciler.inherit("follower");
    await leader.reconciler.settled();
    assert.deepEqual(leader.reconciler.refusals(), []);
    assert.doesNotMatch(leader.statusOf(bad), /no such thing/);
    assert.doesNotMatch(leader.statusOf("Gateway team-a/gw"), /cannot listen/);
    await leader.apply(route("bad"), 1);
    assert.doesNotMatch(leader.statusOf(bad), /no such thing/);
  });

  it("go by who speaks of what the object says now, where others speak of what it said", async () => {
    await refuseBad();
    const old = follower.reconciler.refusals();
    leader.reconciler.adopt("behind", old);
    await toBoth(route("bad"), 2);
    await follower.say("refused", "virtualHost", "nor that");
    await tell();
    assert.match(leader.statusOf(bad), /nor that/);
    leader.reconciler.adopt("follower", old);
    leader.reconciler.adopt("behind", follower.reconciler.refusals());
    await leader.reconciler.settled();
    assert.match(leader.statusOf(bad), /nor that/);
  });

  it("tell of a cluster only as long as it is the one that was refused", async () => {
    await follower.say("refused", "cluster", "no such thing");
    assert.deepEqual(
      follower.reconciler.refusals().map(({ of }) => of),
      ["cluster"],
    );
    await follower.apply(
      `
apiVersion: v1
kind: Service
metadata: {name: one, namespace: team-a}
spec: {ports: [{name: http, port: 80, appProtocol: kubernetes.io/h2c}]}`,
      2,
    );
    assert.deepEqual(follower.reconciler.refusals(), []);
  });

  it("find out for themselves when who spared them is gone", async () => {
    await refuseBad();
    await leader.say("accepted", "virtualHost");
    leader.reconciler.adopt("follower", undefined);
    await leader.reconciler.settled();
    await leader.say("refused", "virtualHost", "not here either");
    assert.match(leader.statusOf(bad), /not here either/);
    assert.doesNotMatch(leader.statusOf("HTTPRoute team-a/good"), /not here either/);
  });

  it("tell of nothing that is still being looked for", async () => {
    await toBoth(joinDocuments(route("bad", "shared"), route("fine", "shared")), 1);
    await follower.say("refused", "virtualHost", "no such thing");
    assert.match(follower.statusOf(bad), /no such thing/);
    assert.deepEqual(follower.reconciler.refusals(), []);
  });

  for (const [type, key] of [
    ["cluster", "HTTPRoute team-a/good"],
    ["listener", "Gateway team-a/gw"],
  ] as const) {
    it(`say in a status that an Envoy of another refuses a ${type}, until it takes it`, async () => {
      await follower.say("refused", type, "no such thing");
      await tell();
      assert.match(leader.statusOf(key), /no such thing/);
      await leader.say("accepted", type);
      assert.match(leader.statusOf(key), /no such thing/);
      await follower.say("accepted", type);
      await tell();
      assert.doesNotMatch(leader.statusOf(key), /no such thing/);
    });

    it(`count what an Envoy says of a ${type} while it is connected: it may come to another, which takes it`, async () => {
      await follower.say("refused", type, "no such thing");
      await follower.attend(false);
      await tell();
      assert.doesNotMatch(leader.statusOf(key), /no such thing/);
      await follower.attend(true);
      await tell();
      assert.match(leader.statusOf(key), /no such thing/);
      await follower.say("accepted", type);
      await tell();
      await leader.say("refused", type, "no such thing");
      assert.match(leader.statusOf(key), /no such thing/);
      await leader.attend(false);
      assert.doesNotMatch(leader.statusOf(key), /no such thing/);
    });
  }
});
