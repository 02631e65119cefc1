// Certificates of authorities that change while they are in use: trust follows, nothing fails on the way, and nobody is spoken to whom nobody vouches for.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send, startLoad } from "../support/http-client.ts";
import { startTlsBackend, type TlsBackend } from "../support/tls-backend.ts";
import { askByTls } from "../support/tls-client.ts";
import { gatewayClass, joinDocuments } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const authority = (name: string) => makeCertificate({ dnsNames: [name], authority: true });
const [older, newer] = [authority("older"), authority("newer")];
const issued = (issuer: Certificate, name = "backend.example.com") => makeCertificate({ dnsNames: [name], issuer });

const configMap = (name: string, ...authorities: readonly Certificate[]) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "team-a" },
    data: { "ca.crt": authorities.map(({ certificate }) => certificate).join("") },
  });

const secureService = (name: string, port: number) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: team-a}
spec: {ports: [{name: tls, port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}, namespace: team-a, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: tls, port: ${port}}]
endpoints: [{addresses: ["127.0.0.1"], conditions: {ready: true}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: ${name}, namespace: team-a}
spec:
  targetRefs: [{group: "", kind: Service, name: ${name}}]
  validation: {hostname: backend.example.com, caCertificateRefs: [{group: "", kind: ConfigMap, name: backends}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: team-a}
spec: {parentRefs: [{name: gw}], hostnames: [${name}.test], rules: [{backendRefs: [{name: ${name}, port: 443}]}]}`;

describe("certificates of authorities that change, by effect", function () {
  this.timeout(180_000);
  let gateway: Standalone;
  let http: number;
  let https: number;
  let app: TlsBackend;
  let stale: TlsBackend;
  const client = { older: issued(older, "client"), newer: issued(newer, "client") };

  const statusOf = (name: string, status: number) =>
    eventually({ port: http, host: `${name}.test` }, "/", (answer) => answer.status === status, { withinMs: 20_000 });
  const ask = (shows: Certificate, session?: Buffer) =>
    askByTls({ port: https, host: "app.test", shows, ...(session && { session }), maxVersion: "TLSv1.2" });
  const until = async (accept: () => Promise<boolean>) => {
    const deadline = Date.now() + 20_000;
    while (!(await accept())) {
      assert.ok(Date.now() < deadline, "not within 20 s");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const admits = (shows: Certificate) => until(async () => (await ask(shows)).answer === "200");
  const refuses = (shows: Certificate) => until(async () => (await ask(shows)).answer.startsWith("error"));

  before(async () => {
    app = await startTlsBackend(issued(older));
    stale = await startTlsBackend(issued(older));
    [http, https] = [await freePort(), await freePort()];
    const server = makeCertificate({ dnsNames: ["app.test"] });
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(
          gatewayClass,
          `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: team-a}
spec:
  gatewayClassName: gatewright
  tls: {frontend: {default: {validation: {caCertificateRefs: [{group: "", kind: ConfigMap, name: clients}]}}}}
  listeners:
  - {name: http, port: ${http}, protocol: HTTP}
  - {name: https, port: ${https}, protocol: HTTPS, tls: {certificateRefs: [{name: server}]}}`,
          JSON.stringify({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "server", namespace: "team-a" },
            type: "kubernetes.io/tls",
            stringData: { "tls.crt": server.certificate, "tls.key": server.privateKey },
          }),
        ),
        "app.yaml": secureService("app", app.port),
        "stale.yaml": secureService("stale", stale.port),
        "backends.yaml": configMap("backends", older),
        "clients.yaml": configMap("clients", older),
      },
    });
    await statusOf("app", 200);
    await admits(client.older);
  });

  after(async () => {
    await gateway?.close();
    app?.close();
    stale?.close();
  });

  it("backends move from one authority to another, and no request fails", async () => {
    await statusOf("stale", 200);
    const load = startLoad({ port: http, host: "app.test" }, "/");
    // The additive step is seen by a backend that has moved on already.
    stale.show(issued(newer));
    await gateway.write("backends.yaml", configMap("backends", older, newer));
    await gateway.write("probe.yaml", secureService("probe", stale.port));
    await statusOf("probe", 200);
    app.show(issued(newer));
    stale.show(issued(older));
    await gateway.write("backends.yaml", configMap("backends", newer));
    await statusOf("stale", 503);
    const answers = load.answers();
    await until(async () => load.answers() > answers + 50);
    const outcomes = await load.stop();
    assert.deepEqual([...outcomes.keys()], ["200"], JSON.stringify([...outcomes]));
  });

  it("nobody is spoken to without an authority, also after a restart, and all heals when it is back", async () => {
    await statusOf("app", 200);
    await gateway.remove("backends.yaml");
    await statusOf("app", 503);
    for (let i = 0; i < 20; i++) assert.equal((await send({ port: http, host: "app.test" }, "/")).status, 503);
    await gateway.statusWhen("BackendTLSPolicy", "team-a", "app", ({ status }) =>
      (status.ancestors ?? []).some(({ conditions }) =>
        hasCondition(conditions, "Accepted", "False", "NoValidCACertificate"),
      ),
    );
    await gateway.stop();
    await gateway.start();
    await statusOf("app", 503);
    assert.equal((await send({ port: http, host: "app.test" }, "/")).status, 503);
    await gateway.write("backends.yaml", configMap("backends", newer));
    await statusOf("app", 200);
    assert.equal(app.plaintext() + stale.plaintext(), 0);
  });

  it("clients move from one authority to another, and no session outlives its authority", async () => {
    const { sessions } = await ask(client.older);
    const { certificate: cert, privateKey: key } = client.older;
    const agent = new Agent({ keepAlive: true, maxSockets: 1, cert, key, rejectUnauthorized: false });
    const askOnIt = async () => {
      const [response] = (await once(
        request({ port: https, headers: { host: "app.test" }, agent }).end(),
        "response",
      )) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      return response.statusCode;
    };
    assert.equal(await askOnIt(), 200);
    await gateway.write("clients.yaml", configMap("clients", older, newer));
    await admits(client.newer);
    assert.equal((await ask(client.older)).answer, "200");
    await gateway.write("clients.yaml", configMap("clients", newer));
    await refuses(client.older);
    for (const session of sessions) assert.match((await ask(client.older, session)).answer, /^error/);
    assert.equal((await ask(client.newer)).answer, "200");
    // A connection of old is not cut, and asked to end with its next answer.
    await until(() =>
      askOnIt().then(
        () => false,
        () => true,
      ),
    );
    agent.destroy();
  });

  it("no client is let in without an authority, and all heals when it is back", async () => {
    await gateway.remove("clients.yaml");
    await refuses(client.newer);
    assert.match((await askByTls({ port: https, host: "app.test" })).answer, /^error/);
    await gateway.statusWhen("Gateway", "team-a", "gw", ({ status }) =>
      (status.listeners ?? []).some(
        ({ name, conditions }) =>
          name === "https" && hasCondition(conditions, "Accepted", "False", "NoValidCACertificate"),
      ),
    );
    await statusOf("app", 200);
    await gateway.write("clients.yaml", configMap("clients", newer));
    await admits(client.newer);
    await refuses(client.older);
  });
});
