// What a Gateway shows to backends (spec.tls.backend), by effect: backends that speak only to those who show a certificate.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2, createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect as connectTcp, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from "node:tls";
import { makeCertificate } from "../support/certificates.ts";
import { send } from "../support/http-client.ts";
import { secretOf, type ServedGateway, serveGateway, serviceAt } from "../support/served-gateway.ts";

const authority = makeCertificate({ dnsNames: ["authority"], authority: true });
const backendCertificate = makeCertificate({ dnsNames: ["backend.example.com"], issuer: authority });
const proxyCertificate = makeCertificate({ dnsNames: ["proxy.example.com"], issuer: authority });
const gatewayCertificate = makeCertificate({ dnsNames: ["ended.test"] });

const strict = {
  cert: backendCertificate.certificate,
  key: backendCertificate.privateKey,
  ca: authority.certificate,
  requestCert: true,
  rejectUnauthorized: true,
};

/** Who came, and whom it asked for. */
const nameOf = (socket: Socket): string => {
  const secured = socket as TLSSocket & { readonly servername: string };
  return `${String(secured.getPeerCertificate().subject.CN)} to ${secured.servername}`;
};
const expected = "proxy.example.com to backend.example.com";

const servers: readonly (readonly [name: string, server: Server])[] = [
  ["web", createHttpsServer(strict, ({ socket }, response) => response.end(nameOf(socket)))],
  [
    "grpc",
    createSecureServer(strict).on("stream", (stream) => {
      const socket = stream.session?.socket as unknown as Socket;
      stream.respond({ ":status": 200, "content-type": "application/grpc", "x-peer": nameOf(socket) });
      stream.end();
    }),
  ],
  ["connections", createTlsServer(strict, (socket) => socket.on("error", () => socket.destroy()).end(nameOf(socket)))],
];

const policy = (name: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: ${name}, namespace: infra}
spec:
  targetRefs: [{group: "", kind: Service, name: ${name}, sectionName: main}]
  validation: {hostname: backend.example.com, caCertificateRefs: [{group: "", kind: ConfigMap, name: authority}]}
`;

const route = (kind: string, name: string, listener: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: infra}
spec:
  parentRefs: [{name: gw, sectionName: ${listener}}]
  ${kind === "TCPRoute" ? "" : `hostnames: [${name}.test]`}
  rules: [{backendRefs: [{name: ${name}, port: 80}]}]
`;

const gatewayWith = (tls: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  ${tls}
  listeners:
  - {name: http, port: 80, protocol: HTTP}
  - {name: tcp, port: 90, protocol: TCP}
  - {name: end, port: 443, protocol: TLS, tls: {mode: Terminate, certificateRefs: [{name: server}]}}
`;

/** All that is said on a connection. */
async function heard(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (data) => (text += String(data)));
  socket.on("error", () => socket.destroy());
  await once(socket, "close");
  return text;
}

const openings = {
  "with a certificate": "tls: {backend: {clientCertificateRef: {name: proxy}}}",
  "without one": "",
  "with one that is missing": "tls: {backend: {clientCertificateRef: {name: missing}}}",
} as const;

for (const [title, tls] of Object.entries(openings)) {
  const shows = tls === openings["with a certificate"];
  describe(`a Gateway ${title} at backends that ask for one, by effect`, function () {
    this.timeout(60_000);
    let gateway: ServedGateway;

    before(async () => {
      const services: string[] = [];
      for (const [name, server] of servers) {
        server.listen(0, "127.0.0.1");
        await once(server, "listening");
        services.push(serviceAt(name, (server.address() as AddressInfo).port), policy(name));
      }
      gateway = await serveGateway(
        [
          gatewayWith(tls),
          route("HTTPRoute", "web", "http"),
          route("GRPCRoute", "grpc", "http"),
          route("TLSRoute", "connections", "end"),
          route("TCPRoute", "connections", "tcp"),
          ...services,
          secretOf("server", gatewayCertificate),
          secretOf("proxy", proxyCertificate),
          JSON.stringify({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "authority", namespace: "infra" },
            data: { "ca.crt": authority.certificate },
          }),
        ],
        [80, 90, 443],
      );
    });

    after(async () => {
      await gateway?.stop();
      for (const [, server] of servers) server.close();
    });

    const does = shows ? "reaches" : "does not reach";

    it(`${does} that of an HTTPRoute`, async () => {
      const { status, body } = await send({ port: gateway.portOf(80), host: "web.test" }, "/");
      assert.equal(status, shows ? 200 : 503, body);
      if (shows) assert.equal(body, expected);
    });

    it(`${does} that of a GRPCRoute`, async () => {
      const client = connectHttp2(`http://127.0.0.1:${gateway.portOf(80)}`);
      const stream = client.request({
        ":method": "POST",
        ":path": "/echo.Echo/One",
        ":authority": "grpc.test",
        "content-type": "application/grpc",
        te: "trailers",
      });
      stream.end();
      const [headers] = (await once(stream, "response")) as [Readonly<Record<string, string | undefined>>];
      client.destroy();
      if (shows) assert.equal(headers["x-peer"], expected);
      else assert.equal(headers["grpc-status"], "14");
    });

    it(`${does} that of a TLSRoute whose TLS has ended`, async () => {
      const target = { host: "127.0.0.1", port: gateway.portOf(443), servername: "connections.test" };
      assert.equal(await heard(connectTls({ ...target, rejectUnauthorized: false })), shows ? expected : "");
    });

    it(`${does} that of a TCPRoute`, async () => {
      assert.equal(await heard(connectTcp(gateway.portOf(90), "127.0.0.1")), shows ? expected : "");
    });
  });
}
