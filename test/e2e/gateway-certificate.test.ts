// The certificate that a Gateway shows to backends, as it comes, is renewed and goes: no request fails on the way.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, startLoad } from "../support/http-client.ts";
import { gatewayClass, joinDocuments } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const authority = makeCertificate({ dnsNames: ["authority"], authority: true });
const backendCertificate = makeCertificate({ dnsNames: ["backend.example.com"], issuer: authority });
const [first, second] = [
  makeCertificate({ dnsNames: ["first"], issuer: authority }),
  makeCertificate({ dnsNames: ["second"], issuer: authority }),
];

const secret = ({ certificate, privateKey }: Certificate) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "own", namespace: "team-a" },
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": certificate, "tls.key": privateKey },
  });

const gatewayAt = (name: string, port: number, tls = "") => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: ${name}, namespace: team-a}
spec:
  gatewayClassName: gatewright
  ${tls}
  listeners: [{name: http, port: ${port}, protocol: HTTP}]`;

const showing = "tls: {backend: {clientCertificateRef: {name: own}}}";

describe("a Gateway's own certificate, by effect", function () {
  this.timeout(120_000);
  let server: Server;
  let gateway: Standalone;
  let shown: number;
  let other: number;
  const host = "app.test";

  /** The backend answers with the name of who has come. */
  const seen = (port: number, name: string) =>
    eventually({ port, host }, "/", ({ status, body }) => status === 200 && body === name, { withinMs: 20_000 });

  before(async () => {
    server = createServer(
      {
        cert: backendCertificate.certificate,
        key: backendCertificate.privateKey,
        ca: authority.certificate,
        requestCert: true,
        rejectUnauthorized: false,
      },
      ({ socket }, response) => {
        // A connection for each request: what is shown is shown when a connection begins.
        response.setHeader("connection", "close");
        const { subject } = (socket as TLSSocket).getPeerCertificate();
        response.end(subject === undefined ? "nobody" : String(subject.CN));
      },
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    [shown, other] = [await freePort(), await freePort()];
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(gatewayClass, gatewayAt("gw", shown)),
        "other.yaml": gatewayAt("other", other),
        "app.yaml": `
apiVersion: v1
kind: Service
metadata: {name: app, namespace: team-a}
spec: {ports: [{name: tls, port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: app, namespace: team-a, labels: {kubernetes.io/service-name: app}}
addressType: IPv4
ports: [{name: tls, port: ${port}}]
endpoints: [{addresses: ["127.0.0.1"], conditions: {ready: true}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: app, namespace: team-a}
spec:
  targetRefs: [{group: "", kind: Service, name: app}]
  validation: {hostname: backend.example.com, caCertificateRefs: [{group: "", kind: ConfigMap, name: authority}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: app, namespace: team-a}
spec: {parentRefs: [{name: gw}, {name: other}], rules: [{backendRefs: [{name: app, port: 443}]}]}
---
${JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "authority", namespace: "team-a" },
  data: { "ca.crt": authority.certificate },
})}`,
      },
    });
    await seen(shown, "nobody");
    await seen(other, "nobody");
  });

  after(async () => {
    await gateway?.close();
    server?.close();
    server?.closeAllConnections();
  });

  it("is shown by that Gateway alone, renewed in place, and shown no more when it goes", async () => {
    const loads = [shown, other].map((port) => startLoad({ port, host }, "/"));
    await gateway.write("gateway.yaml", joinDocuments(gatewayClass, gatewayAt("gw", shown, showing)));
    await gateway.statusWhen("Gateway", "team-a", "gw", ({ status }) =>
      hasCondition(status.conditions, "ResolvedRefs", "False", "InvalidClientCertificateRef"),
    );
    await gateway.write("secret.yaml", secret(first));
    await seen(shown, "first");
    await seen(other, "nobody");
    await gateway.write("secret.yaml", secret(second));
    await seen(shown, "second");
    await gateway.remove("secret.yaml");
    await seen(shown, "nobody");
    await seen(other, "nobody");
    for (const load of loads) {
      const outcomes = await load.stop();
      assert.deepEqual([...outcomes.keys()], ["200"], JSON.stringify([...outcomes]));
    }
  });
});
