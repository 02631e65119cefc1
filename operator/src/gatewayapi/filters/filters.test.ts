import assert from "node:assert/strict";
import type { HTTPFilter, HTTPFilterSpec } from "@gatewright/crd-types/config/v1";
import { createGraph } from "../../lib/index.ts";
import { createStore, objectKey } from "../../store/index.ts";
import type { ExtensionCheck, Inputs, Refusal } from "../inputs.ts";
import { quarantineKey } from "../inputs.ts";
import type { ClassView } from "../views.ts";
import { createFilters } from "./filters.ts";

const opaque = { filter: "envoy.filters.http.header_mutation", typedConfig: { "@type": "mutation" } };

/** Stands for the xDS side: allows one filter unless told otherwise, and writes down what it was asked. */
function checker() {
  const asked: Parameters<ExtensionCheck>[] = [];
  const check: ExtensionCheck = (spec, allowed = [opaque.filter]) => {
    asked.push([spec, allowed]);
    if (!allowed.includes(spec.filter))
      return { kind: "invalid", problems: [{ reason: "NotAllowed", path: "filter", message: "is not allowed" }] };
    if (JSON.stringify(spec.typedConfig).includes("wrong"))
      return {
        kind: "invalid",
        problems: [
          { reason: "UnknownField", path: "typedConfig.requestRules[0].header", message: "is wrong" },
          { reason: "Other", path: "typedConfig", message: "is wrong too" },
        ],
      };
    return { kind: "valid", config: { typeUrl: spec.filter, value: new Uint8Array([1]) } };
  };
  return { asked, check };
}

function fixture() {
  const graph = createGraph();
  const store = createStore(graph);
  const quarantine = graph.source<Refusal>("quarantine");
  const classes = graph.source<ClassView>("classes");
  const { asked, check } = checker();
  const inputs: Inputs = {
    store,
    quarantine,
    placements: graph.source("placements"),
    proxyStates: graph.source("proxyStates"),
    refusedListeners: graph.source("refusedListeners"),
    checkExtension: check,
    settings: { controllerName: "gatewright.dev/gateway-controller", rootNamespace: "gatewright-system" },
  };
  const filters = createFilters(graph, inputs, classes);
  return {
    graph,
    asked,
    quarantine,
    allow: (className: string, allowed: readonly string[] | undefined) =>
      classes.set(className, {
        conditions: [],
        accepted: true,
        isInEffect: true,
        mesh: {
          apiVersion: "config.aether.io/v1",
          kind: "MeshConfig",
          metadata: { name: className, namespace: "gatewright-system" },
          spec: { extensionFilters: allowed === undefined ? {} : { allowed } },
        },
      }),
    put: (spec: HTTPFilterSpec, generation = 1) =>
      store.objects.HTTPFilter.set(objectKey("team-a", "f"), {
        apiVersion: "config.aether.io/v1",
        kind: "HTTPFilter",
        metadata: { name: "f", namespace: "team-a", generation },
        spec,
      } satisfies HTTPFilter),
    view: () => {
      graph.settle();
      return filters.get(objectKey("team-a", "f"));
    },
  };
}

describe("createFilters()", () => {
  it("takes the opaque form as it is", () => {
    const { put, view, asked } = fixture();
    put(opaque);
    assert.deepEqual(view(), {
      kind: "valid",
      filter: opaque.filter,
      scope: "route",
      config: { typeUrl: opaque.filter, value: new Uint8Array([1]) },
    });
    assert.deepEqual(asked[0]?.[0], opaque);
  });

  it("says the typed form in Envoy's words, whatever the administrator's list", () => {
    const { put, view, asked, allow } = fixture();
    allow("gatewright", []);
    put({
      headerToMetadata: {
        rules: [
          { header: "x-tenant", metadataKey: "tenant" },
          { header: "x-team", metadataKey: "team", metadataNamespace: "teams" },
        ],
      },
    });
    assert.equal(view()?.kind, "valid");
    assert.deepEqual(asked[0]?.[0], {
      filter: "envoy.filters.http.header_to_metadata",
      typedConfig: {
        "@type": "type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config",
        requestRules: [
          { header: "x-tenant", onHeaderPresent: { metadataNamespace: "envoy.lb", key: "tenant", type: "STRING" } },
          { header: "x-team", onHeaderPresent: { metadataNamespace: "teams", key: "team", type: "STRING" } },
        ],
      },
    });
  });

  const scopes: readonly [HTTPFilterSpec["scope"], "route" | "chain"][] = [
    [undefined, "route"],
    ["route", "route"],
    ["ROUTE", "route"],
    ["SCOPE_UNSPECIFIED", "route"],
    ["SCOPE_ROUTE", "route"],
    ["chain", "chain"],
    ["CHAIN", "chain"],
    ["SCOPE_CHAIN", "chain"],
  ];
  for (const [spelling, scope] of scopes)
    it(`reads the scope ${spelling ?? "left out"} as ${scope}`, () => {
      const { put, view } = fixture();
      put({ ...opaque, ...(spelling !== undefined && { scope: spelling }) });
      const got = view();
      assert.equal(got?.kind === "valid" && got.scope, scope);
    });

  const typed = { headerToMetadata: { rules: [{ header: "a", metadataKey: "b" }] } };
  const refused: readonly { readonly title: string; readonly spec: HTTPFilterSpec; readonly message: RegExp }[] = [
    { title: "no form", spec: {}, message: /^spec: needs filter and typedConfig, or headerToMetadata$/ },
    { title: "no configuration", spec: { filter: opaque.filter }, message: /^spec\.typedConfig: / },
    { title: "no name", spec: { typedConfig: opaque.typedConfig }, message: /^spec\.filter: / },
    { title: "an empty name", spec: { ...opaque, filter: "" }, message: /^spec\.filter: / },
    { title: "both forms", spec: { ...opaque, ...typed }, message: /one form/ },
    { title: "a name beside the typed form", spec: { filter: opaque.filter, ...typed }, message: /one form/ },
    {
      title: "problems of the configuration, all of them",
      spec: { ...opaque, typedConfig: { "@type": "wrong" } },
      message: /^spec\.typedConfig\.requestRules\[0\]\.header: is wrong; spec\.typedConfig: is wrong too$/,
    },
    {
      title: "problems of the typed form, where its author wrote them",
      spec: { headerToMetadata: { rules: [{ header: "wrong", metadataKey: "b" }] } },
      message: /^spec\.headerToMetadata\.rules\[0\]\.header: is wrong; spec\.headerToMetadata: is wrong too$/,
    },
  ];
  for (const { title, spec, message } of refused)
    it(`refuses ${title}`, () => {
      const { put, view } = fixture();
      put(spec);
      const got = view();
      assert.equal(got?.kind, "invalid");
      assert.equal(got.reason, "Invalid");
      assert.match(got.message, message);
    });

  it("refuses a scope that is none", () => {
    const { put, view } = fixture();
    put(JSON.parse(JSON.stringify({ ...opaque, scope: "listener" })));
    assert.deepEqual(view(), {
      kind: "invalid",
      reason: "Invalid",
      message: 'spec.scope: "listener" is neither route nor chain',
    });
  });

  it("asks for what every class allows", () => {
    const { put, view, allow } = fixture();
    put(opaque);
    allow("one", [opaque.filter]);
    allow("two", [opaque.filter]);
    assert.equal(view()?.kind, "valid");
    allow("two", ["envoy.filters.http.rbac"]);
    assert.deepEqual(view(), {
      kind: "invalid",
      reason: "NotAllowed",
      message: "spec.filter: is not allowed (GatewayClass two)",
    });
    allow("two", undefined);
    assert.equal(view()?.kind, "valid");
    allow("two", []);
    allow("one", []);
    assert.deepEqual(view(), { kind: "invalid", reason: "NotAllowed", message: "spec.filter: is not allowed" });
  });

  it("leaves out what Envoy refused until it changes", () => {
    const { put, view, quarantine } = fixture();
    put(opaque, 3);
    quarantine.set(quarantineKey("HTTPFilter", "team-a", "f"), { message: "no rules", content: "3" });
    assert.deepEqual(view(), {
      kind: "invalid",
      reason: "Rejected",
      message: "Envoy refused the configuration: no rules",
    });
    put(opaque, 4);
    assert.equal(view()?.kind, "valid");
  });
});
