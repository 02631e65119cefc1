// What users have reported of listeners: certificates, logs and ports that cannot be had cost the listener or the wish at fault, and heal.
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { createServer } from "node:net";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import { type EchoBackend, startEchoBackend } from "../support/echo-backend.ts";
import { freePort } from "../support/free-port.ts";
import { eventually, send } from "../support/http-client.ts";
import { gatewayClass, httpRoute, joinDocuments, service } from "./support/manifests.ts";
import { hasCondition, type Standalone, startStandalone, type StatusFile } from "./support/standalone.ts";

type Pair = { readonly certificate: string | Buffer; readonly privateKey: string };

const secret = (name: string, { certificate, privateKey }: Pair) => `
apiVersion: v1
kind: Secret
metadata: {name: ${name}, namespace: team-a}
type: kubernetes.io/tls
data:
  tls.crt: "${Buffer.from(certificate).toString("base64")}"
  tls.key: "${Buffer.from(privateKey).toString("base64")}"`;

const https = (name: string, port: number, hostname: string, secretName = name) =>
  `  - {name: ${name}, port: ${port}, protocol: HTTPS, hostname: "${hostname}", tls: {certificateRefs: [{name: ${secretName}}]}}`;

const dnsNames = ["case.example.com"] as const;
const sound = makeCertificate({ dnsNames });
const authority = makeCertificate({ dnsNames: ["ca.example.com"], authority: true });
const issued = makeCertificate({ dnsNames, issuer: authority });
const encrypted = ({ keys }: Certificate) =>
  keys.privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "open sesame" }).toString();

/** Secrets as people make them, and what is said of each. */
const badSecrets: readonly { readonly name: string; readonly pair: Pair; readonly says: RegExp }[] = [
  {
    name: "a key of another certificate",
    pair: { ...sound, privateKey: makeCertificate({ dnsNames }).privateKey },
    says: /tls\.key does not fit the certificate/,
  },
  { name: "no certificate", pair: { ...sound, certificate: "" }, says: /has no tls\.crt/ },
  { name: "no key", pair: { ...sound, privateKey: "" }, says: /has no tls\.key/ },
  {
    name: "DER instead of PEM",
    pair: {
      ...sound,
      certificate: Buffer.from(sound.certificate.replaceAll(/-----[A-Z ]+-----/g, ""), "base64"),
    },
    says: /tls\.crt holds no certificate in PEM/,
  },
  {
    name: "half a certificate",
    pair: { ...sound, certificate: sound.certificate.slice(0, 200) },
    says: /tls\.crt is not complete/,
  },
  {
    name: "a key in the certificate's place",
    pair: { ...sound, certificate: sound.privateKey },
    says: /tls\.crt holds no certificate in PEM/,
  },
  { name: "RSA 1024", pair: makeCertificate({ dnsNames, key: { kind: "rsa", bits: 1024 } }), says: /1024 bits/ },
  {
    name: "a key on secp256k1",
    pair: makeCertificate({ dnsNames, key: { kind: "ec", curve: "secp256k1" } }),
    says: /curve secp256k1/,
  },
  {
    name: "a chain in the wrong order",
    pair: { ...issued, certificate: authority.certificate + issued.certificate },
    says: /fits certificate 2 of tls\.crt, which must come first/,
  },
  {
    name: "a key that asks for a password",
    pair: { ...sound, privateKey: encrypted(sound) },
    says: /tls\.key is encrypted/,
  },
];

describe("what users reported against others, of listeners", function () {
  this.timeout(120_000);
  let gateway: Standalone;
  let port: number;
  let httpsPort: number;
  let backend: EchoBackend;
  let markers = 0;
  const fine = makeCertificate({ dnsNames: ["ok.example.com"] });

  const gatewayManifest = (...listeners: readonly string[]) => `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: gw, namespace: team-a}
spec:
  gatewayClassName: gatewright
  listeners:
${[`  - {name: web, port: ${port}, protocol: HTTP}`, https("ok", httpsPort, "ok.example.com"), ...listeners].join("\n")}`;
  const write = (...listeners: readonly string[]) =>
    gateway.write("gateway.yaml", joinDocuments(gatewayClass, gatewayManifest(...listeners)));
  const good = (marker: string) =>
    httpRoute(
      "good",
      undefined,
      `  rules:
  - filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-marker, value: "${marker}"}]}}]
    backendRefs: [{name: one, port: 80}]`,
    );
  /** An edit of the good route shows on both good listeners. */
  const goodTakesAnEdit = async () => {
    const marker = String(++markers);
    await gateway.write("good.yaml", good(marker));
    await eventually({ port, host: "good.example.com" }, "/", ({ headers }) => headers["x-marker"] === marker);
    await eventually(
      { port: httpsPort, host: "ok.example.com", tls: { ca: fine.certificate } },
      "/",
      ({ headers }) => headers["x-marker"] === marker,
    );
  };
  const listenerOf = ({ status }: StatusFile, name: string) =>
    status.listeners?.find((listener) => listener.name === name);
  const statusOf = (accept: (status: StatusFile) => boolean) => gateway.statusWhen("Gateway", "team-a", "gw", accept);
  const isProgrammed = (name: string) =>
    statusOf((file) => hasCondition(listenerOf(file, name)?.conditions, "Programmed", "True"));
  const serves = (host: string, ca: string) =>
    eventually({ port: httpsPort, host, tls: { ca } }, "/", ({ status }) => status === 200);

  before(async () => {
    backend = await startEchoBackend("one");
    [port, httpsPort] = [await freePort(), await freePort()];
    gateway = await startStandalone({
      files: {
        "gateway.yaml": joinDocuments(gatewayClass, gatewayManifest()),
        "base.yaml": joinDocuments(service("one", [backend]), secret("ok", fine)),
        "good.yaml": good("0"),
      },
    });
    await goodTakesAnEdit();
  });

  after(async () => {
    await gateway?.close();
    await backend.close();
  });

  describe("certificates", () => {
    for (const { name, pair, says } of badSecrets)
      it(`costs its listener and heals: ${name}`, async () => {
        await gateway.write("case.yaml", secret("case", pair));
        await write(https("case", httpsPort, "case.example.com"));
        const file = await statusOf((one) => says.test(JSON.stringify(listenerOf(one, "case"))));
        const { conditions } = listenerOf(file, "case") ?? assert.fail();
        assert.ok(hasCondition(conditions, "ResolvedRefs", "False", "InvalidCertificateRef"));
        assert.ok(hasCondition(conditions, "Programmed", "False"));
        assert.ok(hasCondition(listenerOf(file, "ok")?.conditions, "Programmed", "True"));
        await assert.rejects(
          send({ port: httpsPort, host: "case.example.com", tls: { ca: sound.certificate } }, "/"),
          "no handshake",
        );
        await goodTakesAnEdit();
        await gateway.write("case.yaml", secret("case", sound));
        await serves("case.example.com", sound.certificate);
        await isProgrammed("case");
      });

    it("serves one that has expired, and warns", async () => {
      const expired = makeCertificate({
        dnsNames,
        notBefore: new Date("2019-01-01T00:00:00Z"),
        notAfter: new Date("2020-01-01T00:00:00Z"),
      });
      await gateway.write("case.yaml", secret("case", expired));
      await write(https("case", httpsPort, "case.example.com"));
      await statusOf((file) => /the certificate expired at 2020-01-01/.test(JSON.stringify(listenerOf(file, "case"))));
      await assert.rejects(
        send({ port: httpsPort, host: "case.example.com", tls: { ca: expired.certificate } }, "/"),
        /certificate has expired/,
        "the handshake goes as far as the client's own check",
      );
      await isProgrammed("case");
      await goodTakesAnEdit();
    });

    it("serves the good ones after a restart with all bad ones present, and shows no key", async () => {
      const listeners = badSecrets.map((_, index) => https(`bad-${index}`, httpsPort, `bad-${index}.example.com`));
      await gateway.write(
        "case.yaml",
        joinDocuments(...badSecrets.map(({ pair }, index) => secret(`bad-${index}`, pair))),
      );
      await write(...listeners);
      await statusOf((file) => listenerOf(file, `bad-${badSecrets.length - 1}`) !== undefined);
      await gateway.stop();
      await gateway.start();
      await goodTakesAnEdit();
      const file = await isProgrammed("ok");
      for (const [index, { says }] of badSecrets.entries())
        assert.match(JSON.stringify(listenerOf(file, `bad-${index}`)), says);
      const secrets = badSecrets.flatMap(({ pair }) => pair.privateKey.split("\n").slice(1, 2)).filter(Boolean);
      for (const text of [gateway.output(), JSON.stringify(file)])
        for (const line of ["PRIVATE KEY", ...secrets]) assert.ok(!text.includes(line));
      await write();
      await gateway.remove("case.yaml");
    });
  });

  describe("conflicts", () => {
    it("heals the one that stays when the other goes", async () => {
      await gateway.write("case.yaml", secret("case", sound));
      const contended = await freePort();
      const secure = https("secure", contended, "case.example.com", "case");
      await write(`  - {name: plain, port: ${contended}, protocol: HTTP}`, secure);
      await statusOf((file) =>
        ["plain", "secure"].every((name) =>
          hasCondition(listenerOf(file, name)?.conditions, "Conflicted", "True", "ProtocolConflict"),
        ),
      );
      await goodTakesAnEdit();
      await write(secure);
      const file = await isProgrammed("secure");
      assert.ok(hasCondition(listenerOf(file, "secure")?.conditions, "Conflicted", "False"));
      const target = { port: contended, host: "case.example.com", tls: { ca: sound.certificate } };
      await eventually(target, "/", ({ status }) => status === 200);
      await write();
    });
  });

  describe("logs", () => {
    const mesh = (accessLog: string) =>
      joinDocuments(
        gatewayClass.replace(
          "gateway-controller}",
          "gateway-controller, parametersRef: {group: config.aether.io, kind: MeshConfig, name: mesh, namespace: gatewright-system}}",
        ),
        `
apiVersion: config.aether.io/v1
kind: MeshConfig
metadata: {name: mesh, namespace: gatewright-system}
spec: {telemetry: {accessLog: ${accessLog}}}`,
        gatewayManifest(),
      );
    const meshSays = (says: RegExp) =>
      gateway.statusWhen(
        "MeshConfig",
        "gatewright-system",
        "mesh",
        (file) => hasCondition(file.status.conditions, "Accepted", "False") && says.test(JSON.stringify(file.status)),
      );
    /** A request that comes after leaves a line with its path. */
    const isLogged = async (path: string, line: RegExp) => {
      await send({ port, host: "good.example.com" }, path);
      await gateway.outputWhen((text) => text.split("\n").some((one) => one.includes(path) && line.test(one)));
    };

    afterEach(() => write());

    for (const [accessLog, says] of [
      ['{format: "%NOPE% %REQ(:PATH)%"}', /spec\.telemetry\.accessLog\.format: has the unknown command %NOPE%/],
      ['{format: "100%"}', /accessLog\.format: has no valid command/],
      ['{json: {path: "%REQ(:PATH)%", bad: "%REQ(x y)%"}}', /accessLog\.json\[\\"bad\\"\]/],
    ] as const)
      it(`writes the usual format instead of ${accessLog}`, async () => {
        await gateway.write("gateway.yaml", mesh(accessLog));
        await meshSays(says);
        await goodTakesAnEdit();
        await gateway.stop();
        await gateway.start();
        await goodTakesAnEdit();
        await isLogged(`/usual-${accessLog.length}`, /^\[.*"GET \/usual-.* HTTP\/1\.1" 200/);
      });

    it("writes to the standard output where a file cannot be had, and goes there as soon as the MeshConfig is mended", async () => {
      await gateway.write("gateway.yaml", mesh('{path: /nowhere/at/all.log, format: "mine %REQ(:PATH)%"}'));
      await meshSays(/spec\.telemetry\.accessLog\.path: .*unable to open file '\/nowhere\/at\/all\.log'/);
      await goodTakesAnEdit();
      await isProgrammed("web");
      await isLogged("/to-stdout", /^mine \/to-stdout$/);
      await gateway.stop();
      await gateway.start();
      await goodTakesAnEdit();
      await gateway.write("gateway.yaml", mesh('{format: "mended %REQ(:PATH)%"}'));
      await gateway.statusWhen("MeshConfig", "gatewright-system", "mesh", (file) =>
        hasCondition(file.status.conditions, "Accepted", "True"),
      );
      await goodTakesAnEdit();
      await isLogged("/to-mended", /^mended \/to-mended$/);
    });
  });

  describe("ports", () => {
    it("serves on a TCP port as soon as another process leaves it", async () => {
      const taken = createServer().listen(await freePort(), "127.0.0.1");
      await once(taken, "listening");
      const address = taken.address();
      assert.ok(address !== null && typeof address === "object");
      await write(`  - {name: late, port: ${address.port}, protocol: HTTP}`);
      await statusOf((file) =>
        hasCondition(listenerOf(file, "late")?.conditions, "Accepted", "False", "PortUnavailable"),
      );
      await goodTakesAnEdit();
      taken.close();
      await once(taken, "close");
      await eventually({ port: address.port, host: "good.example.com" }, "/", ({ status }) => status === 200);
      await isProgrammed("late");
    });

    it("serves on a UDP port as soon as another process leaves it, and says meanwhile what it is about", async () => {
      const taken = createSocket("udp4").bind(0, "127.0.0.1");
      await once(taken, "listening");
      const shared = taken.address().port;
      // The same number on TCP is another port.
      await write(
        `  - {name: same, port: ${shared}, protocol: HTTP}`,
        `  - {name: late, port: ${shared}, protocol: UDP}`,
      );
      const file = await statusOf((one) =>
        hasCondition(listenerOf(one, "late")?.conditions, "Programmed", "False", "Invalid"),
      );
      assert.match(JSON.stringify(listenerOf(file, "late")), /cannot bind .*Address already in use/);
      await isProgrammed("same");
      await goodTakesAnEdit();
      await eventually({ port: shared, host: "good.example.com" }, "/", ({ status }) => status === 200);
      taken.close();
      await once(taken, "close");
      await isProgrammed("late");
      await goodTakesAnEdit();
    });
  });
});
