// Each feature of HTTPRoute by its effect: a request goes through a real Envoy, and what the backend saw is looked at.
import assert from "node:assert/strict";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { type Answer, eventually, send, type SendOptions } from "../support/http-client.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const routes = (externalPort: number) =>
  joinDocuments(
    httpRoute(
      "matching",
      "match.example.com",
      `  rules:
  - matches: [{path: {type: Exact, value: /exact}}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: exact}]}}]
  - matches: [{path: {type: PathPrefix, value: /exact}}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: prefix}]}}]
  - matches: [{path: {type: PathPrefix, value: /exact/deeper}}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: deeper}]}}]
  - matches: [{path: {type: RegularExpression, value: "/re/[0-9]+/x"}}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: regex}]}}]
  - matches: [{path: {value: /by}, method: DELETE}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: method}]}}]
  - matches: [{path: {value: /by}, headers: [{name: X-Color, value: red}, {name: x-size, value: "1"}]}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: two-headers}]}}]
  - matches: [{path: {value: /by}, headers: [{name: X-Color, value: red}]}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: header}]}}]
  - matches: [{path: {value: /by}, headers: [{name: x-color, type: RegularExpression, value: "gr(e|a)y"}]}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: header-regex}]}}]
  - matches: [{path: {value: /by}, queryParams: [{name: animal, value: whale}]}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: query}]}}]
  - matches: [{path: {value: /by}, queryParams: [{name: animal, type: RegularExpression, value: "dol.*"}]}]
    backendRefs: [{name: one, port: 80}]
    filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-rule, value: query-regex}]}}]`,
    ),
    httpRoute(
      "weighted",
      "weight.example.com",
      `  rules:
  - matches: [{path: {value: /split}}]
    backendRefs: [{name: one, port: 80, weight: 3}, {name: two, port: 80, weight: 1}, {name: two, port: 80, weight: 0}]
  - matches: [{path: {value: /half-broken}}]
    backendRefs: [{name: one, port: 80, weight: 1}, {name: missing, port: 80, weight: 1}]
  - matches: [{path: {value: /none}}]
    backendRefs: [{name: one, port: 80, weight: 0}]`,
    ),
    httpRoute(
      "headers",
      "headers.example.com",
      `  rules:
  - filters:
    - type: RequestHeaderModifier
      requestHeaderModifier: {set: [{name: x-set, value: new}], add: [{name: x-add, value: more}], remove: [x-gone]}
    - type: ResponseHeaderModifier
      responseHeaderModifier: {set: [{name: x-out-set, value: new}], add: [{name: x-out-add, value: more}], remove: [x-out-gone]}
    backendRefs:
    - name: one
      port: 80
      filters:
      - type: RequestHeaderModifier
        requestHeaderModifier: {set: [{name: x-backend, value: one}]}
      - type: ResponseHeaderModifier
        responseHeaderModifier: {set: [{name: x-out-backend, value: one}]}`,
    ),
    httpRoute(
      "redirects",
      "redirect.example.com",
      `  rules:
  - matches: [{path: {value: /host}}]
    filters: [{type: RequestRedirect, requestRedirect: {hostname: other.example.com}}]
  - matches: [{path: {value: /all}}]
    filters: [{type: RequestRedirect, requestRedirect: {scheme: https, hostname: other.example.com, port: 8443, statusCode: 301}}]
  - matches: [{path: {value: /https}}]
    filters: [{type: RequestRedirect, requestRedirect: {scheme: https}}]
  - matches: [{path: {value: /full}}]
    filters: [{type: RequestRedirect, requestRedirect: {path: {type: ReplaceFullPath, replaceFullPath: /new/place}, statusCode: 303}}]
  - matches: [{path: {value: /prefix}}]
    filters: [{type: RequestRedirect, requestRedirect: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /swap}, statusCode: 308}}]
  - matches: [{path: {value: /307}}]
    filters: [{type: RequestRedirect, requestRedirect: {hostname: x.example.com, statusCode: 307}}]`,
    ),
    httpRoute(
      "rewrites",
      "rewrite.example.com",
      `  rules:
  - matches: [{path: {value: /full}}]
    filters: [{type: URLRewrite, urlRewrite: {hostname: inner.example.com, path: {type: ReplaceFullPath, replaceFullPath: /one}}}]
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /a/b}}]
    filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /x}}}]
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /strip}}]
    filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /}}}]
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /slash}}]
    filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /y/}}}]
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /}}]
    filters: [{type: URLRewrite, urlRewrite: {path: {type: ReplacePrefixMatch, replacePrefixMatch: /root}}}]
    backendRefs: [{name: one, port: 80}]`,
    ),
    httpRoute(
      "mirrors",
      "mirror.example.com",
      `  rules:
  - filters:
    - {type: RequestMirror, requestMirror: {backendRef: {name: mirror, port: 80}}}
    backendRefs: [{name: one, port: 80}]`,
    ),
    httpRoute(
      "times",
      "time.example.com",
      `  rules:
  - matches: [{path: {value: /request}}]
    timeouts: {request: 300ms}
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /backend}}]
    timeouts: {request: 5s, backendRequest: 300ms}
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /never}}]
    timeouts: {request: 0s}
    backendRefs: [{name: one, port: 80}]
  - matches: [{path: {value: /retry}}]
    retry: {codes: [503], attempts: 3, backoff: 10ms}
    backendRefs: [{name: one, port: 80}]`,
    ),
    httpRoute(
      "cors",
      "cors.example.com",
      `  rules:
  - filters:
    - type: CORS
      cors:
        allowOrigins: ["https://app.example.com", "https://*.wild.example.com"]
        allowMethods: [GET, PUT]
        allowHeaders: [x-token]
        exposeHeaders: [x-visible]
        allowCredentials: true
        maxAge: 600
    backendRefs: [{name: one, port: 80}]`,
    ),
    httpRoute("granted", "granted.example.com", `  rules: [{backendRefs: [{name: two, namespace: team-b, port: 80}]}]`),
    httpRoute(
      "not-granted",
      "not-granted.example.com",
      `  rules: [{backendRefs: [{name: two, namespace: team-c, port: 80}]}]`,
    ),
    httpRoute(
      "empty",
      "empty.example.com",
      `  rules:
  - matches: [{path: {value: /no-refs}}]
  - matches: [{path: {value: /no-endpoints}}]
    backendRefs: [{name: nobody, port: 80}]
  - matches: [{path: {value: /no-port}}]
    backendRefs: [{name: one, port: 81}]`,
    ),
    httpRoute("external", "external.example.com", `  rules: [{backendRefs: [{name: outside, port: ${externalPort}}]}]`),
    httpRoute("wildcard", "*.wild.example.com", `  rules: [{backendRefs: [{name: one, port: 80}]}]`),
    httpRoute(
      "specific",
      "a.wild.example.com",
      `  rules: [{matches: [{path: {value: /only}}], backendRefs: [{name: two, port: 80}]}]`,
    ),
  );

describe("HTTPRoute, by effect", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  const backends: Record<string, EchoBackend> = {};

  const get = (host: string, path: string, options: SendOptions = {}): Promise<Answer> =>
    send({ port, host: `${host}.example.com` }, path, options);
  const ruleOf = async (path: string, options: SendOptions = {}) => {
    const { status, headers } = await get("match", path, options);
    return status === 404 ? "404" : headers["x-rule"];
  };

  before(async () => {
    for (const name of ["one", "two", "mirror"]) backends[name] = await startEchoBackend(name);
    const { one, two, mirror } = backends as { one: EchoBackend; two: EchoBackend; mirror: EchoBackend };
    port = await freePort();
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(gatewayClass, httpGateway(port)),
        "services.yaml": joinDocuments(
          service("one", [one]),
          service("two", [two]),
          service("mirror", [mirror]),
          service("nobody", []),
          service("two", [two], "team-b"),
          service("two", [two], "team-c"),
          `
apiVersion: gateway.networking.k8s.io/v1beta1
kind: ReferenceGrant
metadata: {name: from-a, namespace: team-b}
spec:
  from: [{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: team-a}]
  to: [{group: "", kind: Service}]`,
          `
apiVersion: v1
kind: Service
metadata: {name: outside, namespace: team-a}
spec: {type: ExternalName, externalName: localhost, ports: [{port: ${two.port}}]}`,
        ),
        "routes.yaml": routes(two.port),
      },
    });
    await eventually({ port, host: "match.example.com" }, "/exact", ({ status }) => status === 200, {
      withinMs: 60_000,
    });
  });

  after(async () => {
    await gateway?.close();
    await Promise.all(Object.values(backends).map((backend) => backend.close()));
  });

  it("matches paths: exact, by whole segments, by regular expression, the most specific first", async () => {
    assert.equal(await ruleOf("/exact"), "exact");
    assert.equal(await ruleOf("/exact?q=1"), "exact");
    assert.equal(await ruleOf("/exact/a"), "prefix");
    assert.equal(await ruleOf("/exact/deeper/b"), "deeper");
    assert.equal(await ruleOf("/exactly"), "404");
    assert.equal(await ruleOf("/re/42/x"), "regex");
    assert.equal(await ruleOf("/re/42/xy"), "404");
    assert.equal(await ruleOf("/none"), "404");
  });

  it("matches method, headers and query parameters, in the order of Gateway API", async () => {
    assert.equal(await ruleOf("/by", { method: "DELETE" }), "method");
    assert.equal(await ruleOf("/by", { method: "DELETE", headers: { "x-color": "red", "x-size": "1" } }), "method");
    assert.equal(await ruleOf("/by", { headers: { "x-color": "red", "x-size": "1" } }), "two-headers");
    assert.equal(await ruleOf("/by?animal=whale", { headers: { "x-color": "red" } }), "header");
    assert.equal(await ruleOf("/by", { headers: { "x-color": "gray" } }), "header-regex");
    assert.equal(await ruleOf("/by", { headers: { "x-color": "grayish" } }), "404");
    assert.equal(await ruleOf("/by?animal=whale"), "query");
    assert.equal(await ruleOf("/by?animal=dolphin"), "query-regex");
    assert.equal(await ruleOf("/by?animal=ant"), "404");
  });

  it("prefers the more specific host, and does not fall back to the wider one", async () => {
    assert.equal((await get("b.wild", "/")).echo?.backend, "one");
    assert.equal((await get("x.y.wild", "/")).echo?.backend, "one");
    assert.equal((await get("a.wild", "/only")).echo?.backend, "two");
    assert.equal((await get("a.wild", "/other")).status, 404);
    assert.equal((await get("unknown", "/")).status, 404);
    assert.equal((await send({ port, host: `match.example.com:${port}` }, "/exact")).status, 200);
  });

  it("divides requests by weight; the share of a broken backend is answered 500", async () => {
    const count = async (path: string) => {
      const counts: Record<string, number> = {};
      for (let i = 0; i < 400; i++) {
        const { status, echo } = await get("weight", path);
        const key = status === 200 ? (echo?.backend ?? "") : String(status);
        counts[key] = (counts[key] ?? 0) + 1;
      }
      return counts;
    };
    const split = await count("/split");
    assert.ok(
      Math.abs((split["one"] ?? 0) - 300) < 50 && Math.abs((split["two"] ?? 0) - 100) < 50,
      JSON.stringify(split),
    );
    const broken = await count("/half-broken");
    assert.ok(
      Math.abs((broken["one"] ?? 0) - 200) < 60 && Math.abs((broken["500"] ?? 0) - 200) < 60,
      JSON.stringify(broken),
    );
    assert.deepEqual(await count("/none"), { "500": 400 });
  });

  it("changes headers of requests and answers, for the rule and for the backend", async () => {
    const { echo, headers } = await get(
      "headers",
      "/?header=x-out-set:old&header=x-out-add:first&header=x-out-gone:1",
      {
        headers: { "x-set": "old", "x-add": "first", "x-gone": "1" },
      },
    );
    assert.equal(echo?.headers["x-set"], "new");
    assert.equal(echo?.headers["x-add"], "first, more");
    assert.equal(echo?.headers["x-gone"], undefined);
    assert.equal(echo?.headers["x-backend"], "one");
    assert.equal(headers["x-out-set"], "new");
    assert.equal(headers["x-out-add"], "first, more");
    assert.equal(headers["x-out-gone"], undefined);
    assert.equal(headers["x-out-backend"], "one");
  });

  it("redirects", async () => {
    const locationOf = async (path: string) => {
      const { status, headers } = await get("redirect", path);
      return `${status} ${String(headers["location"])}`;
    };
    assert.equal(await locationOf("/host/a?b=c"), `302 http://other.example.com:${port}/host/a?b=c`);
    assert.equal(await locationOf("/all/a"), "301 https://other.example.com:8443/all/a");
    assert.equal(await locationOf("/https/a"), "302 https://redirect.example.com/https/a");
    assert.equal(await locationOf("/full/a?b=c"), `303 http://redirect.example.com:${port}/new/place?b=c`);
    assert.equal(await locationOf("/prefix/a"), `308 http://redirect.example.com:${port}/swap/a`);
    assert.equal(await locationOf("/prefix"), `308 http://redirect.example.com:${port}/swap`);
    assert.equal(await locationOf("/307/a"), `307 http://x.example.com:${port}/307/a`);
  });

  it("rewrites hosts and paths", async () => {
    const seen = async (path: string) => {
      const { echo } = await get("rewrite", path);
      return `${echo?.host} ${echo?.path}`;
    };
    assert.equal(await seen("/full/a?b=c"), "inner.example.com /one?b=c");
    assert.equal(await seen("/a/b/c"), "rewrite.example.com /x/c");
    assert.equal(await seen("/a/b"), "rewrite.example.com /x");
    assert.equal(await seen("/a/b?q=1"), "rewrite.example.com /x?q=1");
    assert.equal(await seen("/strip/a/b"), "rewrite.example.com /a/b");
    assert.equal(await seen("/strip"), "rewrite.example.com /");
    assert.equal(await seen("/strip?q=1"), "rewrite.example.com /?q=1");
    assert.equal(await seen("/slash/a"), "rewrite.example.com /y/a");
    assert.equal(await seen("/else/where"), "rewrite.example.com /root/else/where");
  });

  it("mirrors requests", async () => {
    const before = backends["mirror"]?.seen() ?? 0;
    for (let i = 0; i < 10; i++) assert.equal((await get("mirror", "/")).echo?.backend, "one");
    const deadline = Date.now() + 5000;
    while ((backends["mirror"]?.seen() ?? 0) < before + 10 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(backends["mirror"]?.seen(), before + 10);
  });

  it("ends what takes too long, and tries again where it may", async () => {
    assert.equal((await get("time", "/request?delay=2000")).status, 504);
    assert.equal((await get("time", "/request?delay=50")).status, 200);
    assert.equal((await get("time", "/backend?delay=2000")).status, 504);
    assert.equal((await get("time", "/never?delay=700")).status, 200);
    assert.equal((await get("time", "/retry?status=503&fail=3&id=ok")).status, 200);
    assert.equal((await get("time", "/retry?status=503&fail=9&id=bad")).status, 503);
    assert.equal((await get("time", "/retry?status=500&fail=1&id=other")).status, 500);
  });

  it("answers preflight requests of allowed origins only", async () => {
    const preflight = (origin: string) =>
      get("cors", "/", {
        method: "OPTIONS",
        headers: { origin, "access-control-request-method": "PUT", "access-control-request-headers": "x-token" },
      });
    const allowed = await preflight("https://app.example.com");
    assert.equal(allowed.status, 200);
    assert.equal(allowed.echo, undefined, "answered by the proxy, not by the backend");
    assert.equal(allowed.headers["access-control-allow-origin"], "https://app.example.com");
    assert.match(String(allowed.headers["access-control-allow-methods"]), /PUT/);
    assert.match(String(allowed.headers["access-control-allow-headers"]), /x-token/);
    assert.equal(allowed.headers["access-control-allow-credentials"], "true");
    assert.equal(allowed.headers["access-control-max-age"], "600");
    assert.equal(
      (await preflight("https://b.wild.example.com")).headers["access-control-allow-origin"],
      "https://b.wild.example.com",
    );
    assert.equal((await preflight("https://evil.example.net")).headers["access-control-allow-origin"], undefined);
    const simple = await get("cors", "/", { headers: { origin: "https://app.example.com" } });
    assert.equal(simple.headers["access-control-allow-origin"], "https://app.example.com");
    assert.match(String(simple.headers["access-control-expose-headers"]), /x-visible/);
  });

  it("crosses namespaces only with a ReferenceGrant, and says so", async () => {
    assert.equal((await get("granted", "/")).echo?.backend, "two");
    assert.equal((await get("not-granted", "/")).status, 500);
    const { status } = await gateway.statusWhen(
      "HTTPRoute",
      "team-a",
      "not-granted",
      (file) => file.status.parents !== undefined,
    );
    assert.ok(
      hasCondition(status.parents?.[0]?.conditions, "ResolvedRefs", "False", "RefNotPermitted"),
      JSON.stringify(status),
    );
    assert.ok(hasCondition(status.parents?.[0]?.conditions, "Accepted", "True", "Accepted"));
  });

  it("answers 500 where nothing can be reached by configuration, 503 where nobody is there", async () => {
    assert.equal((await get("empty", "/no-refs")).status, 500);
    assert.equal((await get("empty", "/no-port")).status, 500);
    assert.equal((await get("empty", "/no-endpoints")).status, 503);
  });

  it("resolves ExternalName Services", async () => {
    const { echo } = await eventually({ port, host: "external.example.com" }, "/", ({ status }) => status === 200);
    assert.equal(echo?.backend, "two");
  });

  it("says in the statuses what it did", async () => {
    const { status } = await gateway.statusWhen("Gateway", "team-a", "gw", (file) =>
      hasCondition(file.status.conditions, "Programmed", "True"),
    );
    assert.ok(hasCondition(status.conditions, "Accepted", "True", "Accepted"));
    assert.equal(status.listeners?.[0]?.attachedRoutes, 14);
    assert.ok(hasCondition(status.listeners?.[0]?.conditions, "Programmed", "True"));
    const route = await gateway.statusWhen(
      "HTTPRoute",
      "team-a",
      "matching",
      (file) => file.status.parents !== undefined,
    );
    assert.equal(route.status.parents?.[0]?.controllerName, "gatewright.dev/gateway-controller");
    assert.ok(hasCondition(route.status.parents?.[0]?.conditions, "ResolvedRefs", "True", "ResolvedRefs"));
  });
});
