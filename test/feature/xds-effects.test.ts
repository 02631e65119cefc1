// What our Envoy configuration does, where its text alone cannot tell: the IR in, a real Envoy, requests.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Cluster, ForwardAction, Route, RouteAction, RouteMatch } from "../../operator/src/ir/index.ts";
import { createGraph } from "../../operator/src/lib/index.ts";
import { createXdsTables, staticConfig } from "../../operator/src/xds/index.ts";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { type Answer, send, type SendOptions } from "../support/http-client.ts";
import { createIrSources } from "../support/ir-fragment.ts";
import { type RunningEnvoy, runEnvoy } from "../support/running-envoy.ts";

const proxy = "infra/gw";
const routeTable = `${proxy}|80`;

const prefix = (value: string): RouteMatch => ({ path: { kind: "prefix", value }, headers: [], queryParams: [] });
const forward = (more: Partial<ForwardAction> = {}): ForwardAction => ({
  kind: "forward",
  backends: [{ cluster: "team-a/one|80", weight: 1 }],
  mirrors: [],
  ...more,
});
let routes = 0;
const route = (match: RouteMatch, action: RouteAction = forward(), more: Partial<Route> = {}): Route => ({
  name: `team-a/test/${routes++}/0`,
  origin: { kind: "HTTPRoute", namespace: "team-a", name: "test" },
  match,
  action,
  extensions: [],
  ...more,
});
const cluster = (name: string): Cluster => ({
  name,
  origin: { kind: "Service", namespace: "team-a", name },
  endpoints: { kind: "eds" },
  protocol: "http1",
  connectTimeoutMs: 1_000,
});

const changes = { set: [], add: [], remove: [] };

const cases: readonly Route[] = [
  route(prefix("/foo"), forward({ rewrite: { path: { kind: "prefix", value: "/xyz" } } })),
  route(prefix("/strip"), forward({ rewrite: { path: { kind: "prefix", value: "/" } } })),
  route(prefix("/full"), forward({ rewrite: { path: { kind: "fullPath", value: "/100%" } } })),
  route(prefix("/host"), forward({ rewrite: { host: "inner.example.com" } })),
  route(prefix("/set-host"), forward(), {
    requestHeaders: { ...changes, set: [{ name: "host", value: "set.example.com" }] },
  }),
  route(
    prefix("/each-host"),
    forward({
      rewrite: { host: "route.example.com" },
      backends: [
        { cluster: "team-a/one|80", weight: 1, hostRewrite: "one.example.com" },
        { cluster: "team-a/two|80", weight: 1 },
      ],
    }),
  ),
  route(prefix("/redirect-strip"), { kind: "redirect", status: 302, path: { kind: "prefix", value: "/" } }),
  route(prefix("/redirect-prefix"), { kind: "redirect", status: 301, path: { kind: "prefix", value: "/new" } }),
  route(prefix("/redirect-full"), { kind: "redirect", status: 307, path: { kind: "fullPath", value: "/new%20path" } }),
  route(prefix("/redirect-https"), { kind: "redirect", status: 308, scheme: "https" }),
  route(prefix("/redirect-port"), { kind: "redirect", status: 302, host: "example.org", port: 8443 }),
  route(
    prefix("/failing"),
    forward({
      failing: { weight: 2, total: 4 },
      backends: [
        { cluster: "team-a/one|80", weight: 1 },
        { cluster: "team-a/two|80", weight: 1 },
      ],
    }),
  ),
  route(prefix("/missing-cluster"), forward({ backends: [{ cluster: "team-a/none|80", weight: 1 }] })),
  route(
    prefix("/headers"),
    forward({
      backends: [
        {
          cluster: "team-a/one|80",
          weight: 1,
          requestHeaders: { ...changes, set: [{ name: "x-both", value: "backend" }] },
        },
      ],
    }),
    {
      requestHeaders: {
        set: [
          { name: "x-both", value: "rule" },
          { name: "x-literal", value: "50% of %REQ(:path)%" },
        ],
        add: [
          { name: "x-added", value: "new" },
          { name: "x-empty", value: "" },
        ],
        remove: ["x-gone"],
      },
      responseHeaders: { set: [{ name: "server", value: "mine" }], add: [], remove: ["x-secret"] },
    },
  ),
  route(prefix("/tries"), forward({ retry: { attempts: 3, statusCodes: [503], backoffMs: 1 } })),
  route(prefix("/slow"), forward({ requestTimeoutMs: 150 })),
  route(prefix("/slow-backend"), forward({ backendTimeoutMs: 150 })),
  route(
    prefix("/mirror"),
    forward({ mirrors: [{ cluster: "team-a/two|80", fraction: { numerator: 1, denominator: 1 } }] }),
  ),
  route({ ...prefix("/cors"), method: "PUT" }, forward(), {
    cors: {
      allowOrigins: ["https://*.example.org"],
      allowMethods: ["PUT"],
      allowHeaders: ["x-a"],
      exposeHeaders: [],
      allowCredentials: false,
      maxAgeSeconds: 5,
    },
  }),
  ...["GET", undefined].map((method) =>
    route({ ...prefix(`/cors-any-${method ?? "method"}`), ...(method && { method }) }, forward(), {
      cors: {
        allowOrigins: ["https://a.example.org"],
        allowMethods: ["*"],
        allowHeaders: ["*"],
        exposeHeaders: [],
        allowCredentials: true,
        maxAgeSeconds: 5,
      },
    }),
  ),
  route({ path: { kind: "regex", value: "/v[0-9]+" }, headers: [], queryParams: [] }),
  route(
    { ...prefix("/"), headers: [{ name: "x_under", kind: "exact", value: "1" }] },
    { kind: "respond", status: 418 },
  ),
  route({ path: { kind: "exact", value: "/a/b" }, headers: [], queryParams: [] }),
];

/** Envoy writes its log every now and then. */
async function eventuallyLine(file: string, text: string): Promise<string> {
  for (const deadline = Date.now() + 15_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const line = (await readFile(file, "utf8")).split("\n").find((one) => one.includes(text));
    if (line !== undefined) return line;
    assert.ok(Date.now() < deadline, `${text} is not in the log`);
  }
}

describe("xDS, by effect", function () {
  this.timeout(60_000);
  let envoy: RunningEnvoy;
  let one: EchoBackend;
  let two: EchoBackend;
  let port: number;
  let folder: string;
  let log: string;

  const get = (path: string, options: SendOptions = {}): Promise<Answer> =>
    send({ port, host: `a.example.com:${port}` }, path, options);

  before(async () => {
    [one, two, port] = await Promise.all([startEchoBackend("one"), startEchoBackend("two"), freePort()]);
    folder = await mkdtemp(join(tmpdir(), "gatewright-xds-"));
    log = join(folder, "access.log");
    const graph = createGraph();
    const { ir, apply } = createIrSources(graph);
    const tables = createXdsTables(graph, ir);
    apply({
      listeners: [
        {
          proxy,
          name: "http-80",
          port: 80,
          bind: { address: "127.0.0.1", port },
          accessLog: { path: log },
          filterChains: [{ name: "http-80", serverNames: [], http: { routeTable, extensions: [], cors: true } }],
        },
      ],
      routeTables: [{ proxy, discovery: "inline", name: routeTable }],
      virtualHosts: [
        { proxy, routeTable, host: "a.example.com", routes: cases },
        { proxy, routeTable, host: "*.example.com", routes: [route(prefix("/"), { kind: "respond", status: 204 })] },
      ],
      clusters: [cluster("team-a/one|80"), cluster("team-a/two|80")],
      endpoints: [
        { cluster: "team-a/one|80", addresses: [{ address: "127.0.0.1", port: one.port }] },
        { cluster: "team-a/two|80", addresses: [{ address: "127.0.0.1", port: two.port }] },
      ],
    });
    graph.settle();
    assert.deepEqual([...tables.problems.keys()], []);
    envoy = await runEnvoy(staticConfig(tables, proxy));
  });

  after(async () => {
    await Promise.all([envoy?.stop(), one.close(), two.close()]);
    await rm(folder, { recursive: true });
  });

  for (const [path, seen] of [
    ["/foo/bar?q=1", "/xyz/bar?q=1"],
    ["/foo", "/xyz"],
    ["/foo/", "/xyz/"],
    ["/strip/bar?q=/strip", "/bar?q=/strip"],
    ["/strip", "/"],
    ["/strip/", "/"],
    ["/full/any/thing?q=1", "/100%?q=1"],
    ["/v12?q", "/v12?q"],
  ] as const) {
    it(`sends ${path} to the backend as ${seen}`, async () => {
      assert.equal((await get(path)).echo?.path, seen);
    });
  }

  for (const [path, status, location] of [
    ["/redirect-strip/a?q=1", 302, "http://a.example.com:PORT/a?q=1"],
    ["/redirect-strip", 302, "http://a.example.com:PORT/"],
    ["/redirect-strip//evil.example.com", 302, "http://a.example.com:PORT/evil.example.com"],
    ["/redirect-prefix/a", 301, "http://a.example.com:PORT/new/a"],
    ["/redirect-full/a?q=1", 307, "http://a.example.com:PORT/new%20path?q=1"],
    ["/redirect-https/a", 308, "https://a.example.com:PORT/redirect-https/a"],
    ["/redirect-port/a", 302, "http://example.org:8443/redirect-port/a"],
  ] as const) {
    it(`redirects ${path} to ${location}`, async () => {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.headers["location"]], [status, location.replace("PORT", String(port))]);
    });
  }

  it("matches whole segments and whole expressions", async () => {
    assert.equal((await get("/foobar")).status, 404);
    assert.equal((await get("/v12/more")).status, 404);
  });

  it("brings a path into its one form before it is matched", async () => {
    assert.equal((await get("/a//x/..//b")).echo?.path, "/a/b");
    assert.deepEqual([(await get("/a%2Fb")).status, (await get("/a%2Fb")).headers["location"]], [307, "/a/b"]);
  });

  it("rewrites hosts, and tells the backend what the client asked for", async () => {
    const asked = `a.example.com:${port}`;
    for (const [path, host] of [
      ["/host", "inner.example.com"],
      ["/set-host", "set.example.com"],
    ] as const) {
      const { echo } = await get(path);
      assert.deepEqual([echo?.host, echo?.headers["x-forwarded-host"]], [host, asked]);
    }
    const hosts = new Set<string>();
    while (hosts.size < 2) {
      const { echo } = await get("/each-host");
      hosts.add(`${echo?.backend} ${echo?.host} ${String(echo?.headers["x-forwarded-host"])}`);
    }
    assert.deepEqual([...hosts].sort(), [`one one.example.com ${asked}`, `two route.example.com ${asked}`]);
    assert.equal((await get("/v1")).echo?.headers["x-forwarded-host"], undefined);
  });

  it("answers 500 for the share of backends that fail, and shares the rest evenly", async () => {
    const counts = new Map<string, number>();
    const total = 600;
    for (let batch = 0; batch < total / 20; batch++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => get("/failing")));
      for (const { status, echo } of answers) {
        const outcome = echo?.backend ?? String(status);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      }
    }
    assert.deepEqual([...counts.keys()].sort(), ["500", "one", "two"]);
    // Six standard deviations: wrong by chance once in a billion runs.
    const isNear = (count = 0, share: number) =>
      Math.abs(count - total * share) < 6 * Math.sqrt(total * share * (1 - share));
    assert.ok(isNear(counts.get("500"), 0.5), `500: ${counts.get("500")}`);
    assert.ok(isNear(counts.get("one"), 0.25), `one: ${counts.get("one")}`);
    assert.ok(isNear(counts.get("two"), 0.25), `two: ${counts.get("two")}`);
  });

  it("answers 500 where a cluster is not there", async () => {
    assert.equal((await get("/missing-cluster")).status, 500);
  });

  it("takes header values literally, and a backend's changes after those of its rule", async () => {
    const sent = { "x-gone": "1", "x-added": "old" };
    const { echo, headers } = await get("/headers?header=x-secret:1&header=server:theirs", { headers: sent });
    assert.deepEqual([headers["server"], headers["x-secret"]], ["mine", undefined]);
    assert.equal(echo?.headers["x-both"], "backend");
    assert.equal(echo?.headers["x-literal"], "50% of %REQ(:path)%");
    assert.equal(echo?.headers["x-added"], "old, new");
    assert.equal(echo?.headers["x-empty"], "");
    assert.equal(echo?.headers["x-gone"], undefined);
  });

  it("believes no client that it could steer the proxy, and tells clients nothing about itself", async () => {
    const steering = { "x-envoy-retry-on": "5xx", "x-envoy-internal": "true", "x-envoy-upstream-rq-timeout-ms": "1" };
    const { echo, headers } = await get("/v1?delay=20", { headers: steering });
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith("x-envoy-") || name === "server"),
      [],
    );
    assert.deepEqual(
      Object.keys(echo?.headers ?? {}).filter((name) => name in steering),
      [],
    );
    assert.equal(echo?.headers["x-envoy-external-address"], "127.0.0.1");
    assert.equal(echo?.headers["x-forwarded-proto"], "http");
  });

  it("logs what the client asked for and the route that took it", async () => {
    await get("/strip/logged");
    const line = await eventuallyLine(log, "/strip/logged");
    assert.match(line, /"GET \/strip\/logged HTTP\/1.1" 200 - via_upstream .*"team-a\/test\/1\/0" "team-a\/one\|80"/);
  });

  it("retries what it is told to, as often as it is told to", async () => {
    assert.equal((await get("/tries?fail=3&status=503&id=three")).status, 200);
    assert.equal((await get("/tries?fail=4&status=503&id=four")).status, 503);
    const before = one.seen();
    assert.equal((await get("/tries?status=500")).status, 500);
    assert.equal(one.seen() - before, 1);
  });

  it("gives up after the time for a request, or for one try", async () => {
    assert.equal((await get("/slow?delay=5000")).status, 504);
    assert.equal((await get("/slow-backend?delay=5000")).status, 504);
    assert.equal((await get("/slow?delay=1")).status, 200);
  });

  it("copies requests, host and all", async () => {
    const before = two.seen();
    assert.equal((await get("/mirror")).echo?.backend, "one");
    while (two.seen() === before) await get("/v1");
  });

  it("answers a preflight for a route that takes another method", async () => {
    const preflight = (origin: string, method = "PUT") =>
      get("/cors", { method: "OPTIONS", headers: { origin, "access-control-request-method": method } });
    const allowed = await preflight("https://a.b.example.org");
    assert.equal(allowed.status, 200);
    assert.equal(allowed.headers["access-control-allow-origin"], "https://a.b.example.org");
    assert.equal(allowed.headers["access-control-allow-methods"], "PUT");
    const refused = await preflight("https://example.org");
    assert.equal(refused.headers["access-control-allow-origin"], undefined);
    assert.equal(refused.echo, undefined, "it does not reach the backend");
    assert.equal((await preflight("https://a.b.example.org", "DELETE")).status, 404);
    const put = await get("/cors", { method: "PUT", headers: { origin: "https://a.example.org" } });
    assert.equal(put.headers["access-control-allow-origin"], "https://a.example.org");
  });

  for (const path of ["/cors-any-GET", "/cors-any-method"])
    it(`answers a preflight with the headers that it asks for, and with none where it asks for none: ${path}`, async () => {
      const preflight = async (asked: Readonly<Record<string, string>>) => {
        const headers = { origin: "https://a.example.org", "access-control-request-method": "GET", ...asked };
        const answer = await get(path, { method: "OPTIONS", headers });
        assert.equal(answer.echo, undefined, "it does not reach the backend");
        assert.equal(answer.headers["access-control-allow-credentials"], "true");
        assert.equal(answer.headers["access-control-allow-methods"], "GET");
        return answer.headers["access-control-allow-headers"];
      };
      assert.equal(await preflight({ "access-control-request-headers": "x-a, x-b" }), "x-a, x-b");
      assert.equal(await preflight({}), undefined);
    });

  it("lets routes match headers with underscores", async () => {
    assert.equal((await get("/v1x", { headers: { x_under: "1" } })).status, 418);
  });

  it("prefers the exact host, and knows no host that nobody names", async () => {
    const at = async (host: string) => (await send({ port, host }, "/v1")).status;
    assert.deepEqual(
      [await at("a.example.com"), await at("A.example.com:80"), await at("b.example.com"), await at("example.com")],
      [200, 200, 204, 404],
    );
  });
});
