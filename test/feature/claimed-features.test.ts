// What features ask that are claimed in GatewayClass.status, and that no other test shows: objects in, a real Envoy, requests.
import assert from "node:assert/strict";
import { makeCertificate } from "../support/certificates.ts";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { send } from "../support/http-client.ts";
import { secretOf, type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";

const gateway = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: redirects, port: 80, protocol: HTTP, hostname: redirects.io}
  - {name: redirects-8080, port: 8080, protocol: HTTP, hostname: redirects.io}
  - {name: redirects-443, port: 443, protocol: HTTPS, hostname: redirects.io, tls: {certificateRefs: [{name: cert}]}}
  - {name: unattached, port: 80, protocol: HTTP, hostname: unattached.io}
  - {name: stated, port: 80, protocol: HTTP, hostname: abc.stated.com}
  - {name: stated-path, port: 80, protocol: HTTP, hostname: abc.path.com}
  - {name: stated-header, port: 80, protocol: HTTP, hostname: abc.header.com}
  - {name: wide, port: 80, protocol: HTTP, hostname: "*.wide.com"}
  - {name: wide-path, port: 80, protocol: HTTP, hostname: "*.wide-path.com"}
  - {name: wide-header, port: 80, protocol: HTTP, hostname: "*.wide-header.com"}
  - {name: isolated-any, port: 81, protocol: HTTP}
  - {name: isolated-wild, port: 81, protocol: HTTP, hostname: "*.example.com"}
  - {name: isolated-wild-foo, port: 81, protocol: HTTP, hostname: "*.foo.example.com"}
  - {name: isolated-exact, port: 81, protocol: HTTP, hostname: abc.foo.example.com}
  - {name: web, port: 82, protocol: HTTP}
`;

type RouteOptions = { readonly hostnames?: readonly string[]; readonly year?: number };

const route = (name: string, listener: string, rules: readonly object[], options: RouteOptions = {}): string =>
  JSON.stringify({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, namespace: "infra", creationTimestamp: `${options.year ?? 2026}-01-01T00:00:00Z` },
    spec: { parentRefs: [{ name: "gw", sectionName: listener }], hostnames: options.hostnames ?? [], rules },
  });

const path = (value: string) => ({ path: { value } });
const to = (name: string, ...filters: readonly object[]) => ({ backendRefs: [{ name, port: 80, filters }] });

/** The path says what is stated. */
const redirects = (schemes: readonly (string | undefined)[], ports: readonly (number | undefined)[]) =>
  schemes.flatMap((scheme) =>
    ports.map((port) => ({
      matches: [path(`/${scheme ?? "nil"}/${port ?? "nil"}`)],
      filters: [{ type: "RequestRedirect", requestRedirect: { hostname: "example.org", scheme, port } }],
    })),
  );
const allRedirects = redirects([undefined, "http", "https"], [undefined, 80, 443, 8080, 8443]);

const rewrite = (change: object) => ({ type: "URLRewrite", urlRewrite: { path: change } });

const prefix = { matches: [path("/path/prefix")], ...to("one") };
const shorter = { matches: [path("/path")], ...to("two") };
const header = (name: string, at: string, backend: string) => ({
  matches: [{ ...path(at), headers: [{ name, value: "1" }] }],
  ...to(backend),
});

const isolated = ["any", "wild", "wild-foo", "exact"] as const;

const objects = [
  gateway,
  ...["redirects", "redirects-8080", "redirects-443"].map((name) => route(name, name, allRedirects)),
  // The older one states less of the host.
  route("stated-less", "stated", [to("one")], { hostnames: ["*.stated.com"], year: 2025 }),
  route("stated-more", "stated", [to("two")], { hostnames: ["abc.stated.com"] }),
  route("path-less", "stated-path", [prefix], { hostnames: ["*.path.com"], year: 2025 }),
  route("path-more", "stated-path", [shorter], { hostnames: ["abc.path.com"] }),
  route("header-less", "stated-header", [header("b", "/path/prefix", "one")], {
    hostnames: ["*.header.com"],
    year: 2025,
  }),
  route("header-more", "stated-header", [header("a", "/path", "two")], { hostnames: ["abc.header.com"] }),
  route("wide-less", "wide", [to("one")], { hostnames: ["*.com"], year: 2025 }),
  route("wide-more", "wide", [to("two")], { hostnames: ["*.wide.com"] }),
  route("wide-path-less", "wide-path", [prefix], { hostnames: ["*.com"], year: 2025 }),
  route("wide-path-more", "wide-path", [shorter], { hostnames: ["*.wide-path.com"] }),
  route("wide-header-less", "wide-header", [header("b", "/path/prefix", "one")], { hostnames: ["*.com"], year: 2025 }),
  route("wide-header-more", "wide-header", [header("a", "/path", "two")], { hostnames: ["*.wide-header.com"] }),
  ...isolated.map((name) =>
    route(`isolated-${name}`, `isolated-${name}`, [{ matches: [path(`/${name}`)], ...to("one") }]),
  ),
  route("rewrites", "web", [
    { matches: [path("/full")], ...to("one", rewrite({ type: "ReplaceFullPath", replaceFullPath: "/rewritten" })) },
    { matches: [path("/prefix")], ...to("one", rewrite({ type: "ReplacePrefixMatch", replacePrefixMatch: "/other" })) },
  ]),
  route("names", "web", [
    { name: "named", matches: [path("/named")], ...to("one") },
    { matches: [path("/unnamed")], ...to("two") },
  ]),
  `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: other-port, namespace: infra}
spec: {parentRefs: [{name: gw, port: 99}], rules: [{backendRefs: [{name: one, port: 80}]}]}
`,
];

describe("features that are claimed, by effect", function () {
  this.timeout(60_000);
  let served: ServedGateway;
  let backends: readonly EchoBackend[] = [];
  const certificate = makeCertificate({ dnsNames: ["redirects.io"] });

  before(async () => {
    backends = [await startEchoBackend("one"), await startEchoBackend("two")];
    const services = backends.map(({ name, port }) => serviceAt(name, port));
    served = await serveGateway([...objects, ...services, secretOf("cert", certificate)], [80, 81, 82, 443, 8080]);
  });

  after(async () => {
    await served?.stop();
    for (const backend of backends) await backend.close();
  });

  const get = (host: string, at: string, port = 80, headers = {}) =>
    send({ port: served.portOf(port), host }, at, { headers });
  const backendOf = async (...request: Parameters<typeof get>) => {
    const { status, echo } = await get(...request);
    return echo?.backend ?? status;
  };

  const precedence: readonly (readonly [host: string, path: string, headers: object, backend: string])[] = [
    ["abc.stated.com", "/", {}, "two"],
    ["abc.path.com", "/path/prefix/longer", {}, "two"],
    ["abc.header.com", "/path/prefix/longer", { a: "1", b: "1" }, "two"],
    ["abc.header.com", "/path/prefix/longer", { b: "1" }, "one"],
    ["abc.wide.com", "/", {}, "two"],
    ["abc.wide-path.com", "/path/prefix/longer", {}, "two"],
    ["abc.wide-header.com", "/path/prefix/longer", { a: "1", b: "1" }, "two"],
    ["abc.wide-header.com", "/path/prefix/longer", { b: "1" }, "one"],
  ];
  for (const [host, at, headers, backend] of precedence)
    it(`GatewayRouteHostnameIntersectionPrecedence: ${[`${host}${at}`, ...Object.keys(headers)].join(" with ")} is for ${backend}`, async () => {
      assert.equal(await backendOf(host, at, 80, headers), backend);
    });

  const owners = {
    "bar.com": "any",
    "bar.example.com": "wild",
    "bar.foo.example.com": "wild-foo",
    "abc.foo.example.com": "exact",
  } as const;
  for (const [host, owner] of Object.entries(owners))
    it(`GatewayHTTPListenerIsolation: routes without hostnames at ${host} are those of ${owner}`, async () => {
      for (const name of isolated)
        assert.equal(await backendOf(host, `/${name}`, 81), name === owner ? "one" : 404, name);
    });

  it("GatewayPort8080, HTTPRoutePortRedirect: the port is that of the scheme, or of the listener where nothing is stated", async () => {
    const standard = { http: 80, https: 443 } as const;
    for (const listener of [80, 8080, 443])
      for (const scheme of [undefined, "http", "https"] as const)
        for (const stated of [undefined, 80, 443, 8080, 8443]) {
          const at = `/${scheme ?? "nil"}/${stated ?? "nil"}`;
          const tls = listener === 443 ? { tls: { ca: certificate.certificate } } : {};
          const { headers, status } = await send({ port: served.portOf(listener), host: "redirects.io", ...tls }, at);
          const used = scheme ?? (listener === 443 ? "https" : "http");
          const port = stated ?? (scheme === undefined ? listener : standard[scheme]);
          assert.equal(status, 302);
          // The port of the scheme may be said or not.
          const expected = new URL(`${used}://example.org:${port}${at}`).href;
          assert.equal(new URL(String(headers["location"])).href, expected, `${listener}${at}`);
        }
  });

  it("GatewayPort8080: a route that names a listener is attached to that one", () => {
    const status: unknown = served.world.statuses.get("Gateway infra/gw")?.status["listeners"];
    assert.ok(Array.isArray(status));
    const counts = Object.fromEntries(
      status.map(({ name, attachedRoutes }: { name: string; attachedRoutes: number }) => [name, attachedRoutes]),
    );
    assert.equal(counts["redirects-8080"], 1);
    assert.equal(counts["unattached"], 0);
    assert.equal(counts["web"], 2);
  });

  it("HTTPRouteDestinationPortMatching: a port that the Gateway does not have is no parent", () => {
    const status = JSON.stringify(served.world.statuses.get("HTTPRoute infra/other-port")?.status);
    assert.match(status, /"type":"Accepted","status":"False","reason":"NoMatchingParent"/);
    assert.match(status, /"type":"ResolvedRefs","status":"True"/);
  });

  it("HTTPRouteBackendURLRewrite: a backend's own change of the path", async () => {
    assert.equal((await get("any.io", "/full/original", 82)).echo?.path, "/rewritten");
    assert.equal((await get("any.io", "/prefix/original", 82)).echo?.path, "/other/original");
  });

  it("HTTPRouteNamedRouteRule: rules with a name and without", async () => {
    assert.equal(await backendOf("any.io", "/named", 82), "one");
    assert.equal(await backendOf("any.io", "/unnamed", 82), "two");
  });
});
