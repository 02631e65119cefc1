// ClusterTrustBundles (GEP-5075) by effect: whom backends and clients are known by, while bundles change, go and come back.
import assert from "node:assert/strict";
import { request } from "node:http";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send, startLoad } from "../support/http-client.ts";
import { startTlsBackend, type TlsBackend } from "../support/tls-backend.ts";
import { askByTls } from "../support/tls-client.ts";
import { gatewayClass, joinDocuments } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const authority = (name: string) => makeCertificate({ dnsNames: [name], authority: true });
const [older, newer, stranger] = ["older", "newer", "stranger"].map(authority);
assert.ok(older && newer && stranger);
const issued = (issuer: Certificate, name = "backend.example.com") => makeCertificate({ dnsNames: [name], issuer });

/** As the seed of GEP-5075 spells it: a bundle of a signer. */
const signed = "example.com:internal-signer:v1";
const bundle = (name: string, ...authorities: readonly Certificate[]) => {
  const signer = name.split(":").slice(0, -1).join("/");
  const trustBundle = authorities.map(({ certificate }, index) => `# authority ${index}\n${certificate}`).join("\n");
  return JSON.stringify({
    apiVersion: "certificates.k8s.io/v1",
    kind: "ClusterTrustBundle",
    metadata: { name },
    spec: { ...(signer !== "" && { signerName: signer }), trustBundle },
  });
};

const released = (name: string) =>
  `caCertificateRefs: [{group: certificates.k8s.io, kind: ClusterTrustBundle, name: "${name}"}]`;
const overlaid = (name: string) => `clusterTrustBundleRef: {name: "${name}"}`;

type Backed = { readonly namespace?: string; readonly hostname?: string };

/** A Service with a policy and a route of its name, whose host is `name.test`. */
const secureService = (name: string, port: number, trust: string, { namespace = "apps", hostname }: Backed = {}) => `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {ports: [{name: tls, port: 443}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: tls, port: ${port}}]
endpoints: [{addresses: ["127.0.0.1"], conditions: {ready: true}}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: BackendTLSPolicy
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  targetRefs: [{group: "", kind: Service, name: ${name}}]
  validation: {hostname: ${hostname ?? "backend.example.com"}, ${trust}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  parentRefs: [{name: gw, namespace: infra}]
  hostnames: [${name}.test]
  rules: [{backendRefs: [{name: ${name}, port: 443}]}]`;

const many = Array.from({ length: 50 }, (_, index) => ({ name: `many-${index}`, namespace: `tenant-${index % 25}` }));

describe("ClusterTrustBundles, by effect", function () {
  this.timeout(240_000);
  let gateway: Standalone;
  let backends: { readonly [name in "app" | "stale" | "last" | "strange"]: TlsBackend };
  let [http, admin, alone, beside, half, nobody, anybody] = [0, 0, 0, 0, 0, 0, 0];
  const clients = { older: issued(older, "client"), newer: issued(newer, "client"), own: issued(stranger, "client") };

  const statusOf = (name: string, status: number) =>
    eventually({ port: http, host: `${name}.test` }, "/", (answer) => answer.status === status, { withinMs: 20_000 });
  const ask = (port: number, shows?: Certificate, session?: Buffer) =>
    askByTls({ port, host: "app.test", ...(shows && { shows }), ...(session && { session }), maxVersion: "TLSv1.2" });
  const until = async (accept: () => Promise<boolean>) => {
    const deadline = Date.now() + 20_000;
    while (!(await accept())) {
      assert.ok(Date.now() < deadline, "not within 20 s");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const admits = (port: number, shows: Certificate) => until(async () => (await ask(port, shows)).answer === "200");
  const refuses = (port: number, shows: Certificate) =>
    until(async () => (await ask(port, shows)).answer.startsWith("error"));
  const policyWhen = (name: string, type: string, status: string, reason: string, namespace = "apps") =>
    gateway.statusWhen("BackendTLSPolicy", namespace, name, (file) =>
      (file.status.ancestors ?? []).some(({ conditions }) => hasCondition(conditions, type, status, reason)),
    );
  const listenerWhen = (name: string, type: string, status: string, reason: string) =>
    gateway.statusWhen("Gateway", "infra", "gw", (file) =>
      (file.status.listeners ?? []).some(
        (listener) => listener.name === name && hasCondition(listener.conditions, type, status, reason),
      ),
    );

  before(async () => {
    backends = {
      app: await startTlsBackend(issued(older)),
      stale: await startTlsBackend(issued(older)),
      last: await startTlsBackend(issued(newer)),
      strange: await startTlsBackend(issued(stranger)),
    };
    [http, admin, alone] = [await freePort(), await freePort(), await freePort()];
    [beside, half, nobody, anybody] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const server = makeCertificate({ dnsNames: ["app.test"] });
    const listener = (name: string, port: number) =>
      `  - {name: ${name}, port: ${port}, protocol: HTTPS, tls: {certificateRefs: [{name: server}]}, allowedRoutes: {namespaces: {from: All}}}`;
    const configMap = '{group: "", kind: ConfigMap, name: own}';
    const refs = (...names: readonly string[]) =>
      [...names.map((name) => `{group: certificates.k8s.io, kind: ClusterTrustBundle, name: ${name}}`), configMap].join(
        ", ",
      );
    gateway = await startStandalone({
      args: ["--admin-port", String(admin)],
      files: {
        "gateway.yaml": joinDocuments(
          gatewayClass,
          `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: infra}
spec:
  gatewayClassName: gatewright
  tls:
    frontend:
      default: {validation: {${released("clients")}}}
      perPort:
      - {port: ${beside}, tls: {validation: {caCertificateRefs: [${refs("clients")}]}}}
      - {port: ${half}, tls: {validation: {caCertificateRefs: [${refs("nowhere")}]}}}
      - {port: ${nobody}, tls: {validation: {mode: AllowInsecureFallback, ${released("nowhere")}}}}
      - {port: ${anybody}, tls: {validation: {mode: AllowInsecureFallback, ${released("clients")}}}}
  listeners:
  - {name: http, port: ${http}, protocol: HTTP, allowedRoutes: {namespaces: {from: All}}}
${listener("alone", alone)}
${listener("beside", beside)}
${listener("half", half)}
${listener("nobody", nobody)}
${listener("anybody", anybody)}`,
          JSON.stringify({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name: "server", namespace: "infra" },
            type: "kubernetes.io/tls",
            stringData: { "tls.crt": server.certificate, "tls.key": server.privateKey },
          }),
          JSON.stringify({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "own", namespace: "infra" },
            data: { "ca.crt": stranger.certificate },
          }),
        ),
        "app.yaml": joinDocuments(
          secureService("app", backends.app.port, released(signed)),
          secureService("seed", backends.app.port, overlaid(signed), { namespace: "dev-ana" }),
          secureService("stale", backends.stale.port, released(signed), { namespace: "other" }),
          secureService("both-first", backends.stale.port, released("both")),
          secureService("both-last", backends.last.port, released("both")),
          secureService("strange", backends.strange.port, released(signed)),
          secureService("misnamed", backends.app.port, released(signed), { hostname: "wrong.example.com" }),
          secureService("missing", backends.app.port, released("nowhere")),
        ),
        "both.yaml": bundle("both", older, newer),
        "signed.yaml": bundle(signed, older),
        "clients.yaml": bundle("clients", older),
      },
    });
    await statusOf("app", 200);
    await admits(alone, clients.older);
  });

  after(async () => {
    await gateway?.close();
    for (const backend of Object.values(backends ?? {})) backend.close();
  });

  it("backends are known by any of a bundle's authorities, from any namespace, in both forms", async () => {
    for (const name of ["app", "seed", "stale", "both-first", "both-last"]) await statusOf(name, 200);
    await policyWhen("app", "ResolvedRefs", "True", "ResolvedRefs");
    await policyWhen("seed", "Accepted", "True", "Accepted", "dev-ana");
  });

  it("nobody else is spoken to, and nobody without TLS or by the system's authorities", async () => {
    const before = Object.values(backends).map((backend) => backend.requests());
    for (const name of ["strange", "misnamed", "missing"]) {
      await statusOf(name, 503);
      for (let time = 0; time < 5; time++)
        assert.equal((await send({ port: http, host: `${name}.test` }, "/")).status, 503);
    }
    await policyWhen("missing", "ResolvedRefs", "False", "InvalidCACertificateRef");
    await policyWhen("missing", "Accepted", "False", "NoValidCACertificate");
    assert.deepEqual(
      Object.values(backends).map((backend) => backend.requests()),
      before,
    );
    assert.ok(Object.values(backends).every((backend) => backend.plaintext() === 0));
  });

  it("authorities of backends rotate, old, both, new, and no request fails", async () => {
    const load = startLoad({ port: http, host: "app.test" }, "/");
    // The additive step is seen by a backend that has moved on already.
    backends.stale.show(issued(newer));
    await gateway.write("signed.yaml", bundle(signed, older, newer));
    await gateway.write("probe.yaml", secureService("probe", backends.stale.port, released(signed)));
    await statusOf("probe", 200);
    backends.app.show(issued(newer));
    backends.stale.show(issued(older));
    await gateway.write("signed.yaml", bundle(signed, newer));
    await statusOf("stale", 503);
    const answers = load.answers();
    await until(async () => load.answers() > answers + 50);
    const outcomes = await load.stop();
    assert.deepEqual([...outcomes.keys()], ["200"], JSON.stringify([...outcomes]));
  });

  it("a bundle that is gone counts for nothing, also after a restart, until it is back", async () => {
    await statusOf("app", 200);
    await gateway.remove("signed.yaml");
    await statusOf("app", 503);
    await statusOf("seed", 503);
    await policyWhen("app", "ResolvedRefs", "False", "InvalidCACertificateRef");
    await policyWhen("seed", "Accepted", "False", "NoValidCACertificate", "dev-ana");
    const before = backends.app.requests();
    for (let time = 0; time < 20; time++) assert.equal((await send({ port: http, host: "app.test" }, "/")).status, 503);
    // Envoys end with the command, and begin anew.
    await gateway.stop("SIGKILL");
    await gateway.start();
    await statusOf("both-last", 200);
    await statusOf("app", 503);
    assert.equal(backends.app.requests(), before);
    await gateway.write("signed.yaml", bundle(signed, newer));
    await statusOf("app", 200);
    await policyWhen("app", "ResolvedRefs", "True", "ResolvedRefs");
    assert.equal(backends.app.plaintext(), 0);
  });

  it("another bundle of the same name is another bundle, however quickly it comes", async () => {
    await gateway.remove("signed.yaml");
    await gateway.write("signed.yaml", bundle(signed, older));
    await statusOf("stale", 200);
    await statusOf("app", 503);
    await gateway.write("signed.yaml", bundle(signed, newer));
    await statusOf("app", 200);
  });

  it("clients are let in by a bundle, alone and beside a ConfigMap, and by nothing else", async () => {
    const answers = async (port: number) =>
      Promise.all(
        [clients.older, clients.newer, clients.own, undefined].map(async (shows) => (await ask(port, shows)).answer),
      );
    const shape = (given: readonly string[]) =>
      given.map((answer) => (answer.startsWith("error") ? "refused" : answer));
    assert.deepEqual(shape(await answers(alone)), ["200", "refused", "refused", "refused"]);
    assert.deepEqual(shape(await answers(beside)), ["200", "refused", "200", "refused"]);
    assert.deepEqual(shape(await answers(half)), ["refused", "refused", "200", "refused"]);
    assert.deepEqual(shape(await answers(nobody)), ["refused", "refused", "refused", "refused"]);
    assert.deepEqual(shape(await answers(anybody)), ["200", "200", "200", "200"]);
    await listenerWhen("alone", "ResolvedRefs", "True", "ResolvedRefs");
    await listenerWhen("half", "ResolvedRefs", "False", "InvalidCACertificateRef");
    await listenerWhen("half", "Accepted", "True", "Accepted");
    await listenerWhen("nobody", "Accepted", "False", "NoValidCACertificate");
    await listenerWhen("nobody", "Programmed", "False", "Invalid");
  });

  it("a bundle for clients changes, goes and comes back, and no session outlives it", async () => {
    const { sessions } = await ask(alone, clients.older);
    await gateway.write("clients.yaml", bundle("clients", newer));
    await refuses(alone, clients.older);
    for (const session of sessions) assert.match((await ask(alone, clients.older, session)).answer, /^error/);
    await admits(alone, clients.newer);
    const later = (await ask(alone, clients.newer)).sessions;
    await gateway.remove("clients.yaml");
    await refuses(alone, clients.newer);
    await listenerWhen("alone", "Accepted", "False", "NoValidCACertificate");
    await listenerWhen("beside", "ResolvedRefs", "False", "InvalidCACertificateRef");
    await until(async () => (await ask(beside, clients.newer)).answer.startsWith("error"));
    assert.equal((await ask(beside, clients.own)).answer, "200");
    for (const session of later) assert.match((await ask(alone, clients.newer, session)).answer, /^error/);
    assert.equal((await send({ port: http, host: "app.test" }, "/")).status, 200);
    await gateway.write("clients.yaml", bundle("clients", newer));
    await admits(alone, clients.newer);
    await refuses(alone, clients.older);
  });

  it("is one secret for all who name it, and one change of it reaches all", async () => {
    const [first, second] = [authority("first"), authority("second")];
    const backend = await startTlsBackend(issued(first));
    await gateway.write("shared.yaml", bundle("shared", first));
    await gateway.write(
      "many.yaml",
      joinDocuments(
        ...many.map(({ name, namespace }) => secureService(name, backend.port, released("shared"), { namespace })),
      ),
    );
    for (const { name } of many) await statusOf(name, 200);
    const countOf = async ({ certificate }: Certificate) =>
      (await trustedBy(admin)).filter((text) => text === certificate).length;
    assert.equal(await countOf(first), 1);
    backend.show(issued(second));
    await gateway.write("shared.yaml", bundle("shared", second));
    for (const { name } of many) await statusOf(name, 200);
    assert.equal(await countOf(second), 1);
    await until(async () => (await countOf(first)) === 0);
    backend.close();
  });
});

type Dump = {
  readonly secret: { readonly validation_context?: { readonly trusted_ca: { readonly inline_string: string } } };
};

/** What an Envoy has got of authorities, each secret in PEM. */
function trustedBy(port: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const path = "/config_dump?resource=dynamic_active_secrets";
    const asked = request({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => (body += text));
      response.on("end", () => {
        const { configs = [] }: { readonly configs?: readonly Dump[] } = JSON.parse(body);
        resolve(configs.flatMap(({ secret }) => secret.validation_context?.trusted_ca.inline_string ?? []));
      });
    });
    asked.on("error", reject);
    asked.end();
  });
}
