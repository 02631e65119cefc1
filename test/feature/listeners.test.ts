// Whose request it is, where several listeners and routes could take it: objects in, a real Envoy, requests. Every route
// redirects, and tells by that which one it is.
import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { send } from "../support/http-client.ts";
import { secretOf, type ServedGateway, serveGateway } from "../support/served-gateway.ts";

const objects = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: empty, port: 80, protocol: HTTP}
  - {name: wild, port: 80, protocol: HTTP, hostname: "*.example.com"}
  - {name: wild-foo, port: 80, protocol: HTTP, hostname: "*.foo.example.com"}
  - {name: exact, port: 80, protocol: HTTP, hostname: abc.foo.example.com}
  - {name: routeless, port: 80, protocol: HTTP, hostname: routeless.example.com}
  - {name: stated, port: 8080, protocol: HTTP, hostname: abc.example.com}
  - {name: https, port: 443, protocol: HTTPS, tls: {certificateRefs: [{name: cert}]}}
  - {name: second, port: 443, protocol: HTTPS, hostname: second-example.org, tls: {certificateRefs: [{name: cert}]}}
  - {name: wildcard, port: 443, protocol: HTTPS, hostname: "*.wildcard.org", tls: {certificateRefs: [{name: cert}]}}
  - {name: fourth, port: 443, protocol: HTTPS, hostname: fourth.wildcard.org, tls: {certificateRefs: [{name: cert}]}}
  - {name: broken, port: 443, protocol: HTTPS, hostname: broken.wildcard.org, tls: {certificateRefs: [{name: missing}]}}
`;

const route = (name: string, listener: string, hostnames: readonly string[], match: string, createdAt = 1): string => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: infra, creationTimestamp: "2026-01-0${createdAt}T00:00:00Z"}
spec:
  parentRefs: [{name: gw, sectionName: ${listener}}]
  hostnames: ${JSON.stringify(hostnames)}
  rules:
  - matches: [${match}]
    filters: [{type: RequestRedirect, requestRedirect: {hostname: ${name}.is-it}}]
`;

const all = ["bar.com", "*.example.com", "*.foo.example.com", "abc.foo.example.com"];
const isolated = ["empty", "wild", "wild-foo", "exact"] as const;

const routes = [
  ...isolated.map((name) => route(name, name, all, `{path: {value: /${name}}}`)),
  route("older", "stated", ["*.example.com"], "{path: {value: /path/prefix}}", 1),
  route("newer", "stated", ["abc.example.com"], "{path: {value: /path}, headers: [{name: h, value: a}]}", 2),
  route("https", "https", ["example.org"], "{path: {value: /}}"),
  route("second", "second", [], "{path: {value: /}}"),
  route("wildcard", "wildcard", [], "{path: {value: /}}"),
  route("fourth", "fourth", [], "{path: {value: /}}"),
];

describe("listeners, by effect", function () {
  this.timeout(60_000);
  let served: ServedGateway;
  let certificate: Certificate;

  before(async () => {
    certificate = makeCertificate({ dnsNames: ["example.org", "second-example.org", "*.wildcard.org", "unknown.org"] });
    served = await serveGateway([objects, ...routes, secretOf("cert", certificate)], [80, 8080, 443]);
  });

  after(() => served?.stop());

  /** The route that took a request, or the status of the answer where none did. */
  async function taker(host: string, path: string, port = 80, headers = {}): Promise<string | number> {
    const { status, headers: answered } = await send({ port: served.portOf(port), host }, path, { headers });
    return nameOf(status, String(answered["location"] ?? ""));
  }

  const nameOf = (status: number, location: string) => /\/\/([^./]+)\.is-it/.exec(location)?.[1] ?? status;

  const hosts = {
    "bar.com": "empty",
    "bar.example.com": "wild",
    "bar.foo.example.com": "wild-foo",
    "abc.foo.example.com": "exact",
  } as const;
  for (const [host, owner] of Object.entries(hosts))
    it(`gives ${host} to the listener ${owner} alone`, async () => {
      for (const name of isolated) assert.equal(await taker(host, `/${name}`), name === owner ? owner : 404, name);
    });

  it("does not look at the port in a host, nor at its case", async () => {
    assert.equal(await taker("ABC.foo.example.com:1234", "/exact"), "exact");
  });

  it("keeps the host of a listener without routes from a wider one", async () => {
    assert.equal(await taker("routeless.example.com", "/wild"), 404);
  });

  it("asks the route first that states the host more closely, and passes on what it does not take", async () => {
    assert.equal(await taker("abc.example.com", "/path/prefix/longer", 8080, { h: "a" }), "newer");
    assert.equal(await taker("abc.example.com", "/path/prefix/longer", 8080), "older");
    assert.equal(await taker("abc.example.com", "/path", 8080), 404);
  });

  // The table of the API's conformance test of misdirected requests.
  const connections: readonly (readonly [serverName: string, host: string, expected: string | number])[] = [
    ["example.org", "example.org", "https"],
    ["example.org", "second-example.org", 421],
    ["example.org", "unknown.org", 404],
    ["second-example.org", "second-example.org", "second"],
    ["second-example.org", "example.org", 421],
    ["second-example.org", "unknown.org", 421],
    ["third.wildcard.org", "third.wildcard.org", "wildcard"],
    ["third.wildcard.org", "fifth.wildcard.org", "wildcard"],
    ["third.wildcard.org", "fourth.wildcard.org", 421],
    ["third.wildcard.org", "second-example.org", 421],
    ["third.wildcard.org", "unknown.org", 421],
    ["fourth.wildcard.org", "fourth.wildcard.org", "fourth"],
    ["fourth.wildcard.org", "fifth.wildcard.org", 421],
    ["unknown.org", "example.org", "https"],
    ["unknown.org", "unknown.org", 404],
    // Its own listener has no certificate: the next wider one serves it.
    ["broken.wildcard.org", "broken.wildcard.org", "wildcard"],
  ];
  for (const [serverName, host, expected] of connections)
    it(`answers ${host} on a connection to ${serverName}: ${expected}`, async () => {
      assert.equal(await takerOverTls(serverName, host), expected);
    });

  function takerOverTls(serverName: string, host: string): Promise<string | number> {
    return new Promise((resolve, reject) => {
      const session = connectHttp2(`https://127.0.0.1:${served.portOf(443)}`, {
        servername: serverName,
        ca: certificate.certificate,
      });
      session.on("error", reject);
      const stream = session.request({ ":path": "/", ":authority": host });
      stream.on("error", reject);
      stream.on("response", (headers) => {
        session.close();
        resolve(nameOf(Number(headers[":status"]), headers["location"] ?? ""));
      });
      stream.resume().end();
    });
  }
});
