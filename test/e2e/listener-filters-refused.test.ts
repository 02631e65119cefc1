// Filters of listeners that come and go under load, and what Envoy alone knows to be wrong in them.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { statusKey } from "../../operator/src/gatewayapi/index.ts";
import { knownFilters } from "../../operator/src/xds/extension/index.ts";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { type Answer, eventually, send, type SendOptions, startLoad } from "../support/http-client.ts";
import { type ControlPlane, type DataPlane, startControlPlane, startDataPlane } from "./support/control-plane.ts";
import { gatewayClass, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { blindCheck, halfRuleFilter } from "./support/poison.ts";

const goldFilter = (name: string, tenant: string) => `
apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: ${name}, namespace: team-a}
spec:
  filter: envoy.filters.http.header_mutation
  typedConfig:
    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute
    mutations: {requestMutations: [{append: {header: {key: x-tenant, value: ${tenant}}}}]}`;

describe("filters of listeners and Envoy's word", function () {
  this.timeout(120_000);
  let folder: string;
  let port: number;
  let backend: EchoBackend;
  let control: ControlPlane;
  let data: DataPlane;

  const gateway = (filters: Readonly<Record<string, readonly string[]>>) =>
    JSON.stringify({
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { name: "gw", namespace: "team-a" },
      spec: {
        gatewayClassName: "gatewright",
        listeners: Object.entries(filters).map(([name, names]) => ({
          name,
          port,
          protocol: "HTTP",
          hostname: `${name}.example.com`,
          ...(names.length > 0 && {
            filters: {
              requests: names.map((filter) => ({
                type: "ExtensionRef",
                extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name: filter },
              })),
            },
          }),
        })),
      },
    });
  const base = () =>
    joinDocuments(
      gatewayClass,
      service("one", [backend]),
      httpRoute("all", undefined, "  rules: [{backendRefs: [{name: one, port: 80}]}]"),
    );
  const until = (name: string, accept: (answer: Answer) => boolean) =>
    eventually({ port, host: `${name}.example.com` }, "/", accept);
  const isTenant =
    (tenant: string | undefined) =>
    ({ status, echo }: Answer) =>
      status === 200 && echo?.headers["x-tenant"] === tenant;
  const conditionsOf = (name: string) => {
    const status = control.reconciler.statuses.get(statusKey("Gateway", "team-a/gw"))?.status;
    const listeners = (status?.["listeners"] ?? []) as readonly {
      readonly name: string;
      readonly conditions: readonly { readonly type: string; readonly reason: string; readonly message: string }[];
    }[];
    return listeners.find((listener) => listener.name === name)?.conditions ?? [];
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "gatewright-"));
    port = await freePort();
    backend = await startEchoBackend("one");
    data = await startDataPlane(folder);
    control = await startControlPlane(folder, { checkExtension: blindCheck });
  });

  afterEach(async () => {
    await data.kill();
    await control?.close();
    await backend.close();
    await rm(folder, { recursive: true });
  });

  it("come and go while requests run, and none of these fails", async () => {
    await control.apply(joinDocuments(base(), goldFilter("gold", "gold"), gateway({ good: [], other: [] })));
    await until("good", isTenant(undefined));
    const loads = ["good", "other"].map((name) => startLoad({ port, host: `${name}.example.com` }, "/"));
    await control.apply(gateway({ good: [], other: ["gold"] }), 2);
    await until("other", isTenant("gold"));
    await control.apply(goldFilter("gold", "more"), 2);
    await until("other", isTenant("more"));
    await control.apply(
      joinDocuments(goldFilter("second", "second"), gateway({ good: [], other: ["second", "gold"] })),
      3,
    );
    await until("other", isTenant("second, more"));
    await control.apply(gateway({ good: [], other: [] }), 4);
    await until("other", isTenant(undefined));
    for (const load of loads) assert.deepEqual([...(await load.stop()).keys()], ["200"]);
  });

  it("leave the filters of the route that they choose at work, whichever these are, and those of no other", async () => {
    const allowed = [...knownFilters.keys()];
    const mesh = { apiVersion: "config.aether.io/v1", kind: "MeshConfig" };
    const ofRoute = (filter: string, type: string, config: object) =>
      JSON.stringify({
        apiVersion: "config.aether.io/v1",
        kind: "HTTPFilter",
        metadata: { name: `of-route-${filter}`, namespace: "team-a" },
        spec: {
          filter: `envoy.filters.http.${filter}`,
          typedConfig: { "@type": `type.googleapis.com/envoy.extensions.filters.http.${type}`, ...config },
        },
      });
    const refs = ["buffer", "rbac", "csrf", "fault"].map((filter) => ({
      type: "ExtensionRef",
      extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name: `of-route-${filter}` },
    }));
    await control.apply(
      joinDocuments(
        gatewayClass.replace(
          "spec: {",
          "spec: {parametersRef: {group: config.aether.io, kind: MeshConfig, name: mesh, namespace: gatewright-system}, ",
        ),
        JSON.stringify({
          ...mesh,
          metadata: { name: "mesh", namespace: "gatewright-system" },
          spec: { extensionFilters: { allowed } },
        }),
        service("one", [backend]),
        goldFilter("gold", "gold"),
        ofRoute("buffer", "buffer.v3.BufferPerRoute", { buffer: { maxRequestBytes: 10 } }),
        ofRoute("rbac", "rbac.v3.RBACPerRoute", {
          rbac: {
            rules: {
              action: "DENY",
              policies: {
                p: { permissions: [{ header: { name: "x-bad", presentMatch: true } }], principals: [{ any: true }] },
              },
            },
          },
        }),
        ofRoute("csrf", "csrf.v3.CsrfPolicy", { filterEnabled: { defaultValue: { numerator: 100 } } }),
        ofRoute("fault", "fault.v3.HTTPFault", {
          abort: { httpStatus: 418, percentage: { numerator: 100 } },
          headers: [{ name: "x-fault", presentMatch: true }],
        }),
        httpRoute(
          "all",
          undefined,
          `  rules: ${JSON.stringify([
            {
              matches: [{ headers: [{ name: "x-tenant", value: "gold" }] }],
              filters: refs,
              backendRefs: [{ name: "one", port: 80 }],
            },
            { backendRefs: [{ name: "one", port: 80 }] },
          ])}`,
        ),
        gateway({ good: ["gold"], plain: [] }),
      ),
    );
    await until("good", isTenant("gold"));
    const body = "x".repeat(100);
    const requests: readonly (readonly [SendOptions, number])[] = [
      [{ method: "PUT", body }, 413],
      [{ headers: { "x-bad": "1" } }, 403],
      [{ method: "POST", headers: { origin: "http://other.io" } }, 403],
      [{ headers: { "x-fault": "1" } }, 418],
      [{}, 200],
    ];
    for (const [options, status] of requests) {
      const what = JSON.stringify(options);
      assert.equal((await send({ port, host: "good.example.com" }, "/", options)).status, status, what);
      assert.equal((await send({ port, host: "plain.example.com" }, "/", options)).status, 200, `plain: ${what}`);
    }
  });

  it("of which one is refused keep its requests out, and leave all others alone", async () => {
    await control.apply(joinDocuments(base(), goldFilter("gold", "gold"), gateway({ good: ["gold"], bad: [] })));
    await until("good", isTenant("gold"));
    const load = startLoad({ port, host: "good.example.com" }, "/");
    await control.apply(joinDocuments(halfRuleFilter, gateway({ good: ["gold"], bad: ["gold", "half-rule"] })), 2);
    await until("bad", ({ status }) => status === 500);
    await control.reconciler.settled();
    const accepted = conditionsOf("bad").find(({ type }) => type === "Accepted");
    assert.equal(accepted?.reason, "InvalidListenerFilter");
    assert.match(accepted.message, /filters\.requests\[1\].*half-rule.*Envoy refused/);
    assert.equal(conditionsOf("good").find(({ type }) => type === "Accepted")?.reason, "Accepted");
    await control.apply(goldFilter("half-rule", "better"), 3);
    await until("bad", isTenant("gold, better"));
    assert.deepEqual([...(await load.stop()).keys()], ["200"]);
  });

  it("of which one is refused are no trouble to an Envoy that starts", async () => {
    await data.kill();
    await control.apply(
      joinDocuments(
        base(),
        goldFilter("gold", "gold"),
        halfRuleFilter,
        gateway({ good: ["gold"], bad: ["half-rule"], plain: [] }),
      ),
    );
    data = await startDataPlane(folder);
    await until("good", isTenant("gold"));
    await until("plain", isTenant(undefined));
    await until("bad", ({ status }) => status === 500);
  });
});
