import assert from "node:assert/strict";
import type { ReferenceGrant } from "@gatewright/crd-types/gateway/v1beta1";
import { createGraph } from "../../lib/index.ts";
import { createStore, objectKey } from "../../store/index.ts";
import { createGrants, type GrantTo } from "./grants.ts";

const route = { group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "apps" };
const service = { group: "", kind: "Service", namespace: "shared", name: "db" };

function grant(from: ReferenceGrant["spec"]["from"], to: ReferenceGrant["spec"]["to"]): ReferenceGrant {
  return {
    apiVersion: "gateway.networking.k8s.io/v1beta1",
    kind: "ReferenceGrant",
    metadata: { name: "grant", namespace: "shared" },
    spec: { from, to },
  };
}

function fixture() {
  const graph = createGraph();
  const store = createStore(graph);
  const grants = createGrants(graph, store);
  const questions = graph.source<{ readonly from: typeof route; readonly to: GrantTo }>("questions");
  const answers = graph.derive("answers", {
    keysOf: [questions],
    compute: (key) => {
      const question = questions.get(key);
      return question && grants.permits(question.from, question.to);
    },
  });
  questions.set("local", { from: route, to: { ...service, namespace: "apps" } });
  questions.set("remote", { from: route, to: service });
  questions.set("other", { from: { ...route, namespace: "elsewhere" }, to: service });
  return {
    graph,
    answer: (key: string) => answers.get(key),
    put: (object: ReferenceGrant | undefined) => {
      store.objects.ReferenceGrant.set(objectKey("shared", "grant"), object);
      graph.settle();
    },
  };
}

describe("createGrants()", () => {
  it("allows what stays in its namespace, and nothing else without a grant", () => {
    const { answer, put } = fixture();
    put(undefined);
    assert.equal(answer("local"), true);
    assert.equal(answer("remote"), false);
  });

  const cases: readonly {
    readonly title: string;
    readonly from: ReferenceGrant["spec"]["from"];
    readonly to: ReferenceGrant["spec"]["to"];
    readonly permits: boolean;
  }[] = [
    { title: "all of a kind", from: [route], to: [{ group: "", kind: "Service" }], permits: true },
    { title: "one by name", from: [route], to: [{ group: "", kind: "Service", name: "db" }], permits: true },
    { title: "another name", from: [route], to: [{ group: "", kind: "Service", name: "web" }], permits: false },
    { title: "another kind", from: [route], to: [{ group: "", kind: "Secret" }], permits: false },
    { title: "another group", from: [route], to: [{ group: "example.com", kind: "Service" }], permits: false },
    {
      title: "another namespace of the referrer",
      from: [{ ...route, namespace: "other" }],
      to: [{ group: "", kind: "Service" }],
      permits: false,
    },
    {
      title: "another kind of referrer",
      from: [{ ...route, kind: "GRPCRoute" }],
      to: [{ group: "", kind: "Service" }],
      permits: false,
    },
    {
      title: "any of several",
      from: [{ ...route, kind: "GRPCRoute" }, route],
      to: [
        { group: "", kind: "Secret" },
        { group: "", kind: "Service", name: "db" },
      ],
      permits: true,
    },
  ];
  for (const { title, from, to, permits } of cases)
    it(`${permits ? "honours" : "ignores"} a grant of ${title}`, () => {
      const { answer, put } = fixture();
      put(grant(from, to));
      assert.equal(answer("remote"), permits);
    });

  it("wakes only whom a grant concerns, and forgets a grant that went", () => {
    const { graph, answer, put } = fixture();
    put(undefined);
    const before = graph.computations();
    put(grant([route], [{ group: "", kind: "Service" }]));
    assert.equal(graph.computations() - before, 1);
    assert.equal(answer("remote"), true);
    assert.equal(answer("other"), false);
    put(undefined);
    assert.equal(answer("remote"), false);
  });
});
