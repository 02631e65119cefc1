import assert from "node:assert/strict";
import type { HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import type { Cluster, ForwardAction, Route } from "../../ir/index.ts";
import type { References } from "./references.ts";
import { translateRule } from "./rule.ts";

/** Backends and filters are there unless their names say `missing`. */
const references: References = {
  backend: ({ name, port = 80 }) =>
    name.startsWith("missing")
      ? { kind: "unresolved", reason: "BackendNotFound", message: `Service ${name} does not exist` }
      : { kind: "cluster", cluster: cluster(`n/${name}|${port}`) },
  filter: ({ name }) =>
    name.startsWith("missing")
      ? { kind: "unresolved", reason: "FilterNotFound", message: `HTTPFilter ${name} does not exist` }
      : { kind: "extension", extension: extension(name) },
  cluster: () => undefined,
};

const cluster = (name: string): Cluster => ({
  name,
  origin: { kind: "Service", namespace: "n", name },
  endpoints: { kind: "eds" },
  protocol: "http1",
  connectTimeoutMs: 5000,
});

/** The filter's name in Envoy is that of the object up to a dash. */
const extension = (name: string): Route["extensions"][number] => ({
  filter: name.split("-")[0] ?? "",
  config: { typeUrl: name, value: new Uint8Array() },
  origin: { kind: "HTTPFilter", namespace: "n", name },
});

function translate(stated: unknown) {
  // What comes from a file may hold values that the type does not know.
  const rule: HTTPRouteRule = JSON.parse(JSON.stringify(stated));
  const { routes, invalid, unresolved } = translateRule(
    rule,
    { kind: "HTTPRoute", namespace: "n", route: "r", index: 2 },
    references,
  );
  return { routes: routes.map(({ route }) => route), ranks: routes.map(({ rank }) => rank), invalid, unresolved };
}

function forward(stated: unknown): ForwardAction {
  const { routes, invalid } = translate(stated);
  assert.deepEqual(invalid, []);
  const action = routes[0]?.action;
  assert.equal(action?.kind, "forward");
  return action;
}

const app = { name: "app", port: 80 };
const extensionRef = (name: string) => ({
  type: "ExtensionRef",
  extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name },
});
const rewrite = (urlRewrite: object) => ({ type: "URLRewrite", urlRewrite });
const setHeader = (name: string, value: string) => ({
  type: "RequestHeaderModifier",
  requestHeaderModifier: { set: [{ name, value }] },
});
const redirect = { type: "RequestRedirect", requestRedirect: { hostname: "example.org" } };
const mirror = (name: string, more: object = {}) => ({
  type: "RequestMirror",
  requestMirror: { backendRef: { name, port: 80 }, ...more },
});

describe("translateRule()", () => {
  it("makes a route of each match, with its place and rank", () => {
    const { routes, ranks } = translate({
      name: "named",
      matches: [{ path: { value: "/a" } }, { path: { type: "Exact", value: "/b" }, method: "GET" }],
      backendRefs: [app],
    });
    assert.deepEqual(
      routes.map(({ name }) => name),
      ["n/r/named/0", "n/r/named/1"],
    );
    assert.deepEqual(routes[0]?.origin, { kind: "HTTPRoute", namespace: "n", name: "r", field: "spec.rules[2]" });
    assert.deepEqual(ranks[1], {
      path: "exact",
      pathLength: 0,
      hasMethod: true,
      headerCount: 0,
      queryParamCount: 0,
      rule: 2,
      match: 1,
    });
  });

  for (const rule of [{}, { matches: [] }])
    it(`matches everything for ${JSON.stringify(rule)}`, () => {
      const { routes } = translate({ ...rule, backendRefs: [app] });
      assert.deepEqual(routes[0]?.match, { path: { kind: "prefix", value: "/" }, headers: [], queryParams: [] });
      assert.equal(routes[0]?.name, "n/r/2/0");
    });

  it("applies all filters of a rule", () => {
    const cors = { allowOrigins: ["*"] };
    const { routes, invalid } = translate({
      filters: [
        setHeader("X-A", "1"),
        { type: "ResponseHeaderModifier", responseHeaderModifier: { remove: ["X-B"] } },
        mirror("m1"),
        mirror("m2", { percent: 20 }),
        mirror("m3", { fraction: { numerator: 1, denominator: 3 } }),
        mirror("m4", { percent: 0 }),
        rewrite({ hostname: "inner.example.com", path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } }),
        { type: "CORS", cors },
        extensionRef("f-1"),
        extensionRef("g-1"),
      ],
      backendRefs: [app],
      timeouts: { request: "2s", backendRequest: "1s" },
      retry: { attempts: 2, codes: [503] },
    });
    assert.deepEqual(invalid, []);
    const [route] = routes;
    assert.deepEqual(route?.requestHeaders, { set: [{ name: "x-a", value: "1" }], add: [], remove: [] });
    assert.deepEqual(route?.responseHeaders, { set: [], add: [], remove: ["x-b"] });
    assert.deepEqual(route?.cors?.allowOrigins, ["*"]);
    assert.deepEqual(route?.extensions, [extension("f-1"), extension("g-1")]);
    assert.deepEqual(route?.action, {
      kind: "forward",
      backends: [{ cluster: "n/app|80", weight: 1 }],
      mirrors: [
        { cluster: "n/m1|80", fraction: { numerator: 100, denominator: 100 } },
        { cluster: "n/m2|80", fraction: { numerator: 20, denominator: 100 } },
        { cluster: "n/m3|80", fraction: { numerator: 1, denominator: 3 } },
      ],
      rewrite: { host: "inner.example.com", path: { kind: "prefix", value: "/" } },
      requestTimeoutMs: 2000,
      backendTimeoutMs: 1000,
      retry: { attempts: 2, statusCodes: [503] },
    });
  });

  it("redirects", () => {
    const { routes, invalid } = translate({ filters: [redirect] });
    assert.deepEqual(invalid, []);
    assert.deepEqual(routes[0]?.action, { kind: "redirect", host: "example.org", status: 302 });
  });

  it("takes a Host that is set for a rewrite of the host", () =>
    assert.deepEqual(forward({ filters: [setHeader("Host", "inner")], backendRefs: [app] }).rewrite, {
      host: "inner",
    }));

  describe("backends", () => {
    const split = { backends: [{ cluster: "n/app|80", weight: 1 }] };
    const cases: readonly (readonly [string, readonly object[], Partial<ForwardAction> | 500])[] = [
      ["one", [app], split],
      ["none", [], 500],
      [
        "weights",
        [
          { ...app, weight: 3 },
          { name: "b", port: 81, weight: 1 },
        ],
        {
          backends: [
            { cluster: "n/app|80", weight: 3 },
            { cluster: "n/b|81", weight: 1 },
          ],
        },
      ],
      [
        "a weight of zero among others",
        [
          { ...app, weight: 1 },
          { name: "b", port: 81, weight: 0 },
        ],
        split,
      ],
      ["weights of zero only", [{ ...app, weight: 0 }], 500],
      ["an invalid one", [{ name: "missing" }], 500],
      [
        "an invalid one among others",
        [
          { ...app, weight: 1 },
          { name: "missing", weight: 3 },
        ],
        { ...split, failing: { weight: 3, total: 4 } },
      ],
      ["an invalid one of weight zero", [app, { name: "missing", weight: 0 }], split],
      [
        "one with an ExtensionRef",
        [app, { ...app, name: "b", filters: [extensionRef("f")] }],
        { ...split, failing: { weight: 1, total: 2 } },
      ],
    ];
    for (const [title, backendRefs, want] of cases)
      it(`forwards to ${title}`, () => {
        const action = translate({ backendRefs }).routes[0]?.action;
        if (want === 500) assert.deepEqual(action, { kind: "respond", status: 500 });
        else assert.deepEqual(action, { kind: "forward", mirrors: [], ...want });
      });

    it("reports what is invalid, whatever its weight", () => {
      const { invalid, unresolved } = translate({ backendRefs: [app, { name: "missing", weight: 0 }] });
      assert.deepEqual(invalid, []);
      assert.deepEqual(unresolved, [
        { reason: "BackendNotFound", message: "spec.rules[2].backendRefs[1]: Service missing does not exist" },
      ]);
    });

    it("reports an ExtensionRef, and does not ignore it", () =>
      assert.deepEqual(translate({ backendRefs: [{ ...app, filters: [extensionRef("f")] }] }).unresolved, [
        {
          reason: "UnsupportedValue",
          message: "spec.rules[2].backendRefs[0].filters[0]: ExtensionRef is supported on rules, not on backends",
        },
      ]));

    it("changes headers and the host for one backend", () => {
      const { backends } = forward({
        filters: [setHeader("x", "rule")],
        backendRefs: [
          {
            ...app,
            filters: [
              setHeader("x", "backend"),
              { type: "ResponseHeaderModifier", responseHeaderModifier: { add: [{ name: "y", value: "1" }] } },
              rewrite({ hostname: "inner.example.com" }),
            ],
          },
          { name: "b", port: 80 },
        ],
      });
      assert.deepEqual(backends, [
        {
          cluster: "n/app|80",
          weight: 1,
          requestHeaders: { set: [{ name: "x", value: "backend" }], add: [], remove: [] },
          responseHeaders: { set: [], add: [{ name: "y", value: "1" }], remove: [] },
          hostRewrite: "inner.example.com",
        },
        { cluster: "n/b|80", weight: 1 },
      ]);
    });

    const toX = [rewrite({ path: { type: "ReplaceFullPath", replaceFullPath: "/x" } })];
    const toY = [rewrite({ path: { type: "ReplaceFullPath", replaceFullPath: "/y" } })];
    for (const backendRefs of [
      [{ ...app, filters: toX }],
      [
        { ...app, filters: toX },
        { ...app, name: "b", filters: toX },
      ],
      [
        { ...app, filters: toX },
        { ...app, weight: 0 },
      ],
    ])
      it(`changes the path where all of ${backendRefs.length} backends want the same`, () =>
        assert.deepEqual(forward({ backendRefs }).rewrite, { path: { kind: "fullPath", value: "/x" } }));

    for (const [title, rule, message] of [
      ["one of two", { backendRefs: [{ ...app, filters: toX }, app] }, /must be the same/],
      [
        "two different",
        {
          backendRefs: [
            { ...app, filters: toX },
            { ...app, filters: toY },
          ],
        },
        /must be the same/,
      ],
      ["rule and backend", { filters: toX, backendRefs: [{ ...app, filters: toX }] }, /both the rule and a backend/],
    ] as const)
      it(`refuses changes of the path by ${title}`, () => {
        const { invalid, routes } = translate(rule);
        assert.equal(invalid.length, 1);
        assert.match(invalid[0]?.message ?? "", message);
        assert.deepEqual(routes[0]?.action, { kind: "respond", status: 500 });
      });
  });

  describe("what cannot be taken", () => {
    const cors = { type: "CORS", cors: {} };
    const full = { type: "ReplaceFullPath", replaceFullPath: "/" };
    const cases: readonly (readonly [string, object, string, RegExp])[] = [
      ["redirect and rewrite", { filters: [redirect, rewrite({})] }, "IncompatibleFilters", /exclude each other/],
      ["redirect and backends", { filters: [redirect], backendRefs: [app] }, "UnsupportedValue", /beside backendRefs/],
      [
        "two redirects",
        { filters: [redirect, redirect] },
        "IncompatibleFilters",
        /filters\[1\]: RequestRedirect cannot be/,
      ],
      [
        "two rewrites",
        { filters: [rewrite({ path: full }), rewrite({})] },
        "IncompatibleFilters",
        /URLRewrite cannot be/,
      ],
      [
        "two header modifiers",
        { filters: [setHeader("a", "1"), setHeader("b", "1")] },
        "IncompatibleFilters",
        /repeated/,
      ],
      ["two CORS filters", { filters: [cors, cors] }, "IncompatibleFilters", /CORS cannot be repeated/],
      [
        "a host by header and rewrite",
        { filters: [setHeader("Host", "inner"), rewrite({ hostname: "inner" })], backendRefs: [app] },
        "IncompatibleFilters",
        /host is changed twice/,
      ],
      [
        "a filter twice",
        { filters: [extensionRef("f-1"), extensionRef("f-2")], backendRefs: [app] },
        "IncompatibleFilters",
        /HTTPFilters f-1 and f-2 both configure f/,
      ],
      [
        "an object twice",
        { filters: [extensionRef("f-1"), extensionRef("f-1")], backendRefs: [app] },
        "IncompatibleFilters",
        /f-1 and f-1/,
      ],
      [
        "authorization by others",
        { filters: [{ type: "ExternalAuth", externalAuth: { protocol: "HTTP", backendRef: app } }] },
        "UnsupportedValue",
        /ExternalAuth is not supported/,
      ],
      [
        "an unknown filter",
        { filters: [{ type: "Teleport" }] },
        "UnsupportedValue",
        /type: "Teleport" is not supported/,
      ],
      ["a name of Object's", { filters: [{ type: "constructor" }] }, "UnsupportedValue", /"constructor" is not/],
      ["an empty filter", { filters: [{ type: "CORS" }] }, "UnsupportedValue", /CORS needs cors/],
      [
        "a filter of two types",
        { filters: [{ ...cors, urlRewrite: {} }] },
        "UnsupportedValue",
        /CORS takes no urlRewrite/,
      ],
      ["a bad host", { filters: [rewrite({ hostname: "*.a" })] }, "UnsupportedValue", /urlRewrite\.hostname: "\*\.a"/],
      [
        "a bad header",
        { filters: [setHeader(":path", "/")] },
        "UnsupportedValue",
        /requestHeaderModifier\.set\[0\]\.name/,
      ],
      [
        "a prefix change without a prefix",
        {
          matches: [{ path: { type: "Exact", value: "/a" } }],
          filters: [rewrite({ path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/" } })],
        },
        "UnsupportedValue",
        /needs exactly one match/,
      ],
      [
        "both shares of a mirror",
        { filters: [mirror("m", { percent: 1, fraction: { numerator: 1 } })] },
        "UnsupportedValue",
        /one of/,
      ],
      ["more than all", { filters: [mirror("m", { percent: 101 })] }, "UnsupportedValue", /101 of 100/],
      [
        "a share of nothing",
        { filters: [mirror("m", { fraction: { numerator: 0, denominator: 0 } })] },
        "UnsupportedValue",
        /0 of 0/,
      ],
      [
        "a bad weight",
        { backendRefs: [{ ...app, weight: 1_000_001 }] },
        "UnsupportedValue",
        /backendRefs\[0\]\.weight/,
      ],
      ["a negative weight", { backendRefs: [{ ...app, weight: -1 }] }, "UnsupportedValue", /weight: -1/],
      ["a bad timeout", { timeouts: { request: "1" }, backendRefs: [app] }, "UnsupportedValue", /timeouts\.request/],
      ["a bad retry", { retry: { codes: [1] }, backendRefs: [app] }, "UnsupportedValue", /retry\.codes/],
      ["sessions", { sessionPersistence: {}, backendRefs: [app] }, "UnsupportedValue", /sessionPersistence: is not/],
      ...["RequestRedirect", "RequestMirror", "CORS", "ExternalAuth"].map(
        (type): readonly [string, object, string, RegExp] => {
          const all = { RequestRedirect: redirect, RequestMirror: mirror("m"), CORS: cors };
          const externalAuth = { type, externalAuth: { protocol: "HTTP", backendRef: app } };
          const filter = Object.entries(all).find(([name]) => name === type)?.[1] ?? externalAuth;
          const rule = { backendRefs: [{ ...app, filters: [filter] }] };
          return [
            `${type} on a backend`,
            rule,
            "UnsupportedValue",
            /backendRefs\[0\]\.filters\[0\]: .* not on backends/,
          ];
        },
      ),
    ];
    for (const [title, rule, reason, message] of cases)
      it(`answers 500 for ${title}`, () => {
        const { routes, invalid } = translate(rule);
        assert.equal(invalid[0]?.reason, reason);
        assert.match(invalid[0].message, message);
        assert.match(invalid[0].message, /^spec\.rules\[2\]\./);
        assert.equal(routes.length, 1);
        assert.deepEqual(routes[0]?.action, { kind: "respond", status: 500 });
      });

    it("answers 500 for the matches that can be said, and leaves out the one that cannot", () => {
      const { routes, invalid } = translate({
        matches: [{ path: { value: "/a" } }, { path: { type: "RegularExpression", value: "(" } }],
        backendRefs: [app],
      });
      assert.equal(invalid[0]?.reason, "UnsupportedValue");
      assert.deepEqual(
        routes.map(({ match, action }) => [match.path.value, action]),
        [["/a", { kind: "respond", status: 500 }]],
      );
    });

    it("answers 500 without the filter that is there, for one that is not", () => {
      const { routes, invalid, unresolved } = translate({
        filters: [extensionRef("f"), extensionRef("missing"), setHeader("a", "1")],
        backendRefs: [app],
      });
      assert.deepEqual(invalid, []);
      assert.deepEqual(unresolved, [
        {
          reason: "FilterNotFound",
          message: "spec.rules[2].filters[1].extensionRef: HTTPFilter missing does not exist",
        },
      ]);
      assert.deepEqual(routes[0]?.action, { kind: "respond", status: 500 });
      assert.deepEqual(routes[0].extensions, []);
      assert.equal(routes[0].requestHeaders, undefined);
    });

    it("answers 500 for a redirect behind a filter that is not there", () =>
      assert.deepEqual(translate({ filters: [extensionRef("missing"), redirect] }).routes[0]?.action, {
        kind: "respond",
        status: 500,
      }));

    it("serves without a mirror that is not there, and says so", () => {
      const rule = { filters: [mirror("missing")], backendRefs: [app] };
      assert.deepEqual(forward(rule).mirrors, []);
      assert.deepEqual(
        translate(rule).unresolved.map(({ reason }) => reason),
        ["BackendNotFound"],
      );
    });

    it("keeps the filters of a rule whose backends are all invalid", () => {
      const { routes } = translate({ filters: [extensionRef("f")], backendRefs: [{ name: "missing" }] });
      assert.deepEqual(routes[0]?.action, { kind: "respond", status: 500 });
      assert.deepEqual(routes[0].extensions, [extension("f")]);
    });
  });
});
