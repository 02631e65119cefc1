import assert from "node:assert/strict";
import { applyMergePatch, failure, type FakeObject, isRecord } from "../../kubernetes/testing/index.ts";
import { ApiUnreachableError } from "../../kubernetes/index.ts";
import { createStatusWorld, ours, type StatusWorld, theirs } from "./testing/status-world.ts";

const start = "2026-01-01T00:00:00Z";
const condition = (type: string, status = "True", observedGeneration = 1, reason = "R") => ({
  type,
  status,
  reason,
  message: "",
  observedGeneration,
});
const stored = (type: string, status = "True", observedGeneration = 1, at = start) => ({
  ...condition(type, status, observedGeneration),
  lastTransitionTime: at,
});
const entry = (controllerName: string, conditions: readonly object[], name = "gw") => ({
  parentRef: { name },
  controllerName,
  conditions,
});
/** A route that is accepted by our Gateway. */
const accepted = ({ metadata }: FakeObject) => ({
  parents: [entry(ours, [condition("Accepted", "True", metadata.generation)])],
});
/** What is stored, whenever that was. */
const timeless = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, field: unknown) => (key === "lastTransitionTime" ? undefined : field)));
const parentsOf = (object: FakeObject | undefined) => (object?.["status"] as { parents: unknown } | undefined)?.parents;

describe("statuses in a cluster", () => {
  let world: StatusWorld;
  const begin = (options: Parameters<typeof createStatusWorld>[0] = {}) => {
    world = createStatusWorld(options);
    return world;
  };
  afterEach(() => world.close());

  function routes(count: number, translate = accepted): readonly string[] {
    const names = Array.from({ length: count }, (_, i) => `r${i}`);
    for (const name of names) {
      world.put("HTTPRoute", `a/${name}`);
      world.want("HTTPRoute", `a/${name}`, translate);
    }
    return names;
  }

  describe("what is written", () => {
    it("is one merge patch of what differs, upon the version that was seen, once", async () => {
      begin();
      const foreign = stored("example.com/Checked");
      world.put("Gateway", "a/gw", { status: { foo: 1, attachedListenerSets: 2, conditions: [foreign] } });
      const { resourceVersion } = world.get("Gateway", "a/gw")?.metadata ?? {};
      world.want("Gateway", "a/gw", () => ({
        addresses: [],
        conditions: [condition("Accepted"), condition("Programmed", "False")],
      }));
      await world.rest();
      const conditions = [foreign, stored("Accepted"), stored("Programmed", "False")];
      assert.equal(world.api.requests.length, 1);
      assert.deepEqual(world.api.requests[0], {
        method: "PATCH",
        path: "/apis/gateway.networking.k8s.io/v1/namespaces/a/gateways/gw/status",
        query: { fieldManager: "gatewright" },
        contentType: "application/merge-patch+json",
        body: { metadata: { resourceVersion }, status: { addresses: [], conditions } },
        timeoutMs: 15_000,
      });
      assert.deepEqual(world.get("Gateway", "a/gw")?.["status"], {
        foo: 1,
        attachedListenerSets: 2,
        addresses: [],
        conditions,
      });
    });

    it("is nothing while all is as wanted: after a restart, in idle hours, for objects of others", async () => {
      begin();
      const standing = { parents: [entry(ours, [stored("Accepted", "True", 1, "2020-01-01T00:00:00Z")])] };
      for (const name of routes(300)) world.put("HTTPRoute", `a/${name}`, { status: standing });
      world.put("HTTPRoute", "b/foreign", { status: { parents: [entry(theirs, [stored("Accepted")])] } });
      world.want("HTTPRoute", "b/foreign", () => undefined);
      await world.rest();
      world.lead(true);
      await world.rest();
      await world.time.advance(3_600_000);
      assert.deepEqual(world.takeRequests(), []);
      assert.deepEqual([world.time.waiting(), world.writer.stats().queued], [0, 0]);
    });

    it("is not written again while the watch has not shown it, and the next upon it", async () => {
      begin();
      routes(1);
      await world.rest();
      assert.deepEqual(world.takeRequests(), ["PATCH r0"]);
      world.showChanges(false);
      const versions: FakeObject[] = [];
      world.api.onChange((_, object) => object && versions.push(object));
      const want = async (reason: string) => {
        world.want("HTTPRoute", "a/r0", () => ({
          parents: [entry(ours, [condition("Accepted", "False", 1, reason)])],
        }));
        world.round();
        await world.rest();
      };
      for (const reason of ["One", "Two", "Two", "Three"]) await want(reason);
      assert.deepEqual(world.takeRequests(), ["PATCH r0", "PATCH r0", "PATCH r0"]);
      // One after the other, the watch shows them.
      for (const object of versions) {
        world.store.apply([{ kind: "HTTPRoute", key: "a/r0", object: object as never }]);
        world.writer.update([]);
        world.writer.compareAll();
        await world.rest();
      }
      assert.deepEqual([versions.length, world.takeRequests()], [3, []]);
      assert.deepEqual(
        world.writer.stats().writes.map(({ outcome, count }) => [outcome, count]),
        [["done", 4]],
      );
    });

    it("is what is wanted in the end, where that changes while it is being written", async () => {
      begin();
      const held: (() => void)[] = [];
      world.api.intercept(() => new Promise((resolve) => held.push(() => resolve(undefined))));
      routes(1);
      await world.time.settle();
      world.showChanges(false);
      for (const reason of ["One", "Two"]) {
        world.want("HTTPRoute", "a/r0", () => ({ parents: [entry(ours, [condition("Accepted", "True", 1, reason)])] }));
        world.round();
      }
      while (held.length > 0) {
        held.shift()?.();
        await world.time.settle();
      }
      assert.deepEqual(world.takeRequests(), ["PATCH r0", "PATCH r0"]);
      assert.match(JSON.stringify(parentsOf(world.get("HTTPRoute", "a/r0"))), /"Two"/);
    });

    it("takes leave: our entries go, those of others stay", async () => {
      begin();
      const foreign = entry(theirs, [stored("Accepted")]);
      world.put("HTTPRoute", "a/r", { status: { parents: [entry(ours, [stored("Accepted")]), foreign] } });
      world.want("HTTPRoute", "a/r", () => undefined);
      await world.rest();
      assert.deepEqual(parentsOf(world.get("HTTPRoute", "a/r")), [foreign]);
      world.lead(true);
      await world.rest();
      assert.deepEqual(world.takeRequests(), ["PATCH r"]);
    });

    it("does not take leave in the middle of a round, when a status is only not computed yet", async () => {
      begin({ leads: false });
      world.showChanges(false);
      world.put("HTTPRoute", "a/r", { status: { parents: [entry(ours, [stored("Accepted")])] } });
      world.store.apply([{ kind: "HTTPRoute", key: "a/r", object: world.get("HTTPRoute", "a/r") as never }]);
      world.lead(true);
      await world.rest();
      assert.deepEqual(world.takeRequests(), []);
    });

    it("waits for the translation of a newer object, and says nothing old over something new", async () => {
      begin();
      routes(1);
      await world.rest();
      world.showChanges(false);
      world.takeRequests();
      world.put("HTTPRoute", "a/r0", {
        spec: { hostnames: ["b"] },
        status: world.get("HTTPRoute", "a/r0")?.["status"],
      });
      // The store has it, translation has not: as in the middle of a round.
      world.store.apply([{ kind: "HTTPRoute", key: "a/r0", object: world.get("HTTPRoute", "a/r0") as never }]);
      world.writer.update(["HTTPRoute a/r0"]);
      await world.rest();
      assert.deepEqual(world.takeRequests(), []);
      world.round();
      await world.rest();
      assert.deepEqual(parentsOf(world.get("HTTPRoute", "a/r0")), [entry(ours, [stored("Accepted", "True", 2)])]);
    });

    it("leaves out ours where others fill a list, says so once, and is at rest", async () => {
      begin();
      const ancestors = Array.from({ length: 16 }, (_, i) => ({
        ancestorRef: { name: `g${i}` },
        controllerName: theirs,
        conditions: [stored("Accepted")],
      }));
      world.put("BackendTLSPolicy", "a/p", { status: { ancestors } });
      world.want("BackendTLSPolicy", "a/p", () => ({
        ancestors: [{ ancestorRef: { name: "gw" }, controllerName: ours, conditions: [condition("Accepted")] }],
      }));
      await world.rest();
      world.lead(true);
      await world.rest();
      assert.deepEqual(world.takeRequests(), []);
      assert.deepEqual(
        world.log.map(({ fields }) => fields),
        [{ object: "BackendTLSPolicy a/p", missing: 1 }],
      );
    });

    it("is not repeated where an older CRD does not keep all of it", async () => {
      begin();
      world.api.intercept((request) => {
        if (request.method !== "PATCH" || !isRecord(request.body) || !isRecord(request.body["status"]))
          return undefined;
        const { supportedFeatures: _, ...status } = request.body["status"];
        const path = request.path.replace(/\/status$/, "");
        return { status: 200, body: world.api.put(path, applyMergePatch(world.api.get(path), { status })) };
      });
      world.put("GatewayClass", "gatewright");
      world.want("GatewayClass", "gatewright", () => ({
        conditions: [condition("Accepted")],
        supportedFeatures: [{ name: "HTTPRoute" }],
      }));
      await world.rest();
      world.lead(true);
      await world.rest();
      assert.deepEqual(world.takeRequests(), ["PATCH gatewright"]);
      assert.match(world.log[0]?.message ?? "", /does not keep all of status\.supportedFeatures of GatewayClass/);
    });
  });

  describe("who writes, and in what order", () => {
    it("is the leader alone, who begins with what differs", async () => {
      begin({ leads: false });
      const standing = { parents: [entry(ours, [stored("Accepted")])] };
      for (const name of routes(40)) world.put("HTTPRoute", `a/${name}`, { status: standing });
      world.put("HTTPRoute", "a/r7");
      await world.rest();
      assert.deepEqual(world.takeRequests(), []);
      world.lead(true);
      await world.rest();
      assert.deepEqual(world.takeRequests(), ["PATCH r7"]);
    });

    it("ends when leadership does, in the middle of work", async () => {
      begin();
      world.api.intercept(() => {
        if (world.api.requests.length >= 20) world.lead(false);
        return undefined;
      });
      routes(200);
      await world.rest();
      // Those that were under way have ended; no other has begun.
      assert.ok(world.takeRequests().length < 20 + 16);
    });

    it("has at most 16 requests under way, and takes the object just edited next", async () => {
      begin();
      const held: (() => void)[] = [];
      let most = 0;
      world.api.intercept(
        () =>
          new Promise((resolve) => {
            held.push(() => resolve(undefined));
            most = Math.max(most, held.length);
          }),
      );
      routes(100);
      await world.time.settle();
      assert.equal(held.length, 16);
      const waiting = Array.from({ length: 100 }, (_, i) => `r${i}`).filter(
        (name) => !world.api.requests.some(({ path }) => path.includes(`/${name}/`)),
      );
      const edited = waiting[Math.floor(waiting.length / 2)] ?? "";
      world.put("HTTPRoute", `a/${edited}`, { spec: { hostnames: ["new"] } });
      await world.time.settle();
      world.takeRequests();
      held.shift()?.();
      await world.time.settle();
      assert.deepEqual(world.takeRequests(), [`PATCH ${edited}`]);
      while (held.length > 0) {
        held.shift()?.();
        await world.time.settle();
      }
      assert.equal(most, 16);
      assert.equal(world.takeRequests().length, 100 - 17);
    });

    it("writes an object that changes without end now and then, and its last state for sure", async () => {
      begin();
      world.put("Gateway", "a/gw");
      for (let attachedRoutes = 0; attachedRoutes < 200; attachedRoutes++) {
        world.want("Gateway", "a/gw", () => ({ listeners: [{ name: "web", attachedRoutes, conditions: [] }] }));
        world.round();
        await world.time.advance(10);
      }
      await world.time.advance(2_000);
      await world.rest();
      const count = world.takeRequests().length;
      assert.ok(count >= 10 && count <= 15, `${count}`);
      assert.deepEqual(world.get("Gateway", "a/gw")?.["status"], {
        listeners: [{ name: "web", attachedRoutes: 199, conditions: [] }],
      });
    });
  });

  describe("conflicts", () => {
    /** Somebody else changes the object just before each of our next writes. */
    function disturb(times: number, change: (object: FakeObject) => object): void {
      let left = times;
      world.api.intercept(({ method, path }) => {
        if (method !== "PATCH" || left === 0) return undefined;
        left--;
        const at = path.replace(/\/status$/, "");
        const object = world.api.get(at);
        if (object !== undefined) world.api.put(at, { ...object, ...change(object) });
        return undefined;
      });
    }
    const annotate = (object: FakeObject) => ({
      metadata: { ...object.metadata, annotations: { at: object.metadata.resourceVersion } },
    });

    it("wait for the watch and are merged with what it shows", async () => {
      begin();
      const foreign = entry(theirs, [stored("Accepted")], "theirs");
      disturb(1, () => ({ status: { parents: [foreign] } }));
      routes(1);
      await world.rest();
      assert.deepEqual(world.takeRequests(), ["PATCH r0", "PATCH r0"]);
      assert.deepEqual(parentsOf(world.get("HTTPRoute", "a/r0")), [foreign, entry(ours, [stored("Accepted")])]);
      assert.equal(world.time.waiting(), 0);
    });

    it("are ended by reading where the watch is late", async () => {
      begin();
      disturb(1, annotate);
      routes(1);
      await world.time.settle();
      world.takeRequests();
      world.showChanges(false);
      world.put("HTTPRoute", "a/r0", annotate(world.get("HTTPRoute", "a/r0") as FakeObject));
      await world.rest();
      world.takeRequests();
      world.want("HTTPRoute", "a/r0", () => ({ parents: [entry(ours, [condition("Accepted", "False")])] }));
      world.round();
      world.put("HTTPRoute", "a/r0", annotate(world.get("HTTPRoute", "a/r0") as FakeObject));
      await world.rest();
      assert.deepEqual(world.takeRequests(), ["PATCH r0"]);
      await world.time.advance(2_500);
      assert.deepEqual(world.takeRequests(), ["GET r0", "PATCH r0"]);
      assert.deepEqual(timeless(parentsOf(world.get("HTTPRoute", "a/r0"))), [
        entry(ours, [condition("Accepted", "False")]),
      ]);
    });

    for (const [what, change] of [
      ["annotations", annotate],
      [
        "the status of another controller",
        (object: FakeObject) => ({
          status: {
            parents: [
              ...((parentsOf(object) as { controllerName: string }[] | undefined) ?? []).filter(
                ({ controllerName }) => controllerName === ours,
              ),
              entry(theirs, [stored("Accepted", "True", Number(object.metadata.resourceVersion))]),
            ],
          },
        }),
      ],
      [
        "the place of its entry",
        (object: FakeObject) => ({
          status: {
            parents: [
              entry(theirs, [stored("Accepted")], object.metadata.resourceVersion),
              ...((parentsOf(object) as object[] | undefined) ?? []),
            ],
          },
        }),
      ],
      [
        "our own entry",
        (object: FakeObject) => ({
          status: { parents: [entry(ours, [stored("Accepted", "False", 0, object.metadata.resourceVersion)])] },
        }),
      ],
      ["the spec", (object: FakeObject) => ({ spec: { hostnames: [object.metadata.resourceVersion] } })],
    ] as const)
      it(`in a storm over ${what}: the status gets through, and nothing of the other is lost`, async () => {
        begin();
        disturb(12, change);
        routes(1);
        await world.time.advance(10_000);
        const requests = world.takeRequests();
        assert.ok(requests.length <= 30, `${requests.length} requests`);
        const object = world.get("HTTPRoute", "a/r0");
        const own = (parentsOf(object) as { controllerName: string }[]).filter(
          ({ controllerName }) => controllerName === ours,
        );
        assert.deepEqual(timeless(own), [entry(ours, [condition("Accepted", "True", object?.metadata.generation)])]);
        assert.equal(world.time.waiting(), 0);
        // After two conflicts neither the watch is waited for nor does the rest of the object matter.
        const conflicts = world.writer.stats().writes.find(({ outcome }) => outcome === "conflict")?.count;
        if (what !== "the spec") assert.equal(conflicts, what === "our own entry" ? 12 : 2);
        assert.deepEqual(world.log, []);
        const others = parentsOf(object) as { controllerName: string; parentRef: { name: string } }[];
        const foreign = others.filter(({ controllerName }) => controllerName === theirs);
        if (what === "the place of its entry") assert.equal(foreign.length, 3);
      });

    it("with a rival who undoes what we write are no hot loop, and are said with the rival's name", async () => {
      begin();
      world.put("HTTPRoute", "a/r0");
      world.want("HTTPRoute", "a/r0", accepted);
      const managedFields = [
        { manager: "gatewright", subresource: "status", time: "2026-01-01T00:00:02Z" },
        { manager: "kubectl", time: "2026-01-01T00:00:09Z" },
        { manager: "rival", subresource: "status", time: "2026-01-01T00:00:01Z" },
      ];
      world.api.onChange((path, object) => {
        if (object === undefined || JSON.stringify(parentsOf(object) ?? []).includes('"False"')) return;
        const parents = [entry(ours, [stored("Accepted", "False")])];
        setImmediate(() =>
          world.api.put(path, { ...object, metadata: { ...object.metadata, managedFields }, status: { parents } }),
        );
      });
      await world.time.advance(3_600_000);
      const patches = world.takeRequests().filter((request) => request === "PATCH r0").length;
      assert.ok(patches >= 10 && patches < 25, `${patches}`);
      assert.deepEqual(
        world.log.map(({ fields, message }) => [fields, message]),
        [
          [
            { object: "HTTPRoute a/r0", fields: ["parents"], rivals: ["rival"] },
            "rival keeps undoing what we write to a status; it is written again ever more seldom",
          ],
        ],
      );
    });
  });

  describe("failures", () => {
    it("403: said once for all objects of a kind, tried again, and said when it is over", async () => {
      begin();
      const stop = world.api.intercept(() => failure(403, "Forbidden", "cannot patch resource httproutes/status"));
      routes(50);
      await world.time.advance(60_000);
      const tries = world.takeRequests().length / 50;
      assert.ok(tries > 3 && tries < 9, `${tries} tries each`);
      assert.equal(world.log.length, 1);
      assert.match(world.log[0]?.message ?? "", /a ClusterRole must allow patch on httproutes\/status/);
      stop();
      await world.time.advance(90_000);
      assert.equal(world.takeRequests().length, 50);
      assert.deepEqual(
        world.log.slice(1).map(({ message }) => message),
        ["statuses of HTTPRoute are written again"],
      );
      assert.equal(world.time.waiting(), 0);
    });

    it("422: costs only its object, which is written at once when it has become another", async () => {
      begin();
      world.api.intercept(({ path, body }) =>
        path.includes("/r1/") && JSON.stringify(body).includes('"R"')
          ? failure(422, "Invalid", "status.x: bad")
          : undefined,
      );
      routes(3);
      await world.time.advance(30_000);
      assert.deepEqual(
        world.log.map(({ message }) => message),
        ["the API server refuses the status of HTTPRoute a/r1; trying again"],
      );
      assert.notEqual(parentsOf(world.get("HTTPRoute", "a/r0")), undefined);
      world.takeRequests();
      // Another version of the object with the same status to write is no reason to hurry.
      const refused = world.get("HTTPRoute", "a/r1");
      world.put("HTTPRoute", "a/r1", { ...refused, metadata: { ...refused?.metadata, labels: { a: "b" } } });
      await world.rest();
      assert.deepEqual(world.takeRequests(), []);
      world.want("HTTPRoute", "a/r1", () => ({ parents: [entry(ours, [condition("Accepted", "True", 1, "Good")])] }));
      world.round();
      await world.rest();
      assert.deepEqual(world.takeRequests(), ["PATCH r1"]);
      assert.equal(world.time.waiting(), 0);
    });

    it("404: is forgotten", async () => {
      begin();
      world.showChanges(false);
      routes(1);
      world.round();
      world.api.delete(world.path("HTTPRoute", "a/r0"));
      await world.time.advance(600_000);
      assert.deepEqual(world.takeRequests(), ["PATCH r0"]);
      assert.deepEqual(world.log, []);
    });

    it("no answer: all wait together, nothing is lost, one line says it and one that it is over", async () => {
      begin();
      const stop = world.api.intercept(() => new ApiUnreachableError("connect ECONNREFUSED"));
      routes(500);
      await world.time.advance(120_000);
      const tries = world.takeRequests().length;
      assert.ok(tries >= 16 * 4 && tries <= 16 * 14, `${tries}`);
      stop();
      await world.time.advance(45_000);
      await world.rest();
      assert.equal(world.takeRequests().length, 500);
      assert.deepEqual(
        world.log.map(({ message }) => message),
        ["statuses cannot be written; trying again", "statuses are written again"],
      );
    });

    it("429: nobody asks before the time that the server asked for", async () => {
      begin();
      const stop = world.api.intercept(() => ({ ...failure(429, "TooManyRequests", "slow"), retryAfterMs: 20_000 }));
      routes(100);
      await world.rest();
      assert.equal(world.takeRequests().length, 16);
      await world.time.advance(19_000);
      assert.equal(world.takeRequests().length, 0);
      stop();
      await world.time.advance(20_000);
      await world.rest();
      assert.equal(world.takeRequests().length, 100);
    });

    it("500 for one object: the others do not wait", async () => {
      begin();
      world.api.intercept(({ path }) =>
        path.includes("/r2/") ? failure(500, "InternalError", "failed calling webhook") : undefined,
      );
      routes(40);
      await world.time.advance(20_000);
      const stood = Array.from({ length: 40 }, (_, i) => world.get("HTTPRoute", `a/r${i}`)).filter(
        (object) => parentsOf(object) !== undefined,
      );
      assert.equal(stood.length, 39);
      assert.equal(world.log.length, 1);
      assert.equal(world.writer.stats().waiting, 1);
    });
  });

  it("is not written for a kind that the cluster does not serve", async () => {
    begin({ versionOf: () => undefined });
    routes(2);
    await world.rest();
    assert.deepEqual(world.takeRequests(), []);
  });
});
