// HTTPS listeners by effect: the certificate follows the name that is asked for and the Secret as it changes; a broken one costs one listener.
import assert from "node:assert/strict";
import { connect } from "node:tls";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { makeCertificate } from "../support/certificates.ts";
import { send } from "../support/http-client.ts";
import { gatewayClass, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone } from "./support/standalone.ts";

const names = { one: "one.example.com", wild: "*.wild.example.com", bad: "bad.example.com" } as const;

const secret = (name: string, { certificate, privateKey }: { certificate: string; privateKey: string }) => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: team-a}
type: kubernetes.io/tls
data:
  tls.crt: ${Buffer.from(certificate).toString("base64")}
  tls.key: ${Buffer.from(privateKey).toString("base64")}`;

const listener = (name: string, port: number, hostname: string, secretName: string) =>
  `  - {name: ${name}, port: ${port}, protocol: HTTPS, hostname: "${hostname}", tls: {certificateRefs: [{name: ${secretName}}]}}`;

/** The fingerprint of the certificate that a server shows for a name, or the error. */
const shown = (port: number, servername: string) =>
  new Promise<string>((resolve) => {
    const socket = connect({ host: "127.0.0.1", port, servername, rejectUnauthorized: false }, () => {
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      resolve(fingerprint256);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => resolve(`error: ${error.code ?? error.message}`));
  });

const until = async (accept: () => Promise<boolean>) => {
  const deadline = Date.now() + 15_000;
  while (!(await accept())) {
    if (Date.now() > deadline) throw new Error("not within 15 s");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};

describe("HTTPS listeners, by effect", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  let backend: EchoBackend;
  const certificates = {
    one: makeCertificate({ dnsNames: [names.one] }),
    wild: makeCertificate({ dnsNames: [names.wild] }),
    other: makeCertificate({ dnsNames: [names.bad] }),
  };
  const mixed = { certificate: certificates.other.certificate, privateKey: certificates.one.privateKey };
  const get = (host: string, ca: string) => send({ port, host, tls: { ca } }, "/");

  before(async () => {
    backend = await startEchoBackend("one");
    port = await freePort();
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
  listeners:
${listener("one", port, names.one, "one")}
${listener("wild", port, names.wild, "wild")}
${listener("bad", port, names.bad, "mixed")}`,
        ),
        "one.yaml": secret("one", certificates.one),
        "secrets.yaml": joinDocuments(secret("wild", certificates.wild), secret("mixed", mixed)),
        "routes.yaml": joinDocuments(
          service("one", [backend]),
          httpRoute("all", undefined, "  rules: [{backendRefs: [{name: one, port: 80}]}]"),
        ),
      },
    });
    await gateway.statusWhen(
      "Gateway",
      "team-a",
      "gw",
      ({ status }) =>
        status.listeners?.some(({ conditions }) => hasCondition(conditions, "Programmed", "True")) ?? false,
    );
    await until(
      async () => (await get(names.one, certificates.one.certificate).catch(() => undefined))?.status === 200,
    );
  });

  after(async () => {
    await gateway?.close();
    await backend.close();
  });

  it("shows each name its certificate, and serves", async () => {
    const one = await get(names.one, certificates.one.certificate);
    assert.equal(one.status, 200);
    assert.equal(one.echo?.headers["x-forwarded-proto"], "https");
    assert.equal((await get("a.wild.example.com", certificates.wild.certificate)).status, 200);
    assert.notEqual(await shown(port, names.one), await shown(port, "a.wild.example.com"));
  });

  it("leaves out the listener whose key does not fit, says so, and serves the others", async () => {
    assert.match(await shown(port, names.bad), /^error/, "no handshake");
    const { status } = await gateway.statusWhen("Gateway", "team-a", "gw", () => true);
    const bad = status.listeners?.find(({ name }) => name === "bad");
    assert.ok(hasCondition(bad?.conditions, "ResolvedRefs", "False", "InvalidCertificateRef"), JSON.stringify(bad));
    assert.ok(hasCondition(bad?.conditions, "Programmed", "False"));
    assert.ok(!gateway.output().includes("PRIVATE KEY"));
  });

  it("takes a renewed certificate without dropping what is served", async () => {
    const before = await shown(port, names.one);
    const renewed = makeCertificate({ dnsNames: [names.one] });
    await gateway.write("one.yaml", secret("one", renewed));
    await until(async () => {
      assert.doesNotMatch(await shown(port, names.one), /^error/);
      return (await shown(port, names.one)) !== before;
    });
    assert.equal((await get(names.one, renewed.certificate)).status, 200);
  });

  it("heals when the Secret is mended", async () => {
    await gateway.write(
      "secrets.yaml",
      joinDocuments(secret("wild", certificates.wild), secret("mixed", certificates.other)),
    );
    await until(
      async () => (await get(names.bad, certificates.other.certificate).catch(() => undefined))?.status === 200,
    );
    await gateway.statusWhen(
      "Gateway",
      "team-a",
      "gw",
      ({ status }) =>
        status.listeners?.every(({ conditions }) => hasCondition(conditions, "Programmed", "True")) ?? false,
    );
  });

  it("answers 421 on a connection that was made for a neighbour", async () => {
    const { status } = await send(
      { port, host: names.bad, tls: { ca: certificates.wild.certificate, serverName: "a.wild.example.com" } },
      "/",
    );
    assert.equal(status, 421);
  });
});
