import assert from "node:assert/strict";
import { create, type JsonObject } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { messageToJson } from "../proto/index.ts";
import { checkExtension, defaultFilters, knownFilters, neutralConfig } from "./index.ts";
import { goodCases, refusedCases } from "./testing/cases.ts";

const everything = [...knownFilters.keys()];
const h2m = "envoy.filters.http.header_to_metadata";
const mutation = "envoy.filters.http.header_mutation";
const rbac = "envoy.filters.http.rbac";
const url = (name: string) => `type.googleapis.com/envoy.extensions.filters.http.${name}`;
const h2mType = url("header_to_metadata.v3.Config");
const rule = { header: "x-tenant", onHeaderPresent: { metadataNamespace: "envoy.lb", key: "tenant", type: "STRING" } };

/** `reason path` of each problem. */
function problems(filter: string, typedConfig: unknown, allowed: readonly string[] = everything): readonly string[] {
  const result = checkExtension({ filter, typedConfig }, allowed);
  return result.kind === "valid" ? [] : result.problems.map(({ reason, path }) => `${reason} ${path}`);
}

describe("checkExtension()", () => {
  for (const { title, filter, typedConfig } of goodCases) {
    it(`takes ${title}`, () => assert.deepEqual(problems(filter, typedConfig), []));
  }
  for (const { title, filter, typedConfig, path } of refusedCases) {
    it(`refuses what Envoy's code would refuse: ${title}`, () =>
      assert.deepEqual([...new Set(problems(filter, typedConfig))], [`RefusedByEnvoy ${path}`]));
  }

  it("gives the configuration as Envoy's API has it", () => {
    const result = checkExtension({ filter: h2m, typedConfig: { "@type": h2mType, requestRules: [rule] } });
    assert.ok(result.kind === "valid");
    assert.deepEqual(messageToJson(AnySchema, create(AnySchema, result.config)), {
      "@type": h2mType,
      request_rules: [{ header: "x-tenant", on_header_present: { metadata_namespace: "envoy.lb", key: "tenant" } }],
    });
  });

  it("gives the same bytes whatever the order and the spelling", () => {
    const policies = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, { principals: [{ any: true }], permissions: [{ any: true }] }]));
    const one = {
      "@type": url("rbac.v3.RBACPerRoute"),
      rbac: { rules: { action: "DENY", policies: policies(["b", "a"]) }, shadowRulesStatPrefix: "s" },
    };
    const other = {
      rbac: { shadow_rules_stat_prefix: "s", rules: { policies: policies(["a", "b"]), action: 1 } },
      "@type": url("rbac.v3.RBACPerRoute"),
    };
    const result = checkExtension({ filter: rbac, typedConfig: one });
    assert.ok(result.kind === "valid");
    assert.deepEqual(result, checkExtension({ filter: rbac, typedConfig: other }));
  });

  describe("the allow-list", () => {
    it("has safe filters by default", () => {
      assert.deepEqual(defaultFilters, [h2m, mutation, rbac, "envoy.filters.http.csrf"]);
      const buffer = goodCases.filter(({ filter }) => filter === "envoy.filters.http.buffer");
      assert.ok(buffer.length > 0);
      for (const spec of buffer) {
        const result = checkExtension(spec);
        assert.deepEqual(result.kind === "invalid" && result.problems.map(({ reason }) => reason), ["NotAllowed"]);
      }
    });

    it("can be narrowed by the mesh", () => {
      assert.deepEqual(problems(h2m, { "@type": h2mType, requestRules: [rule] }, [rbac]), ["NotAllowed filter"]);
      assert.deepEqual(problems(h2m, { "@type": h2mType, requestRules: [rule] }, []), ["NotAllowed filter"]);
    });

    for (const filter of [
      "",
      "envoy.filters.http.lua",
      "envoy.filters.http.router",
      "envoy.filters.http.ext_authz",
      "envoy.filters.http.ext_proc",
      "envoy.filters.http.dynamic_modules",
      "envoy.filters.http.wasm",
      "Envoy.Filters.Http.Rbac",
      "envoy.filters.http.no_such",
    ]) {
      it(`cannot be widened to ${filter || "the empty name"}`, () => {
        const config = { "@type": url("lua.v3.LuaPerRoute"), disabled: true };
        assert.deepEqual(problems(filter, config, [...everything, filter]), ["NotAllowed filter"]);
      });
    }

    it("says what is allowed", () => {
      const result = checkExtension({ filter: "envoy.filters.http.lua", typedConfig: {} }, [rbac, h2m]);
      assert.ok(result.kind === "invalid");
      assert.deepEqual(
        result.problems[0]?.message,
        `"envoy.filters.http.lua" cannot be used by an HTTPFilter; allowed are ${h2m}, ${rbac}`,
      );
    });
  });

  describe("the type", () => {
    const cases: readonly [string, unknown, string][] = [
      ["no configuration", undefined, "MissingField typedConfig"],
      ["null", null, "MissingField typedConfig"],
      ["a text", "a", "InvalidValue typedConfig"],
      ["a list", [], "InvalidValue typedConfig"],
      ["no @type", { requestRules: [rule] }, "MissingField typedConfig.@type"],
      ["a number as @type", { "@type": 5 }, "InvalidValue typedConfig.@type"],
      ["a type that is none", { "@type": "type.googleapis.com/does.not.Exist" }, "UnknownType typedConfig.@type"],
      [
        "an unusual prefix",
        { "@type": h2mType.replace("type.googleapis.com", "example.com") },
        "UnknownType typedConfig.@type",
      ],
      ["another filter's type", { "@type": url("rbac.v3.RBACPerRoute") }, "WrongType typedConfig.@type"],
      [
        "a wrapped configuration",
        { "@type": "type.googleapis.com/xds.type.v3.TypedStruct" },
        "WrongType typedConfig.@type",
      ],
    ];
    for (const [title, config, problem] of cases) {
      it(`refuses ${title}`, () => assert.deepEqual(problems(h2m, config), [problem]));
    }

    for (const [filter, type] of [
      [mutation, "header_mutation.v3.HeaderMutation"],
      [rbac, "rbac.v3.RBAC"],
      ["envoy.filters.http.buffer", "buffer.v3.Buffer"],
    ] as const) {
      it(`refuses the type that ${filter} takes for the chain, and names the other`, () => {
        const result = checkExtension({ filter, typedConfig: { "@type": url(type) } }, everything);
        assert.ok(result.kind === "invalid");
        assert.equal(result.problems[0]?.reason, "WrongType");
        assert.match(result.problems[0].message, new RegExp(`${url(type)}PerRoute$`));
      });
    }
  });

  describe("the JSON", () => {
    const append = (header: object) => ({ mutations: { requestMutations: [{ append: { header } }] } });
    const at = "typedConfig.mutations.requestMutations[0].append.header";
    const inMutation = (config: object) =>
      problems(mutation, { "@type": url("header_mutation.v3.HeaderMutationPerRoute"), ...config });
    const inH2m = (config: object) => problems(h2m, { "@type": h2mType, ...config });
    const inRbac = (config: object) => problems(rbac, { "@type": url("rbac.v3.RBACPerRoute"), rbac: config });

    it("may be spelled in camelCase and in snake_case", () => {
      const snake = { header: "x", on_header_present: { metadata_namespace: "a", key: "k" } };
      assert.deepEqual(inH2m({ requestRules: [rule, snake], response_rules: [snake] }), []);
    });

    it("names unknown fields as they were written", () => {
      assert.deepEqual(inH2m({ request_rules: [{ ...rule, headr: "x" }], Foo: 1 }), [
        "UnknownField typedConfig.request_rules[0].headr",
        "UnknownField typedConfig.Foo",
      ]);
    });

    it("guesses what was meant", () => {
      const result = checkExtension({ filter: h2m, typedConfig: { "@type": h2mType, RequestRules: [] } });
      assert.match(
        result.kind === "invalid" ? (result.problems[0]?.message ?? "") : "",
        /did you mean requestRules\?$/,
      );
    });

    it("refuses a field in both spellings", () => {
      assert.deepEqual(inH2m({ requestRules: [rule], request_rules: [rule] }), [
        "InvalidValue typedConfig.request_rules",
      ]);
    });

    it("refuses two members of a oneof", () => {
      const both = { mutations: { requestMutations: [{ remove: "a", append: { header: { key: "b", value: "c" } } }] } };
      assert.deepEqual(inMutation(both), ["InvalidValue typedConfig.mutations.requestMutations[0].append"]);
    });

    it("takes null for what is left out", () => {
      assert.deepEqual(inH2m({ requestRules: [{ ...rule, cookie: null, onHeaderMissing: null }] }), []);
    });

    const wrong: readonly [string, () => readonly string[], string][] = [
      ["a number for a string", () => inMutation(append({ key: 5, value: "a" })), `${at}.key`],
      ["a list for a string", () => inMutation(append({ key: ["a"], value: "a" })), `${at}.key`],
      ["a text that is no Unicode", () => inMutation(append({ key: "a", value: "\ud800" })), `${at}.value`],
      ["bad base64", () => inMutation(append({ key: "a", raw_value: "***" })), `${at}.raw_value`],
      [
        "a string for a boolean",
        () => inH2m({ requestRules: [{ ...rule, remove: "true" }] }),
        "typedConfig.requestRules[0].remove",
      ],
      [
        "a bad enum",
        () => inH2m({ requestRules: [{ header: "x", onHeaderPresent: { key: "k", type: "TEXT" } }] }),
        "typedConfig.requestRules[0].onHeaderPresent.type",
      ],
      ["an object for a list", () => inH2m({ requestRules: rule }), "typedConfig.requestRules"],
      ["null in a list", () => inH2m({ requestRules: [null] }), "typedConfig.requestRules[0]"],
      ["a text for an object", () => inH2m({ requestRules: ["a"] }), "typedConfig.requestRules[0]"],
      ["a list for a map", () => inRbac({ rules: { policies: [] } }), "typedConfig.rbac.rules.policies"],
      [
        "a map with a key of JavaScript's own",
        () => inRbac({ rules: { policies: JSON.parse('{"__proto__": {}}') } }),
        'typedConfig.rbac.rules.policies["__proto__"]',
      ],
      [
        "a fraction for an integer",
        () =>
          inRbac({
            rules: { policies: { p: { permissions: [{ destinationPort: 1.5 }], principals: [{ any: true }] } } },
          }),
        'typedConfig.rbac.rules.policies["p"].permissions[0].destinationPort',
      ],
      [
        "a negative number",
        () =>
          inRbac({
            rules: { policies: { p: { permissions: [{ destinationPort: -1 }], principals: [{ any: true }] } } },
          }),
        'typedConfig.rbac.rules.policies["p"].permissions[0].destinationPort',
      ],
      [
        "a bad duration",
        () => problems("envoy.filters.http.fault", { "@type": url("fault.v3.HTTPFault"), delay: { fixedDelay: "1m" } }),
        "typedConfig.delay.fixedDelay",
      ],
      ["what is no JSON", () => inMutation(append({ key: "a", value: 5n })), `${at}.value`],
    ];
    for (const [title, run, path] of wrong)
      it(`refuses ${title}`, () => assert.deepEqual(run(), [`InvalidValue ${path}`]));

    it("reports all that is wrong", () => {
      assert.deepEqual(
        inH2m({ requestRules: [{ header: 1, cookie: 2, onHeaderPresent: { type: "X", keyy: "" } }], z: 1 }),
        [
          "InvalidValue typedConfig.requestRules[0].header",
          "InvalidValue typedConfig.requestRules[0].cookie",
          "InvalidValue typedConfig.requestRules[0].onHeaderPresent.type",
          "UnknownField typedConfig.requestRules[0].onHeaderPresent.keyy",
          "UnknownField typedConfig.z",
        ],
      );
    });
  });

  describe("the rules of Envoy's API", () => {
    it("are reported all, where they are broken, as their author spells it", () => {
      const requestRules = [{ header: "x\n", onHeaderPresent: { key: "" } }];
      const response_rules = [{ header: "x", on_header_present: { metadata_namespace: "a" } }];
      assert.deepEqual(problems(h2m, { "@type": h2mType, requestRules, response_rules }), [
        "RuleViolation typedConfig.requestRules[0].header",
        "RuleViolation typedConfig.requestRules[0].onHeaderPresent.key",
        "RuleViolation typedConfig.response_rules[0].on_header_present.key",
      ]);
    });

    it("hold in packed messages", () => {
      const config = {
        "@type": url("rbac.v3.RBACPerRoute"),
        rbac: {
          matcher: {
            onNoMatch: {
              action: { name: "a", typedConfig: { "@type": "type.googleapis.com/envoy.config.rbac.v3.Action" } },
            },
          },
        },
      };
      assert.deepEqual(problems(rbac, config), [
        "RuleViolation typedConfig.rbac.matcher.onNoMatch.action.typedConfig.name",
      ]);
    });

    it("are named with what they ask", () => {
      const mutations = { requestMutations: [{ append: { header: { key: "a", value: "b" }, appendAction: 99 } }, {}] };
      const result = checkExtension({
        filter: mutation,
        typedConfig: { "@type": url("header_mutation.v3.HeaderMutationPerRoute"), mutations },
      });
      assert.deepEqual(result.kind === "invalid" && result.problems, [
        {
          reason: "RuleViolation",
          path: "typedConfig.mutations.requestMutations[0].append.appendAction",
          message: "value must be one of the defined enum values (enum.defined_only)",
        },
        {
          reason: "RuleViolation",
          path: "typedConfig.mutations.requestMutations[1]",
          message: "needs one of: remove, append, removeOnMatch (oneof.required)",
        },
      ]);
    });
  });

  describe("extensions inside of a configuration", () => {
    const permission = (inner: object) => ({
      "@type": url("rbac.v3.RBACPerRoute"),
      rbac: { rules: { policies: { p: { permissions: [inner], principals: [{ any: true }] } } } },
    });
    const at = 'typedConfig.rbac.rules.policies["p"].permissions[0]';
    const extension = (type: string, config: object = {}) => ({
      name: "n",
      typedConfig: { "@type": `type.googleapis.com/${type}`, ...config },
    });
    const cases: readonly [string, JsonObject | object, string][] = [
      [
        "Lua as a matcher of strings",
        {
          urlPath: {
            path: {
              custom: extension("envoy.extensions.string_matcher.lua.v3.Lua", { sourceCode: { inlineString: "x" } }),
            },
          },
        },
        ".urlPath.path.custom.typedConfig.@type",
      ],
      [
        "templates of paths, of which a malformed one ends Envoy",
        {
          uriTemplate: extension("envoy.extensions.path.match.uri_template.v3.UriTemplateMatchConfig", {
            pathTemplate: "a{",
          }),
        },
        ".uriTemplate.typedConfig.@type",
      ],
      [
        "other matchers",
        {
          matcher: extension("envoy.extensions.rbac.matchers.upstream_ip_port.v3.UpstreamIpPortMatcher", {
            upstreamPortRange: { end: "1" },
          }),
        },
        ".matcher.typedConfig.@type",
      ],
    ];
    for (const [title, inner, path] of cases) {
      it(`refuses ${title}`, () => assert.deepEqual(problems(rbac, permission(inner)), [`NotSupported ${at}${path}`]));
    }

    it("refuses conditions in CEL", () => {
      const policy = {
        permissions: [{ any: true }],
        principals: [{ any: true }],
        condition: { constExpr: { boolValue: true } },
      };
      const config = { "@type": url("rbac.v3.RBACPerRoute"), rbac: { rules: { policies: { p: policy } } } };
      assert.deepEqual(problems(rbac, config), ['NotSupported typedConfig.rbac.rules.policies["p"].condition']);
    });

    it("refuses commands that reach beyond the request", () => {
      for (const command of ["%ENVIRONMENT(PATH)%", "%CEL(request.path)%", "%FILTER_STATE(a)%"]) {
        const header = { key: "a", value: command };
        const config = {
          "@type": url("header_mutation.v3.HeaderMutationPerRoute"),
          mutations: { responseMutations: [{ append: { header } }] },
        };
        assert.deepEqual(problems(mutation, config), [
          "NotSupported typedConfig.mutations.responseMutations[0].append.header.value",
        ]);
      }
    });
  });

  describe("headers that are nobody's to change", () => {
    const at = ".mutations.requestMutations[0]";
    const one = (change: object) =>
      problems(mutation, {
        "@type": url("header_mutation.v3.HeaderMutationPerRoute"),
        mutations: { requestMutations: [change] },
      });
    const append = (header: object) => one({ append: { header } });
    const framing = ["connection", "Content-Length", "transfer-encoding", "upgrade", "te", "keep-alive"];
    for (const name of framing)
      it(`refuses ${name}, set or removed`, () => {
        assert.deepEqual(append({ key: name, value: "5" }), [`NotSupported typedConfig${at}.append.header.key`]);
        assert.deepEqual(one({ remove: name }), [`NotSupported typedConfig${at}.remove`]);
      });
    for (const name of [":path", ":method", "host"])
      it(`refuses to remove ${name}`, () => {
        assert.deepEqual(one({ remove: name }), [`RefusedByEnvoy typedConfig${at}.remove`]);
        const removing = { header: name, onHeaderPresent: { key: "k" }, remove: true };
        assert.deepEqual(problems(h2m, { "@type": h2mType, requestRules: [removing] }), [
          "RefusedByEnvoy typedConfig.requestRules[0].header",
        ]);
      });
    it("refuses patterns that mean to remove them", () => {
      const matching = (keyMatcher: object) => one({ removeOnMatch: { keyMatcher } });
      const place = `typedConfig${at}.removeOnMatch.keyMatcher`;
      assert.deepEqual(matching({ exact: ":path" }), [`RefusedByEnvoy ${place}.exact`]);
      assert.deepEqual(matching({ exact: "transfer-encoding" }), [`NotSupported ${place}.exact`]);
      assert.deepEqual(matching({ prefix: ":" }), [`RefusedByEnvoy ${place}.prefix`]);
      assert.deepEqual(matching({ prefix: "x-internal-" }), []);
    });
    it("refuses names that are none", () => {
      for (const key of ["x y", "x-é", "x(y)"])
        assert.deepEqual(append({ key, value: "v" }), [`InvalidValue typedConfig${at}.append.header.key`]);
    });
    it("refuses raw values that would end the line", () => {
      const rawValue = Buffer.from("a\r\nx-b: c").toString("base64");
      assert.deepEqual(append({ key: "x-a", rawValue }), [`InvalidValue typedConfig${at}.append.header.rawValue`]);
    });
  });

  describe("limits", () => {
    const mutations = (count: number, text = "b") => ({
      "@type": url("header_mutation.v3.HeaderMutationPerRoute"),
      mutations: {
        requestMutations: Array.from({ length: count }, (_, index) => ({
          append: { header: { key: `x-${index}`, value: text } },
        })),
      },
    });

    const headers = (expressions: readonly string[]) => ({
      "@type": url("rbac.v3.RBACPerRoute"),
      rbac: {
        rules: {
          policies: {
            p: {
              permissions: expressions.map((regex) => ({
                header: { name: "x", stringMatch: { safeRegex: { regex } } },
              })),
              principals: [{ any: true }],
            },
          },
        },
      },
    });

    it("let many regular expressions pass, and few large ones", () => {
      assert.deepEqual(problems(rbac, headers(Array.from({ length: 1_000 }, (_, index) => `a.*${index}`))), []);
      assert.deepEqual(problems(rbac, headers(["a{1,1000}", "b{1,1000}"])), []);
      assert.deepEqual(problems(rbac, headers(Array<string>(1_000).fill("a{1,1000}"))), []);
    });
    it("end at many large regular expressions", () => {
      const expressions = Array.from({ length: 30 }, (_, index) => `${index}{1,1000}`);
      assert.deepEqual(
        new Set(problems(rbac, headers(expressions)).map((problem) => problem.split(" ", 1)[0])),
        new Set(["TooLarge"]),
      );
    });
    it("end at many problems", () => {
      const few = checkExtension({
        filter: mutation,
        typedConfig: {
          "@type": url("header_mutation.v3.HeaderMutationPerRoute"),
          mutations: { requestMutations: Array.from({ length: 60 }, () => ({})) },
        },
      });
      assert.ok(few.kind === "invalid");
      assert.equal(few.problems.length, 51);
      assert.deepEqual(few.problems.at(-1), {
        reason: "RuleViolation",
        path: "typedConfig",
        message: "has 10 more problems",
      });
    });
    it("let large configurations pass", () => assert.deepEqual(problems(mutation, mutations(3_000)), []));
    it("end at many values", () => assert.deepEqual(problems(mutation, mutations(100_000)), ["TooLarge typedConfig"]));
    it("end at much text", () =>
      assert.deepEqual(problems(mutation, mutations(1, "x".repeat(2 ** 20))), ["TooLarge typedConfig"]));
    it("end at many levels", () => {
      let deep: object = { any: true };
      for (let level = 0; level < 100_000; level++) deep = { notRule: deep };
      assert.deepEqual(
        problems(rbac, {
          "@type": url("rbac.v3.RBACPerRoute"),
          rbac: { rules: { policies: { p: { permissions: [deep] } } } },
        }),
        ["TooLarge typedConfig"],
      );
    });
  });
});

describe("neutralConfig()", () => {
  it("is there for every known filter, and for no other", () => {
    for (const name of everything)
      assert.match(neutralConfig(name)?.typeUrl ?? "", /^type\.googleapis\.com\/envoy\.extensions\.filters\.http\./);
    assert.equal(neutralConfig("envoy.filters.http.lua"), undefined);
  });
});
