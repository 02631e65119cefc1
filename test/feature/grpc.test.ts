// GRPCRoutes on a real Envoy, told apart by the backend that answers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Http2Server, type IncomingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import { type AuthServer, startHttpAuth } from "../support/auth-server.ts";
import { type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";

type Backend = { readonly server: Http2Server; readonly port: number; readonly seen: () => number };

/** Answers with its name, the path and the headers that it saw, and an OK. */
async function startGrpcBackend(name: string): Promise<Backend> {
  let seen = 0;
  const server = createServer();
  server.on("stream", (stream, headers) => {
    seen++;
    stream.respond(
      { ":status": 200, "content-type": "application/grpc", "x-backend": name, "x-seen": JSON.stringify(headers) },
      { waitForTrailers: true },
    );
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    stream.resume().end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port, seen: () => seen };
}

const route = (name: string, rules: string, hostname = "a.example.com", listener = "http", year = 2026) => `
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: {name: ${name}, namespace: infra, creationTimestamp: "${year}-01-01T00:00:00Z"}
spec:
  parentRefs: [{name: gw, sectionName: ${listener}}]
  hostnames: ["${hostname}"]
  rules: ${rules}
`;

const objects = [
  `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: http, port: 80, protocol: HTTP}
  - {name: exact, port: 80, protocol: HTTP, hostname: abc.stated.com}
  - {name: wild, port: 80, protocol: HTTP, hostname: "*.wide.com"}
  - name: asking
    port: 80
    protocol: HTTP
    hostname: asking.io
    filters:
      requests:
      - type: ExternalAuth
        externalAuth: {protocol: HTTP, http: {allowedResponseHeaders: [version, host]}, backendRef: {name: asker, port: 80}}
`,
  route(
    "matches",
    `
  - {matches: [{method: {service: echo.Echo, method: One}}], backendRefs: [{name: one, port: 80}]}
  - {matches: [{method: {service: echo.Echo}}], backendRefs: [{name: two, port: 80}]}
  - {matches: [{method: {method: Only}}], backendRefs: [{name: three, port: 80}]}
  - {matches: [{method: {type: RegularExpression, service: "re.+", method: "X|Y"}}], backendRefs: [{name: three, port: 80}]}
  - {matches: [{headers: [{name: version, value: "3"}]}], backendRefs: [{name: three, port: 80}]}`,
  ),
  route(
    "weights",
    "[{backendRefs: [{name: one, port: 80, weight: 3}, {name: two, port: 80, weight: 1}, {name: three, port: 80, weight: 0}]}]",
    "w.example.com",
  ),
  route(
    "filters",
    `
  - name: named
    filters:
    - {type: RequestHeaderModifier, requestHeaderModifier: {set: [{name: x-set, value: "1"}], remove: [x-gone]}}
    - {type: ResponseHeaderModifier, responseHeaderModifier: {add: [{name: x-added, value: "2"}]}}
    - {type: RequestMirror, requestMirror: {backendRef: {name: three, port: 80}}}
    backendRefs: [{name: one, port: 80}]`,
    "f.example.com",
  ),
  route("less", "[{backendRefs: [{name: one, port: 80}]}]", "*.stated.com", "exact", 2025),
  route("more", "[{backendRefs: [{name: two, port: 80}]}]", "abc.stated.com", "exact"),
  route("less-wide", "[{backendRefs: [{name: one, port: 80}]}]", "*.com", "wild", 2025),
  route("more-wide", "[{backendRefs: [{name: two, port: 80}]}]", "*.wide.com", "wild"),
  route(
    "names",
    `
  - {name: named, matches: [{method: {service: echo.Echo, method: One}}], backendRefs: [{name: one, port: 80}]}
  - {matches: [{method: {service: echo.Echo, method: Two}}], backendRefs: [{name: two, port: 80}]}`,
    "n.example.com",
  ),
  route(
    "asked",
    `
  - {matches: [{headers: [{name: version, value: "3"}]}], backendRefs: [{name: three, port: 80}]}
  - {backendRefs: [{name: one, port: 80}]}`,
    "asking.io",
    "asking",
  ),
  route("invalid", "[{backendRefs: [{name: missing, port: 80}]}]", "i.example.com"),
  route("halved", "[{backendRefs: [{name: missing, port: 80}, {name: one, port: 80}]}]", "h.example.com"),
];

type Reply = {
  readonly backend: string | undefined;
  readonly grpcStatus: string;
  readonly headers: IncomingHttpHeaders;
};

describe("GRPCRoute, by effect", function () {
  this.timeout(60_000);
  const backends = new Map<string, Backend>();
  let gateway: ServedGateway;
  let asker: AuthServer;

  before(async () => {
    for (const name of ["one", "two", "three"]) backends.set(name, await startGrpcBackend(name));
    asker = await startHttpAuth({ version: "3", host: "stolen.io" });
    const services = [...backends].map(([name, { port }]) => serviceAt(name, port));
    gateway = await serveGateway([...objects, ...services, serviceAt("asker", asker.port)], [80]);
  });

  after(async () => {
    await gateway?.stop();
    for (const { server } of backends.values()) server.close();
    await asker.close();
  });

  function call(host: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const session = connect(`http://127.0.0.1:${gateway.portOf(80)}`);
      session.on("error", reject);
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        ":authority": host,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      });
      let answered: IncomingHttpHeaders = {};
      let trailers: IncomingHttpHeaders = {};
      stream.on("response", (received) => (answered = received));
      stream.on("trailers", (received) => (trailers = received));
      stream.on("error", reject);
      stream.on("close", () => {
        session.close();
        const backend = answered["x-backend"];
        const grpcStatus = String(trailers["grpc-status"] ?? answered["grpc-status"]);
        resolve({ backend: backend === undefined ? undefined : String(backend), grpcStatus, headers: answered });
      });
      stream.resume().end();
    });
  }

  const expected: readonly (readonly [path: string, headers: Readonly<Record<string, string>>, backend: string])[] = [
    ["/echo.Echo/One", {}, "one"],
    ["/echo.Echo/Two", {}, "two"],
    ["/echo.Echo/Only", {}, "two"],
    ["/other.Service/Only", {}, "three"],
    ["/real/X", {}, "three"],
    ["/other.Service/Any", { version: "3" }, "three"],
  ];
  for (const [path, headers, backend] of expected)
    it(`sends ${path} to ${backend}`, async () => {
      const reply = await call("a.example.com", path, headers);
      assert.deepEqual([reply.backend, reply.grpcStatus], [backend, "0"]);
    });

  it("asks the route that states a host more closely, however young it is", async () => {
    for (const host of ["abc.stated.com", "abc.wide.com"])
      assert.equal((await call(host, "/a.B/C")).backend, "two", host);
  });

  it("serves rules with a name and without", async () => {
    assert.equal((await call("n.example.com", "/echo.Echo/One")).backend, "one");
    assert.equal((await call("n.example.com", "/echo.Echo/Two")).backend, "two");
  });

  it("answers UNIMPLEMENTED where no rule matches, and UNAVAILABLE where no backend is valid", async () => {
    assert.equal((await call("a.example.com", "/other.Service/Any")).grpcStatus, "12");
    assert.equal((await call("a.example.com", "/real/XY")).grpcStatus, "12");
    assert.equal((await call("i.example.com", "/a.B/C")).grpcStatus, "14");
  });

  it("fails the share of the calls that an invalid backend would get with UNAVAILABLE", async () => {
    const statuses = new Set<string>();
    for (let calls = 0; calls < 40; calls++) statuses.add((await call("h.example.com", "/a.B/C")).grpcStatus);
    assert.deepEqual([...statuses].toSorted(), ["0", "14"]);
  });

  it("shares calls by weight", async () => {
    const counts = new Map<string, number>();
    for (let calls = 0; calls < 120; calls++) {
      const { backend = "" } = await call("w.example.com", "/a.B/C");
      counts.set(backend, (counts.get(backend) ?? 0) + 1);
    }
    assert.equal(counts.get("three"), undefined);
    assert.ok((counts.get("one") ?? 0) > (counts.get("two") ?? 0));
    assert.ok((counts.get("two") ?? 0) > 5);
  });

  it("changes headers and mirrors", async () => {
    const before = backends.get("three")?.seen() ?? 0;
    const { backend, headers } = await call("f.example.com", "/a.B/C", { "x-gone": "1", "x-kept": "1" });
    const seen = JSON.parse(String(headers["x-seen"])) as Record<string, string>;
    assert.equal(backend, "one");
    assert.deepEqual([seen["x-set"], seen["x-gone"], seen["x-kept"]], ["1", undefined, "1"]);
    assert.equal(headers["x-added"], "2");
    const deadline = Date.now() + 5_000;
    while (backends.get("three")?.seen() === before && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(backends.get("three")?.seen(), before + 1);
  });

  it("are chosen by what filters of the listener have found out, who may refuse a call as well", async () => {
    const { backend, headers } = await call("asking.io", "/a.B/C");
    assert.equal(backend, "three");
    const seen = JSON.parse(String(headers["x-seen"])) as Record<string, string>;
    assert.deepEqual([seen["version"], seen[":authority"], seen["host"]], ["3", "asking.io", undefined]);
    const refused = await call("asking.io", "/a.B/C", { authorization: "no" });
    assert.deepEqual([refused.backend, refused.grpcStatus], [undefined, "16"]);
  });

  it("says in the status that references lead nowhere", () => {
    const status = JSON.stringify(gateway.world.statuses.get("GRPCRoute infra/invalid")?.status);
    assert.match(status, /"type":"ResolvedRefs","status":"False","reason":"BackendNotFound"/);
    assert.match(status, /"type":"Accepted","status":"True"/);
  });
});
