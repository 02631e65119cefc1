// What users have reported of references: a filter on a GRPCRoute that nobody knows, and authorities that are exchanged without anybody noticing.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer as createHttp2Server } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import type { Server } from "node:net";
import { makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { eventually } from "../support/http-client.ts";
import { reference, stamp } from "./support/bad-rules.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const portOf = (server: Pick<Server, "address">): number => {
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return address.port;
};

describe("what users reported against others, of references", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  beforeEach(async () => {
    port = await freePort();
  });
  afterEach(() => gateway?.close());

  it("knows HTTPFilters on GRPCRoutes as on HTTPRoutes: missing, there, and gone again", async () => {
    const backend = createHttp2Server();
    backend.on("stream", (stream) => {
      stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.resume().end();
    });
    backend.listen(0, "127.0.0.1");
    await once(backend, "listening");
    const say = (method: string) =>
      new Promise<string>((resolve, reject) => {
        const session = connect(`http://127.0.0.1:${port}`);
        session.on("error", reject);
        const call = session.request({
          ":method": "POST",
          ":path": `/demo.Echo/${method}`,
          ":authority": "rpc.example.com",
          "content-type": "application/grpc",
          te: "trailers",
        });
        let told = "";
        call.on(
          "response",
          (headers) =>
            (told = `${headers[":status"]} ${String(headers["grpc-status"] ?? "")} ${String(headers["x-stamp"])}`),
        );
        call.on("trailers", (trailers) => (told += ` ${String(trailers["grpc-status"])}`));
        call.on("error", reject);
        call.on("close", () => {
          session.close();
          resolve(told);
        });
        call.resume().end();
      });
    const until = async (method: string, expected: string) => {
      const deadline = Date.now() + 15_000;
      let last = "";
      while ((last = await say(method).catch(String)) !== expected) {
        assert.ok(Date.now() < deadline, `${method}: ${last}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    try {
      const route = `
apiVersion: gateway.networking.k8s.io/v1
kind: GRPCRoute
metadata: {name: rpc, namespace: team-a}
spec:
  parentRefs: [{name: gw}]
  hostnames: [rpc.example.com]
  rules:
  - matches: [{method: {service: demo.Echo, method: Say}}]
    filters: [${reference("config.aether.io", "HTTPFilter", "stamp")}]
    backendRefs: [{name: app, port: 80}]
  - matches: [{method: {service: demo.Echo, method: Plain}}]
    backendRefs: [{name: app, port: 80}]`;
      gateway = await startStandalone({
        files: {
          "base.yaml": joinDocuments(gatewayClass, httpGateway(port), service("app", [{ port: portOf(backend) }])),
          "route.yaml": route,
        },
      });
      const plain = "200  undefined 0";
      const failing = "200 14 undefined";
      const stamped = "200  1 0";
      await until("Plain", plain);
      for (let times = 0; times < 2; times++) {
        await until("Say", failing);
        await gateway.statusWhen("GRPCRoute", "team-a", "rpc", ({ status }) =>
          hasCondition(status.parents?.[0]?.conditions, "ResolvedRefs", "False"),
        );
        assert.equal(await say("Plain"), plain);
        await gateway.write("stamp.yaml", stamp("stamp"));
        await until("Say", stamped);
        await gateway.remove("stamp.yaml");
      }
      await until("Say", failing);
      assert.equal(await say("Plain"), plain);
    } finally {
      backend.close();
    }
  });

  it("follows the authorities of a backend as they are exchanged, deleted and made again, and never speaks to it without", async () => {
    const issue = () => {
      const authority = makeCertificate({ dnsNames: ["ca.example.com"], authority: true });
      return { authority, leaf: makeCertificate({ dnsNames: ["app.internal.example.com"], issuer: authority }) };
    };
    const [first, second] = [issue(), issue()];
    let plainText = 0;
    const backend = createHttpsServer(
      { cert: first.leaf.certificate, key: first.leaf.privateKey },
      (_, response) => void response.end("secured"),
    );
    backend.on("tlsClientError", (error) => {
      if (/http request|wrong version/i.test(error.message)) plainText++;
    });
    backend.listen(0, "127.0.0.1");
    await once(backend, "listening");
    const authorities = (name: string, certificate: string) => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: team-a}
data: {ca.crt: ${JSON.stringify(certificate)}}`;
    const policy = `
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: app-tls, namespace: team-a}
spec:
  targetRefs: [{group: "", kind: Service, name: app, sectionName: http}]
  validation:
    hostname: app.internal.example.com
    caCertificateRefs: [{group: "", kind: ConfigMap, name: app-ca}]`;
    const answers = (status: number) =>
      eventually({ port, host: "app.example.com" }, "/", (answer) => answer.status === status);
    const trusts = ({ authority }: typeof first) =>
      gateway.write("ca.yaml", authorities("app-ca", authority.certificate));
    const policySays = (type: string, status: string, reason?: string) =>
      gateway.statusWhen("BackendTLSPolicy", "team-a", "app-tls", (file) =>
        hasCondition(file.status.ancestors?.[0]?.conditions, type, status, reason),
      );
    try {
      gateway = await startStandalone({
        files: {
          "base.yaml": joinDocuments(
            gatewayClass,
            httpGateway(port),
            service("app", [{ port: portOf(backend) }]),
            policy,
          ),
          "ca.yaml": authorities("app-ca", first.authority.certificate),
          "route.yaml": httpRoute("app", "app.example.com", "  rules: [{backendRefs: [{name: app, port: 80}]}]"),
        },
      });
      await answers(200);
      await trusts(second);
      await answers(503);
      backend.setSecureContext({ cert: second.leaf.certificate, key: second.leaf.privateKey });
      await answers(200);
      await trusts(first);
      await answers(503);
      await trusts(second);
      await answers(200);
      await gateway.remove("ca.yaml");
      await policySays("ResolvedRefs", "False", "InvalidCACertificateRef");
      await policySays("Accepted", "False", "NoValidCACertificate");
      const { status } = await eventually({ port, host: "app.example.com" }, "/", (answer) => answer.status >= 500);
      assert.ok(status >= 500);
      await gateway.stop();
      await gateway.start();
      await eventually({ port, host: "app.example.com" }, "/", (answer) => answer.status >= 500);
      await trusts(second);
      await answers(200);
      await policySays("ResolvedRefs", "True");
      assert.equal(plainText, 0, "nothing was ever said without TLS");
    } finally {
      backend.closeAllConnections();
      backend.close();
    }
  });
});
