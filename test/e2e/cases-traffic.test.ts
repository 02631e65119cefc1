// What users have reported of traffic: edits that drop requests, rules and filters in an order that nobody wrote, listeners that serve the
// routes of others.
import assert from "node:assert/strict";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send, startLoad } from "../support/http-client.ts";
import { reference } from "./support/bad-rules.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { type Standalone, startStandalone } from "./support/standalone.ts";

/** \`creationTimestamp\` and namespace of a route, which the short forms of manifests know nothing of. */
const createdAt = (route: string, time: string, namespace = "team-a") =>
  route.replace("namespace: team-a}", `namespace: ${namespace}, creationTimestamp: "${time}"}`);

const marking = (marker: string) =>
  `{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-route, value: ${marker}}]}}`;

const opaque = (name: string, filter: string, config: string) => `
apiVersion: config.aether.io/v1
kind: HTTPFilter
metadata: {name: ${name}, namespace: team-a}
spec:
  filter: envoy.filters.http.${filter}
  typedConfig: {"@type": type.googleapis.com/envoy.extensions.filters.http.${config}}`;

describe("what users reported against others, of traffic", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  let app: EchoBackend;
  let app2: EchoBackend;

  const base = (classDocument = gatewayClass) => joinDocuments(classDocument, httpGateway(port));
  const until = (host: string, path: string, accept: Parameters<typeof eventually>[2]) =>
    eventually({ port, host: `${host}.example.com` }, path, accept);
  const get = (host: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
    send({ port, host: `${host}.example.com` }, path, { headers });

  before(async () => {
    [app, app2, port] = [await startEchoBackend("app"), await startEchoBackend("app2"), await freePort()];
    gateway = await startStandalone({
      files: {
        "base.yaml": base(),
        "services.yaml": joinDocuments(service("app", [app]), service("app2", [app2]), service("app", [app], "team-b")),
      },
    });
  });

  after(async () => {
    await gateway?.close();
    await app.close();
    await app2.close();
  });

  it("drops no request while rules are put first and backends are swapped", async () => {
    const to = (backend: string) => `backendRefs: [{name: ${backend}, port: 80}]`;
    const at = (path: string, backend: string) => `  - {matches: [{path: {value: ${path}}}], ${to(backend)}}`;
    const plain = httpRoute("flip", "flip.example.com", ["  rules:", at("/x", "app"), `  - ${to("app2")}`].join("\n"));
    const swapped = httpRoute(
      "flip",
      "flip.example.com",
      ["  rules:", at("/new", "app2"), at("/x", "app2"), `  - ${to("app")}`].join("\n"),
    );
    await gateway.write("flip.yaml", plain);
    await until("flip", "/", ({ echo }) => echo?.backend === "app2");
    const target = { port, host: "flip.example.com" };
    const loads = ["/", "/x", "/new"].map((path) => startLoad(target, path, { connections: 2, pauseMs: 5 }));
    const answers = () => loads.reduce((sum, load) => sum + load.answers(), 0);
    const started = performance.now();
    for (let flip = 0; flip < 24; flip++) {
      await gateway.write("flip.yaml", flip % 2 === 0 ? swapped : plain);
      await until("flip", "/x", ({ echo }) => echo?.backend === (flip % 2 === 0 ? "app2" : "app"));
      const before = answers();
      while (answers() < before + 30) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const perSecond = answers() / ((performance.now() - started) / 1000);
    const outcomes = await Promise.all(loads.map((load) => load.stop()));
    assert.deepEqual(
      new Set(outcomes.flatMap((counts) => [...counts.keys()])),
      new Set(["200"]),
      `${perSecond} a second`,
    );
    assert.ok(answers() > 700, `${answers()} answers, ${perSecond} a second`);
  });

  describe("the order of filters", () => {
    // Whoever comes first: the one that sets the header, or the one that keeps out whoever has it.
    const setter = opaque(
      "a-setter",
      "header_mutation",
      "header_mutation.v3.HeaderMutationPerRoute, mutations: {requestMutations: [{append: {header: {key: x-letter, value: a}}}]}",
    );
    const guard = opaque(
      "b-guard",
      "rbac",
      "rbac.v3.RBACPerRoute, rbac: {rules: {action: DENY, policies: {p: {permissions: [{any: true}], principals: [{header: {name: x-letter, presentMatch: true}}]}}}}",
    );
    const uses = (...names: readonly string[]) =>
      httpRoute(
        "ordered",
        "ordered.example.com",
        `  rules: [{filters: [${names.map((name) => reference("config.aether.io", "HTTPFilter", name)).join(", ")}], backendRefs: [{name: app, port: 80}]}]`,
      );
    const withOrder = (...filters: readonly string[]) =>
      joinDocuments(
        base(
          gatewayClass.replace(
            "gateway-controller}",
            "gateway-controller, parametersRef: {group: config.aether.io, kind: MeshConfig, name: mesh, namespace: gatewright-system}}",
          ),
        ),
        `
apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: mesh, namespace: gatewright-system}
spec: {extensionFilters: {order: [${filters.map((name) => `envoy.filters.http.${name}`).join(", ")}]}}`,
      );
    const answers = (status: number) => until("ordered", "/", (answer) => answer.status === status);
    const restart = async () => {
      await gateway.stop();
      await gateway.start();
    };

    it("is that of the names of Envoy's filters, however they are written", async () => {
      await gateway.write("ordered.yaml", joinDocuments(setter, guard, uses("a-setter", "b-guard")));
      await answers(403);
      await gateway.write("ordered.yaml", joinDocuments(uses("b-guard", "a-setter"), guard, setter));
      await gateway.write(
        "fence.yaml",
        httpRoute("fence", "fence1.example.com", "  rules: [{backendRefs: [{name: app, port: 80}]}]"),
      );
      await until("fence1", "/", ({ status }) => status === 200);
      assert.equal((await get("ordered", "/")).status, 403);
      await restart();
      await answers(403);
    });

    it("is that of the MeshConfig, where it says one, and stays so", async () => {
      await gateway.write("base.yaml", withOrder("rbac", "header_mutation"));
      await answers(200);
      await restart();
      await answers(200);
      await gateway.write("base.yaml", withOrder("header_mutation"));
      await answers(403);
      await gateway.write("base.yaml", withOrder("rbac"));
      await answers(200);
      await gateway.write("base.yaml", base());
      await answers(403);
    });
  });

  describe("the order of routes", () => {
    const old = "2026-01-01T00:00:00Z";
    const young = "2026-02-01T00:00:00Z";
    const named = (name: string, match = "") =>
      httpRoute(
        name,
        "order.example.com",
        `  rules: [{${match === "" ? "" : `matches: [${match}], `}filters: [${marking(name)}], backendRefs: [{name: app, port: 80}]}]`,
      );
    const inTeamB = (route: string) =>
      route.replace("parentRefs: [{name: gw}]", "parentRefs: [{name: gw, namespace: team-a}]");
    const wins = (name: string, path = "/") => until("order", path, ({ headers }) => headers["x-route"] === name);

    it("prefers the older of equal routes, however they are named and in whichever file", async () => {
      await gateway.write("one.yaml", createdAt(named("a"), young));
      await wins("a");
      await gateway.write("two.yaml", createdAt(named("z"), old));
      await wins("z");
      await gateway.stop();
      await gateway.start();
      await wins("z");
      await gateway.remove("two.yaml");
      await wins("a");
      await gateway.remove("one.yaml");
    });

    it("prefers namespace and name of routes of one age", async () => {
      const b = createdAt(named("b"), old);
      const other = inTeamB(createdAt(named("a"), old, "team-b"));
      await gateway.write("one.yaml", joinDocuments(other, b));
      await wins("b");
      await gateway.write("one.yaml", joinDocuments(other, b, createdAt(named("aa"), old)));
      await wins("aa");
      await gateway.write("one.yaml", other);
      await wins("a");
      await gateway.remove("one.yaml");
    });

    it("prefers what is more specific before what is older", async () => {
      const path = (type: string, value: string) => `{path: {type: ${type}, value: ${value}}}`;
      await gateway.write(
        "one.yaml",
        joinDocuments(
          createdAt(named("short", path("PathPrefix", "/p")), old),
          createdAt(named("long", path("PathPrefix", "/p/q")), young),
          createdAt(named("exact-path", path("Exact", "/p/q/r")), young),
          createdAt(named("method", "{path: {value: /p/q}, method: GET}"), young),
          createdAt(named("header", "{path: {value: /p/q/h}, headers: [{name: x-v, value: beta}]}"), young),
          createdAt(named("plain", path("PathPrefix", "/p/q/h")), old),
        ),
      );
      await wins("exact-path", "/p/q/r");
      await wins("short", "/p/x");
      await wins("method", "/p/q/s");
      assert.equal(
        (await send({ port, host: "order.example.com" }, "/p/q/s", { method: "POST" })).headers["x-route"],
        "long",
      );
      assert.equal((await get("order", "/p/q/h", { "x-v": "beta" })).headers["x-route"], "header");
      assert.equal((await get("order", "/p/q/h")).headers["x-route"], "plain");
      await gateway.remove("one.yaml");
    });
  });

  describe("escaped slashes", () => {
    const routes = httpRoute(
      "guarded",
      "guarded.example.com",
      `  rules:
  - {matches: [{path: {value: /admin}}], filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-route, value: guarded}]}}], backendRefs: [{name: app, port: 80}]}
  - backendRefs: [{name: app, port: 80}]`,
    );
    const tricks = ["/admin%2Fusers", "/public%2f..%2fadmin/users", "/admin%5Cusers", "/public%2F%2e%2e/admin"];

    it("pass by no rule: whoever escapes one is sent to the path that it means", async () => {
      await gateway.write("guarded.yaml", routes);
      await until("guarded", "/", ({ status }) => status === 200);
      for (const path of tricks) {
        const { status, headers } = await get("guarded", path);
        assert.equal(status, 307, path);
        const location = String(headers["location"]);
        assert.match(location, /^\/admin(\/users)?$/);
        assert.equal((await get("guarded", location)).headers["x-route"], "guarded");
      }
    });

    it("reach applications that need them where the administrator says so", async () => {
      const keeping = joinDocuments(
        base(
          gatewayClass.replace(
            "gateway-controller}",
            "gateway-controller, parametersRef: {group: config.aether.io, kind: MeshConfig, name: mesh, namespace: gatewright-system}}",
          ),
        ),
        `
apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: mesh, namespace: gatewright-system}
spec: {paths: {escapedSlashes: KeepUnchanged}}`,
      );
      await gateway.write("base.yaml", keeping);
      const kept = await until("guarded", "/projects/group%2Fproject", ({ status }) => status === 200);
      assert.equal(kept.echo?.path, "/projects/group%2Fproject");
      assert.equal((await get("guarded", "/x/../admin//users")).headers["x-route"], "guarded", "the rest is as before");
      await gateway.write("base.yaml", base());
      await until("guarded", "/projects/group%2Fproject", ({ status }) => status === 307);
    });
  });

  it("keeps a listener's routes from the hosts of a listener that is more specific", async () => {
    const shared = await freePort();
    const listener = (name: string, hostname?: string) =>
      `  - {name: ${name}, port: ${shared}, protocol: HTTP${hostname === undefined ? "" : `, hostname: "${hostname}"`}}`;
    const bound = (name: string) =>
      httpRoute(
        name,
        undefined,
        `  rules:
  - {matches: [{path: {value: /only-${name}}}], filters: [${marking(name)}], backendRefs: [{name: app, port: 80}]}
  - {matches: [{path: {value: /both}}], filters: [${marking(name)}], backendRefs: [{name: app, port: 80}]}`,
      ).replace("{name: gw}", `{name: isolated, sectionName: ${name}}`);
    await gateway.write(
      "isolated.yaml",
      joinDocuments(
        `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: isolated, namespace: team-a}
spec:
  gatewayClassName: gatewright
  listeners:
${[listener("any"), listener("wild", "*.example.com"), listener("exact", "a.example.com")].join("\n")}`,
        ...["any", "wild", "exact"].map(bound),
      ),
    );
    const answer = async (host: string, path: string) => {
      const { status, headers } = await send({ port: shared, host }, path);
      return `${status} ${String(headers["x-route"])}`;
    };
    await eventually({ port: shared, host: "a.example.com" }, "/both", ({ status }) => status === 200);
    const hosts = { any: "elsewhere.test", wild: "b.example.com", exact: "a.example.com" };
    for (const [own, host] of Object.entries(hosts)) {
      assert.equal(await answer(host, "/both"), `200 ${own}`);
      for (const name of Object.keys(hosts))
        assert.equal(await answer(host, `/only-${name}`), name === own ? `200 ${own}` : "404 undefined");
    }
  });
});
