// TLSRoutes and TCPRoutes on a real Envoy: each backend says its name first thing.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { makeCertificate } from "../support/certificates.ts";
import { secretOf, type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";

const gatewayCertificate = makeCertificate({ dnsNames: ["gateway.example.com"] });
const backendCertificate = makeCertificate({ dnsNames: ["backend.example.com"] });

const route = (
  kind: string,
  name: string,
  listener: string,
  backends: string,
  hostnames?: readonly string[],
  year = 2026,
) => `
apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: infra, creationTimestamp: "${year}-01-01T00:00:00Z"}
spec:
  parentRefs: [{name: gw, sectionName: ${listener}}]
  ${hostnames === undefined ? "" : `hostnames: ${JSON.stringify(hostnames)}`}
  rules: [{backendRefs: ${backends}}]
`;

const to = (...names: readonly string[]) => JSON.stringify(names.map((name) => ({ name, port: 80 })));

const objects = [
  `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  listeners:
  - {name: pass, port: 443, protocol: TLS, hostname: "*.pass.com", tls: {mode: Passthrough}}
  - {name: idle, port: 443, protocol: TLS, hostname: "*.idle.pass.com", tls: {mode: Passthrough}}
  - {name: stated, port: 443, protocol: TLS, hostname: abc.stated.com, tls: {mode: Passthrough}}
  - {name: stated-wide, port: 443, protocol: TLS, hostname: "*.wide.com", tls: {mode: Passthrough}}
  - {name: end, port: 443, protocol: TLS, hostname: "*.end.com", tls: {mode: Terminate, certificateRefs: [{name: cert}]}}
  - {name: web, port: 443, protocol: HTTPS, hostname: web.com, tls: {certificateRefs: [{name: cert}]}}
  - {name: tcp, port: 90, protocol: TCP}
  - {name: weighted, port: 91, protocol: TCP}
  - {name: broken, port: 92, protocol: TCP}
  - {name: empty, port: 93, protocol: TCP}
  - {name: halved, port: 94, protocol: TCP}
`,
  route("TLSRoute", "passing", "pass", to("secure"), ["a.pass.com", "a.idle.pass.com"]),
  route("TLSRoute", "wide", "pass", to("secure-2"), ["*.pass.com"], 2020),
  route("TLSRoute", "younger", "pass", to("secure-2"), ["a.pass.com"], 2027),
  route("TLSRoute", "less", "stated", to("secure"), ["*.stated.com"], 2025),
  route("TLSRoute", "more", "stated", to("secure-2"), ["abc.stated.com"], 2026),
  route("TLSRoute", "less-wide", "stated-wide", to("secure"), ["*.com"], 2025),
  route("TLSRoute", "more-wide", "stated-wide", to("secure-2"), ["*.wide.com"], 2026),
  route("TLSRoute", "ending", "end", to("one"), ["a.end.com"]),
  route("TLSRoute", "lost", "end", to("missing"), ["lost.end.com"]),
  route("TCPRoute", "newer", "tcp", to("two"), undefined, 2026),
  route("TCPRoute", "older", "tcp", to("one"), undefined, 2025),
  route(
    "TCPRoute",
    "weights",
    "weighted",
    '[{"name":"one","port":80,"weight":3},{"name":"two","port":80},{"name":"secure","port":80,"weight":0}]',
  ),
  route("TCPRoute", "invalid", "broken", to("missing")),
  route("TCPRoute", "half", "halved", to("missing", "one")),
];

describe("TLSRoute and TCPRoute, by effect", function () {
  this.timeout(60_000);
  const servers: Server[] = [];
  let gateway: ServedGateway;

  async function startBackend(name: string): Promise<string> {
    const greet = (socket: Socket) => {
      socket.on("error", () => socket.destroy());
      socket.end(name);
    };
    const { certificate: cert, privateKey: key } = backendCertificate;
    const server = name.startsWith("secure") ? createTlsServer({ cert, key }, greet) : createServer(greet);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    servers.push(server);
    const options = name === "secure" ? { appProtocol: "https" } : {};
    return serviceAt(name, (server.address() as AddressInfo).port, options);
  }

  before(async () => {
    const services: string[] = [];
    for (const name of ["one", "two", "secure", "secure-2"]) services.push(await startBackend(name));
    gateway = await serveGateway(
      [...objects, ...services, secretOf("cert", gatewayCertificate)],
      [443, 90, 91, 92, 93, 94],
    );
  });

  after(async () => {
    await gateway?.stop();
    for (const server of servers) server.close();
  });

  /** What is said on a connection until it ends; empty where it is closed without a word. */
  function listen(socket: Socket): Promise<string> {
    return new Promise((resolve) => {
      let text = "";
      socket.on("data", (data) => (text += String(data)));
      socket.on("error", () => resolve(text));
      socket.on("close", () => resolve(text));
    });
  }

  const overTcp = (port: number) => listen(connectTcp(gateway.portOf(port), "127.0.0.1"));

  const overTls = (servername: string, ca: string, identity: string) =>
    listen(
      connectTls({
        host: "127.0.0.1",
        port: gateway.portOf(443),
        servername,
        ca,
        checkServerIdentity: (_, { subject }) =>
          subject.CN === identity ? undefined : new Error("another certificate"),
      }),
    );
  const passed = (name: string) => overTls(name, backendCertificate.certificate, "backend.example.com");
  const ended = (name: string) => overTls(name, gatewayCertificate.certificate, "gateway.example.com");

  it("passes TLS through by its server name", async () => {
    assert.equal(await passed("a.pass.com"), "secure");
    assert.equal(await passed("b.pass.com"), "secure-2");
  });

  it("asks the route that states a host more closely, however young it is", async () => {
    assert.equal(await passed("abc.stated.com"), "secure-2");
    assert.equal(await passed("abc.wide.com"), "secure-2");
  });

  it("ends TLS on the same port where a listener says so", async () => {
    assert.equal(await ended("a.end.com"), "one");
  });

  it("closes connections that no route takes, and those for backends that are not there", async () => {
    assert.equal(await passed("a.idle.pass.com"), "");
    assert.equal(await passed("unknown.com"), "");
    assert.equal(await ended("b.end.com"), "");
    assert.equal(await ended("lost.end.com"), "");
    assert.equal(await overTcp(92), "");
    assert.equal(await overTcp(93), "");
  });

  it("lets the oldest of several TCPRoutes serve, and accepts all", async () => {
    for (let connections = 0; connections < 8; connections++) assert.equal(await overTcp(90), "one");
    for (const name of ["older", "newer"])
      assert.match(
        JSON.stringify(gateway.world.statuses.get(`TCPRoute infra/${name}`)?.status),
        /"type":"Accepted","status":"True"/,
      );
    const { listeners } = gateway.world.statuses.get("Gateway infra/gw")?.status ?? {};
    assert.match(JSON.stringify(listeners), /"name":"tcp","supportedKinds":\[[^\]]*TCPRoute"}\],"attachedRoutes":2/);
  });

  async function countsOn(port: number): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (let connections = 0; connections < 120; connections++) {
      const name = await overTcp(port);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return counts;
  }

  it("shares connections by weight, those included that a missing backend would get", async () => {
    const counts = await countsOn(91);
    assert.deepEqual([...counts.keys()].toSorted(), ["one", "two"]);
    assert.ok((counts.get("one") ?? 0) > (counts.get("two") ?? 0));
    assert.deepEqual([...(await countsOn(94)).keys()].toSorted(), ["", "one"]);
  });

  it("says in the status that a backend is not there", () => {
    for (const lost of ["TLSRoute infra/lost", "TCPRoute infra/invalid"])
      assert.match(
        JSON.stringify(gateway.world.statuses.get(lost)?.status),
        /"type":"ResolvedRefs","status":"False","reason":"BackendNotFound"/,
      );
  });
});
