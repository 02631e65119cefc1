import assert from "node:assert/strict";
import type { ConfigMap } from "@gatewright/crd-types/core/v1";
import { createFakeApiServer, createManualTime, createRecorder } from "../kubernetes/testing/index.ts";
import type { SharedRefusal } from "../reconcile/index.ts";
import { createRefusalSharing } from "./refusal-sharing.ts";

const namespace = "gatewright-system";
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
const refusal = (name: string, message = "no"): SharedRefusal => ({
  of: "object",
  key: `HTTPFilter team-a/${name}`,
  content: "1",
  message,
});

function fixture(instance = "one") {
  const api = createFakeApiServer();
  const time = createManualTime();
  const { logger, lines } = createRecorder();
  const adopted = new Map<string, readonly SharedRefusal[]>();
  const inherited: string[] = [];
  let refused: readonly SharedRefusal[] = [];
  const sharing = createRefusalSharing({
    api,
    namespace,
    instance,
    podUid: "uid-1",
    version: "1.2.3",
    reconciler: {
      inherit: (replica) => {
        if (adopted.delete(replica)) inherited.push(replica);
      },
      refusals: () => refused,
      adopt: (replica, refusals) => {
        if (refusals === undefined) adopted.delete(replica);
        else adopted.set(replica, refusals);
      },
    },
    isLeader: () => true,
    logger,
    clock: time,
    now: () => new Date(time.now()),
  });
  const observe = (
    name: string,
    data: Record<string, string> | undefined,
    { labels = { "gatewright.dev/refusals": "true" }, version = "1.2.3" } = {},
  ) => {
    const object: ConfigMap | undefined = data && {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace, labels, annotations: { "gatewright.dev/version": version } },
      data,
    };
    sharing.observe([{ kind: "ConfigMap", key: `${namespace}/${name}`, object }]);
  };
  return {
    api,
    time,
    lines,
    adopted,
    inherited,
    sharing,
    observe,
    refuse: async (...now: readonly SharedRefusal[]) => {
      refused = now;
      sharing.update();
      await time.advance(1_000);
    },
    methods: () => api.requests.splice(0).map(({ method }) => method),
    stored: () => api.get(`${configMaps}/gatewright-refusals-${instance}`),
  };
}

describe("createRefusalSharing()", () => {
  it("writes nothing where nothing is refused", async () => {
    const { sharing, time, methods } = fixture();
    sharing.update();
    await time.advance(3_600_000);
    await sharing.close();
    assert.deepEqual(methods(), []);
  });

  it("writes once a change, bound to its pod and marked as its own, and takes it back", async () => {
    const { refuse, methods, stored, sharing } = fixture();
    await refuse(refusal("a"));
    await refuse(refusal("a"));
    assert.deepEqual(methods(), ["POST"]);
    const { metadata, ...object } = stored() ?? assert.fail("nothing is there");
    assert.deepEqual(object["data"], {
      "0": JSON.stringify({ of: "object", key: "HTTPFilter team-a/a", content: "1", message: "no" }),
    });
    assert.deepEqual(metadata["labels"], {
      "app.kubernetes.io/managed-by": "gatewright",
      "gatewright.dev/refusals": "true",
    });
    assert.deepEqual(metadata["ownerReferences"], [{ apiVersion: "v1", kind: "Pod", name: "one", uid: "uid-1" }]);
    await refuse(refusal("b"), refusal("a"));
    await refuse(refusal("a"), refusal("b"));
    assert.deepEqual(methods(), ["PATCH"]);
    await refuse();
    assert.deepEqual([methods(), stored()], [["DELETE"], undefined]);
    await refuse(refusal("a"));
    await sharing.close();
    assert.deepEqual([methods(), stored()], [["POST", "DELETE"], undefined]);
  });

  it("knows better than what is observed late what it has written", async () => {
    const { refuse, observe, methods, time } = fixture();
    await refuse(refusal("a"));
    await refuse(refusal("b"));
    methods();
    observe("gatewright-refusals-one", { "0": JSON.stringify(refusal("a")) });
    await time.advance(1_000);
    assert.deepEqual(methods(), []);
  });

  it("gathers what comes within a moment", async () => {
    const { refuse, sharing, methods, time } = fixture();
    for (const name of ["a", "b", "c"]) void refuse(refusal(name));
    sharing.update();
    await time.advance(1_000);
    assert.deepEqual(methods(), ["POST"]);
  });

  it("makes anew what somebody deleted, tries again what failed, and says that it stands from time to time", async () => {
    const { refuse, api, methods, stored, time, lines } = fixture();
    const stop = api.intercept(() => ({ status: 500, body: "down" }));
    await refuse(refusal("a"));
    assert.equal(stored(), undefined);
    assert.match(lines("warn").join("\n"), /cannot be told to others/);
    stop();
    await time.advance(6_000);
    assert.notEqual(stored(), undefined);
    api.delete(`${configMaps}/gatewright-refusals-one`);
    methods();
    await time.advance(6 * 60_000);
    assert.deepEqual(methods(), ["PATCH", "POST"]);
    assert.notEqual(stored(), undefined);
  });

  it("writes no more than others read", async () => {
    const { refuse, stored, observe, adopted, lines } = fixture();
    const many = Array.from({ length: 5_000 }, (_, index) => refusal(`f${index}`, "x".repeat(512)));
    await refuse(...many, refusal("long", "x".repeat(100_000)));
    const data = stored()?.["data"] as Record<string, string>;
    assert.ok(JSON.stringify(data).length < 500_000);
    assert.match(lines("warn").join("\n"), /more than can be told/);
    observe("gatewright-refusals-two", data);
    assert.equal(adopted.get("gatewright-refusals-two")?.length, Object.keys(data).length);
  });

  const own = "gatewright-refusals-one";
  for (const [what, text, version] of [
    ["cannot be read", "whatever", "1.2.3"],
    ["is of another release", JSON.stringify(refusal("a")), "1.2.2"],
  ] as const)
    it(`removes what an earlier process of its name has left, where it ${what}`, async () => {
      const { api, observe, sharing, time, stored, adopted, inherited } = fixture();
      api.put(`${configMaps}/${own}`, { metadata: { name: own }, data: {} });
      observe(own, { "0": text }, { version });
      sharing.update();
      await time.advance(1_000);
      assert.equal(stored(), undefined);
      assert.deepEqual([adopted.size, inherited], [0, []]);
    });

  it("goes on holding out what an earlier process of its name held out, without a moment in between", async () => {
    const { api, observe, sharing, time, adopted, inherited, refuse, methods } = fixture();
    const data = { "0": JSON.stringify(refusal("a")), "1": JSON.stringify({ ...refusal("b"), of: "listener" }) };
    api.put(`${configMaps}/${own}`, { metadata: { name: own }, data });
    observe(own, data);
    // Before the first translation, all objects being known after it.
    assert.deepEqual(adopted.get(own), [refusal("a")]);
    sharing.update();
    assert.deepEqual(inherited, [own]);
    await refuse(refusal("a"));
    await time.advance(1_000);
    assert.deepEqual(methods(), ["PATCH"]);
  });

  it("goes on holding out what a replica held out that is gone, unless it was of another release", () => {
    const { observe, adopted, inherited } = fixture();
    const data = { "0": JSON.stringify(refusal("a")) };
    observe("gatewright-refusals-two", data);
    observe("gatewright-refusals-three", data, { version: "1.2.4" });
    for (const which of ["two", "three"]) observe(`gatewright-refusals-${which}`, undefined);
    assert.deepEqual([adopted.size, inherited], [0, ["gatewright-refusals-two"]]);
  });

  it("takes what others say until they say otherwise, are gone, or are silent for long", async () => {
    const { api, observe, adopted, time } = fixture();
    const name = "gatewright-refusals-two";
    const says = (...refusals: readonly SharedRefusal[]) =>
      observe(name, Object.fromEntries(refusals.map((each, index) => [String(index), JSON.stringify(each)])));
    says(refusal("a"));
    assert.deepEqual(adopted.get(name), [refusal("a")]);
    says(refusal("b"));
    assert.deepEqual(adopted.get(name), [refusal("b")]);
    observe(name, undefined);
    assert.equal(adopted.size, 0);
    says(refusal("a"));
    api.put(`${configMaps}/${name}`, { metadata: { name } });
    await time.advance(14 * 60_000);
    // Told again as it was: nothing of it is newer.
    says(refusal("a"));
    assert.equal(adopted.size, 1);
    await time.advance(2 * 60_000);
    assert.equal(adopted.size, 0);
    assert.equal(api.get(`${configMaps}/${name}`), undefined);
  });

  for (const [what, data] of Object.entries<Record<string, string>>({
    "no JSON": { "0": "{" },
    "JSON of something else": { "0": "null" },
    "a field of another type": { "0": JSON.stringify({ ...refusal("a"), content: 1 }) },
    "an unknown table": { "0": JSON.stringify({ ...refusal("a"), of: "__proto__" }) },
    "a long text": { "0": JSON.stringify(refusal("a", "x".repeat(10_000))) },
    "very many": Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [String(at), JSON.stringify(refusal("a"))]),
    ),
  }))
    it(`ignores an object with ${what}, and says so`, () => {
      const { observe, adopted, lines } = fixture();
      observe("gatewright-refusals-two", data);
      assert.equal(adopted.size, 0);
      assert.match(lines("warn").join("\n"), /what it says Envoys refuse is ignored: /);
    });

  it("looks at no other ConfigMaps", () => {
    const { observe, adopted } = fixture();
    observe(
      "gatewright-refusals-two",
      { "0": JSON.stringify(refusal("a")) },
      { labels: { "gatewright.dev/refusals": "no" } },
    );
    observe("something-else", { "0": JSON.stringify(refusal("a")) });
    assert.equal(adopted.size, 0);
  });
});
