import assert from "node:assert/strict";
import type { HTTPBackendRef, HTTPRouteFilter, HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import type { ReferenceGrant } from "@gatewright/crd-types/gateway/v1beta1";
import { createRouteFixture, httpFilter, httpRoute, httpService } from "../../../../test/support/route-side.ts";
import { quarantineKey } from "../inputs.ts";

const app: HTTPBackendRef = { name: "app", port: 80 };
const mutation = { filter: "envoy.filters.http.header_mutation", typedConfig: { "@type": "mutation" } };

const extensionRef = (name: string, more: object = {}): HTTPRouteFilter => ({
  type: "ExtensionRef",
  extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name, ...more },
});

const grant: ReferenceGrant = {
  apiVersion: "gateway.networking.k8s.io/v1beta1",
  kind: "ReferenceGrant",
  metadata: { name: "grant", namespace: "team-b" },
  spec: {
    from: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", namespace: "team-a" }],
    to: [{ group: "", kind: "Service" }],
  },
};

/** One route `r` with these rules, beside the Service `app`. */
function fixture(...rules: readonly HTTPRouteRule[]) {
  const it = createRouteFixture();
  it.putService(httpService("app"));
  it.put(httpRoute("r", rules));
  return {
    ...it,
    actions: () =>
      it.rulesOf("r").rules.map((rule) => {
        const [first] = rule.routes;
        return first?.route.action.kind === "respond" ? first.route.action.status : first?.route.action.kind;
      }),
    view: () => it.rulesOf("r"),
  };
}

describe("rules", () => {
  describe("references to backends", () => {
    const cases: readonly (readonly [string, HTTPBackendRef, string, RegExp])[] = [
      ["another kind", { ...app, kind: "Pod" }, "InvalidKind", /"Pod" cannot be a backend/],
      ["another group", { ...app, group: "example.com" }, "InvalidKind", /"Service\.example\.com" cannot be/],
      ["a missing Service", { name: "other", port: 80 }, "BackendNotFound", /Service team-a\/other does not exist/],
      ["a missing port", { name: "app", port: 81 }, "BackendNotFound", /has no port 81/],
      ["no port", { name: "app" }, "BackendNotFound", /no port of Service team-a\/app is named/],
      [
        "another namespace",
        { ...app, namespace: "team-b" },
        "RefNotPermitted",
        /no ReferenceGrant in namespace team-b/,
      ],
      ["TLS", { name: "tls", port: 80 }, "UnsupportedProtocol", /appProtocol https/],
    ];
    for (const [title, ref, reason, message] of cases)
      it(`says ${reason} of ${title}, of backends and mirrors`, () => {
        const { view, actions, putService } = fixture(
          { backendRefs: [ref] },
          { backendRefs: [app] },
          { filters: [{ type: "RequestMirror", requestMirror: { backendRef: ref } }], backendRefs: [app] },
        );
        putService(httpService("tls", { appProtocol: "https" }));
        putService(httpService("app", {}, { namespace: "team-b" }));
        assert.deepEqual(actions(), [500, "forward", "forward"]);
        const { resolvedRefs, accepted } = view();
        assert.equal(resolvedRefs.kind, "problem");
        assert.equal(resolvedRefs.reason, reason);
        assert.match(resolvedRefs.message, message);
        assert.match(resolvedRefs.message, /spec\.rules\[0\]\.backendRefs\[0\]: /);
        assert.match(resolvedRefs.message, /spec\.rules\[2\]\.filters\[0\]\.requestMirror\.backendRef: /);
        assert.equal(accepted.kind, "ok");
      });

    it("follows a grant that comes and goes", () => {
      const { store, view, actions, putService } = fixture({ backendRefs: [{ ...app, namespace: "team-b" }] });
      putService(httpService("app", {}, { namespace: "team-b" }));
      assert.deepEqual(actions(), [500]);
      store.objects.ReferenceGrant.set("team-b/grant", grant);
      assert.deepEqual(actions(), ["forward"]);
      assert.deepEqual(view().resolvedRefs, { kind: "ok" });
      assert.deepEqual(
        view().clusters.map(({ name }) => name),
        ["team-b/app|80"],
      );
      store.objects.ReferenceGrant.set("team-b/grant", undefined);
      assert.deepEqual(actions(), [500]);
    });

    it("does not tell whether a forbidden Service exists", () => {
      const { view } = fixture({ backendRefs: [{ name: "nowhere", port: 1, namespace: "team-b" }] });
      const { resolvedRefs } = view();
      assert.equal(resolvedRefs.kind === "problem" && resolvedRefs.reason, "RefNotPermitted");
    });

    it("heals when the Service comes, and shares the cluster", () => {
      const { actions, putService, clusters, graph } = fixture({ backendRefs: [{ name: "late", port: 80 }] });
      assert.deepEqual(actions(), [500]);
      putService(httpService("late"));
      assert.deepEqual(actions(), ["forward"]);
      graph.settle();
      assert.deepEqual([...clusters.keys()], ["team-a/late|80"]);
    });

    it("names only clusters that requests go to", () => {
      const { view } = fixture(
        { backendRefs: [app, app] },
        { filters: [extensionRef("missing")], backendRefs: [{ name: "other", port: 80 }] },
      );
      assert.deepEqual(
        view().clusters.map(({ name }) => name),
        ["team-a/app|80"],
      );
    });
  });

  describe("references to filters", () => {
    const cases: readonly (readonly [string, HTTPRouteFilter, string, RegExp])[] = [
      ["a missing one", extensionRef("missing"), "FilterNotFound", /HTTPFilter team-a\/missing does not exist/],
      ["a bad one", extensionRef("bad"), "InvalidFilter", /team-a\/bad cannot be used: spec\.typedConfig: is bad/],
      ["one for Services", extensionRef("chain"), "InvalidFilter", /scope chain/],
      ["another kind", extensionRef("good", { kind: "HttpFilter" }), "InvalidKind", /"HttpFilter\.config\.aether\.io"/],
      ["another group", extensionRef("good", { group: "" }), "InvalidKind", /"HTTPFilter" is not a filter/],
      ["one of another namespace", extensionRef("elsewhere"), "FilterNotFound", /team-a\/elsewhere/],
    ];
    for (const [title, filter, reason, message] of cases)
      it(`says ${reason} of ${title}, and answers 500 for its rule alone`, () => {
        const { view, actions, putFilter, store } = fixture(
          { filters: [filter], backendRefs: [app] },
          { backendRefs: [app] },
          { filters: [extensionRef("good")], backendRefs: [app] },
        );
        putFilter(httpFilter("good", mutation));
        putFilter(httpFilter("bad", { ...mutation, typedConfig: { "@type": "bad" } }));
        putFilter(httpFilter("chain", { ...mutation, scope: "chain" }));
        store.objects.HTTPFilter.set("team-b/elsewhere", {
          ...httpFilter("elsewhere", mutation),
          metadata: { name: "elsewhere", namespace: "team-b" },
        });
        assert.deepEqual(actions(), [500, "forward", "forward"]);
        const { resolvedRefs, accepted, extensions } = view();
        assert.equal(resolvedRefs.kind, "problem");
        assert.equal(resolvedRefs.reason, reason);
        assert.match(resolvedRefs.message, message);
        assert.match(resolvedRefs.message, /^spec\.rules\[0\]\.filters\[0\]\.extensionRef: /);
        assert.equal(accepted.kind, "ok");
        assert.deepEqual(extensions, [mutation.filter]);
      });

    it("heals when the filter comes, and fails again when it goes", () => {
      const { view, actions, putFilter, store } = fixture({ filters: [extensionRef("late")], backendRefs: [app] });
      assert.deepEqual(actions(), [500]);
      putFilter(httpFilter("late", mutation));
      assert.deepEqual(actions(), ["forward"]);
      assert.deepEqual(view().resolvedRefs, { kind: "ok" });
      assert.deepEqual(view().rules[0]?.routes[0]?.route.extensions, [
        {
          filter: mutation.filter,
          config: { typeUrl: mutation.filter, value: Buffer.from('{"@type":"mutation"}') },
          origin: { kind: "HTTPFilter", namespace: "team-a", name: "late" },
        },
      ]);
      store.objects.HTTPFilter.set("team-a/late", undefined);
      assert.deepEqual(actions(), [500]);
    });

    it("fails while Envoy refuses the filter", () => {
      const { actions, putFilter, quarantine } = fixture({ filters: [extensionRef("f")], backendRefs: [app] });
      putFilter(httpFilter("f", mutation));
      assert.deepEqual(actions(), ["forward"]);
      quarantine.set(quarantineKey("HTTPFilter", "team-a", "f"), { message: "no", content: "1" });
      assert.deepEqual(actions(), [500]);
      quarantine.set(quarantineKey("HTTPFilter", "team-a", "f"), undefined);
      assert.deepEqual(actions(), ["forward"]);
    });
  });

  describe("what is accepted", () => {
    const good: HTTPRouteRule = { backendRefs: [app] };
    const bad: HTTPRouteRule = { timeouts: { request: "soon" }, backendRefs: [app] };

    it("is everything", () => assert.deepEqual(fixture(good, good).view().accepted, { kind: "ok" }));

    it("is a part, with the words that the API wants", () => {
      const { view, actions } = fixture(good, bad, bad);
      const { accepted } = view();
      assert.equal(accepted.kind, "partial");
      assert.equal(accepted.reason, "UnsupportedValue");
      assert.match(
        accepted.message,
        /^Dropped Rules 1, 2, answering 500 instead: spec\.rules\[1\]\.timeouts\.request: "soon"/,
      );
      assert.deepEqual(actions(), ["forward", 500, 500]);
    });

    it("is nothing", () => {
      const { accepted } = fixture(bad).view();
      assert.equal(accepted.kind, "problem");
      assert.equal(accepted.reason, "UnsupportedValue");
      assert.match(accepted.message, /^spec\.rules\[0\]\.timeouts\.request/);
    });

    it("is nothing while Envoy refuses the route, which answers 500 for all that it can", () => {
      const { view, actions, quarantine, put, routesAt } = fixture(
        {
          matches: [{ path: { value: "/a" } }, { path: { type: "RegularExpression", value: "/b.*" } }],
          backendRefs: [app],
        },
        good,
      );
      quarantine.set(quarantineKey("HTTPRoute", "team-a", "r"), { message: "too odd", content: "1" });
      const { accepted, clusters } = view();
      assert.deepEqual(accepted, {
        kind: "problem",
        reason: "Rejected",
        message: "Envoy refused the configuration: too odd",
      });
      assert.deepEqual(clusters, []);
      assert.deepEqual(
        routesAt("*")?.map(({ match, action }) => [match.path.value, action.kind === "respond" && action.status]),
        [
          ["/a", 500],
          ["/", 500],
        ],
      );
      put(httpRoute("r", [good], { metadata: { name: "r", namespace: "team-a", generation: 2 } }));
      assert.deepEqual(actions(), ["forward"]);
    });
  });

  it("keeps names, and gives a route without rules the default one", () => {
    const { view, actions, put } = fixture({ name: "first", backendRefs: [app] }, { backendRefs: [app] });
    assert.deepEqual(
      view().rules.map(({ name }) => name),
      ["first", undefined],
    );
    const route = httpRoute("r", []);
    put({ ...route, spec: { parentRefs: [{ name: "gw" }] } });
    assert.deepEqual(actions(), [500]);
  });

  for (const [creationTimestamp, createdAt] of [
    ["2026-01-01T02:00:00+02:00", "2026-01-01T00:00:00.000Z"],
    ["never", ""],
  ] as const)
    it(`reads the time ${creationTimestamp}`, () => {
      const { view, put } = fixture();
      put(httpRoute("r", [], { metadata: { name: "r", namespace: "team-a", creationTimestamp } }));
      assert.equal(view().createdAt, createdAt);
    });

  it("is not there for routes of others", () => {
    const { graph, attachments, rules } = fixture({ backendRefs: [app] });
    graph.settle();
    assert.equal(rules.size(), 1);
    attachments.set("team-a/r", { parents: [] });
    graph.settle();
    assert.equal(rules.size(), 0);
  });
});
