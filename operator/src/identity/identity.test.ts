import assert from "node:assert/strict";
import { connect, type TLSSocket } from "node:tls";
import { once } from "node:events";
import { createSecureServer, type Http2SecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { makeCertificate } from "../../../test/support/certificates.ts";
import type { ApiRequest, ApiResponse, ApiServer } from "../kubernetes/index.ts";
import { silentLogger } from "../lib/index.ts";
import { createIdentity, type Identity, isProxy, type ObservedSecret, type SecretData } from "./index.ts";
import { fromBase64, toBase64 } from "./trust.ts";

const namespace = "gatewright-system";
const secretName = "gatewright-ca";
const serverName = "gatewright.gatewright-system.svc";
const dayMs = 86_400_000;

/** A cluster that has one Secret, or none. */
function clusterWith(secret?: ObservedSecret) {
  let stored = secret;
  let writes = 0;
  let version = 1;
  const notFound: ApiResponse = { status: 404, body: { reason: "NotFound", message: "not found" } };
  function put(body: unknown): ApiResponse {
    writes++;
    const { metadata, ...rest } = body as ObservedSecret;
    stored = { ...rest, metadata: { ...metadata, resourceVersion: String(++version) } };
    return { status: 200, body: stored };
  }
  const api: ApiServer = {
    address: "https://cluster.test",
    request: async ({ method, body }: ApiRequest): Promise<ApiResponse> => {
      if (method === "GET") return stored === undefined ? notFound : { status: 200, body: stored };
      if (method === "POST")
        return stored === undefined ? put(body) : { status: 409, body: { reason: "AlreadyExists", message: "" } };
      const { metadata } = body as ObservedSecret;
      return metadata.resourceVersion === stored?.metadata.resourceVersion
        ? put(body)
        : { status: 409, body: { reason: "Conflict", message: "" } };
    },
    stream: () => Promise.reject(new Error("no watch here")),
    close: () => undefined,
  };
  return { api, stored: () => stored ?? assert.fail("no Secret"), writes: () => writes };
}

const identityIn = (api: ApiServer, now?: () => number): Promise<Identity> =>
  createIdentity({
    api,
    logger: silentLogger,
    namespace,
    secretName,
    serverNames: [serverName],
    ...(now && { now }),
  });

const secretWith = (data: Record<string, string>, labels = {}): ObservedSecret => ({
  metadata: { labels, resourceVersion: "1" },
  data: Object.fromEntries(Object.entries(data).map(([name, value]) => [name, toBase64(value)])),
});

describe("createIdentity()", () => {
  const servers: Http2SecureServer[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function serve(identity: Identity): Promise<number> {
    const context = () => {
      const { certificate, privateKey, authorities } = identity.credentials.material();
      return { cert: certificate, key: privateKey.reveal(), ca: authorities };
    };
    const server = createSecureServer({ ...context(), requestCert: true });
    identity.credentials.onChange(() => server.setSecureContext(context()));
    servers.push(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  }

  /** Whether a client is let in: a server that asks for certificates says no only after the handshake. */
  async function isLetIn(port: number, proof: SecretData | undefined, name = serverName): Promise<boolean> {
    const pem = (field: string) => proof && fromBase64(proof[field] ?? "");
    const socket: TLSSocket = connect({
      host: "127.0.0.1",
      port,
      servername: name,
      ALPNProtocols: ["h2"],
      ca: pem("ca.crt"),
      cert: pem("tls.crt"),
      key: pem("tls.key"),
      rejectUnauthorized: proof !== undefined,
    });
    try {
      await once(socket, "secureConnect");
      // The preface of HTTP/2: whoever is let in is answered with settings.
      socket.write(Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1"));
      const [first] = await Promise.race([once(socket, "data"), once(socket, "close").then(() => [undefined])]);
      return Buffer.isBuffer(first);
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  }

  it("makes an authority once, and every replica uses the same", async () => {
    const cluster = clusterWith();
    const [first, second] = await Promise.all([identityIn(cluster.api), identityIn(cluster.api)]);
    assert.equal(cluster.writes(), 1);
    assert.equal(first.bundle(), second.bundle());
    const third = await identityIn(cluster.api);
    assert.equal(third.bundle(), first.bundle());
    assert.equal(cluster.writes(), 1);
  });

  it("lets proxies in that prove who they are, and nobody else", async () => {
    const identity = await identityIn(clusterWith().api);
    const port = await serve(identity);
    const proof = await identity.proxySecretData("infra/gw", undefined);
    assert.equal(await isLetIn(port, proof), true);
    assert.equal(await isLetIn(port, undefined), false, "without a certificate");
    assert.equal(await isLetIn(port, proof, "elsewhere.test"), false, "the server is not who was asked for");
    const stranger = await (await identityIn(clusterWith().api)).proxySecretData("infra/gw", undefined);
    const mixed = { ...stranger, "ca.crt": proof["ca.crt"] ?? "" };
    assert.equal(await isLetIn(port, mixed), false, "of another authority");
  });

  it("knows proxies by the name in their certificate", () => {
    assert.equal(isProxy("infra/gw", "URI:spiffe://gatewright.dev/gateway/infra/gw"), true);
    assert.equal(isProxy("infra/gw", "URI:spiffe://gatewright.dev/gateway/infra/gw2"), false);
    assert.equal(isProxy("infra/gw", "DNS:x, URI:spiffe://gatewright.dev/gateway/infra/gw"), false);
    assert.equal(isProxy("infra/gw", undefined), false);
  });

  it("keeps a proxy's certificate while it is good, and issues another when it is not", async () => {
    let now = Date.now();
    const identity = await identityIn(clusterWith().api, () => now);
    const first = await identity.proxySecretData("infra/gw", undefined);
    assert.deepEqual(await identity.proxySecretData("infra/gw", first), first);
    const differs = async (key: string, data: SecretData) =>
      (await identity.proxySecretData(key, data))["tls.crt"] !== first["tls.crt"];
    assert.equal(await differs("infra/other", first), true, "of another Gateway");
    assert.equal(await differs("infra/gw", { ...first, "tls.key": toBase64("broken") }), true, "with a broken key");
    now += 19 * dayMs;
    assert.equal(await differs("infra/gw", first), false, "two thirds of 30 days are not over");
    now += 2 * dayMs;
    assert.equal(await differs("infra/gw", first), true, "two thirds are over");
  });

  it("hands over from one authority to the next without anybody being turned away", async () => {
    // What is issued on the way must be good by the clock of the transport, which is the real one.
    const daysAgo = (days: number) => Date.now() - days * dayMs;
    let now = daysAgo(330);
    const cluster = clusterWith();
    const identity = await identityIn(cluster.api, () => now);
    const other = await identityIn(cluster.api, () => now);
    let told = 0;
    identity.onChange(() => told++);
    now = daysAgo(80);
    await identity.renew(false);
    assert.equal(told, 0, "only who may write renews");
    await identity.renew(true);
    assert.equal(told, 1, "the next authority is made known");
    await other.observe(cluster.stored());
    assert.equal(other.bundle(), identity.bundle());
    now = daysAgo(20);
    await identity.renew(true);
    assert.equal(told, 2, "the next authority signs");
    now = Date.now();
    await identity.renew(true);
    await other.renew(false);
    const [port, otherPort] = [await serve(identity), await serve(other)];
    const early = await other.proxySecretData("infra/gw", undefined);
    const late = await identity.proxySecretData("infra/gw", undefined);
    assert.equal(await isLetIn(otherPort, late), true, "new proof, at a replica that has not heard of the new signer");
    assert.equal(await isLetIn(port, early), true, "old proof, new signer");
    await other.observe(cluster.stored());
    assert.equal(await isLetIn(otherPort, late), true, "new proof, new signer, without a new server");
    assert.equal(await isLetIn(otherPort, early), true, "old proof, which is not renewed before its time");
    assert.deepEqual(await other.proxySecretData("infra/gw", early), { ...early, "ca.crt": late["ca.crt"] });
  });

  it("uses an authority that an admin brings, and never changes it", async () => {
    for (const key of [{ kind: "rsa", bits: 2048 } as const, { kind: "ec", curve: "P-384" } as const]) {
      const { certificate, privateKey } = makeCertificate({ dnsNames: ["corporate CA"], authority: true, key });
      const cluster = clusterWith(secretWith({ "tls.crt": certificate, "tls.key": privateKey }));
      const identity = await identityIn(cluster.api);
      const port = await serve(identity);
      await identity.renew(true);
      assert.equal(await isLetIn(port, await identity.proxySecretData("infra/gw", undefined)), true);
      assert.equal(cluster.writes(), 0);
    }
  });

  it("says what is wrong with the Secret, and keeps what it has when it breaks later", async () => {
    const good = makeCertificate({ dnsNames: ["ca"], authority: true });
    const leaf = makeCertificate({ dnsNames: ["leaf"] });
    const cases: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{}, /it has no tls\.crt/],
      [{ "tls.crt": good.certificate }, /it has no tls\.key/],
      [{ "tls.crt": "x", "tls.key": good.privateKey }, /tls\.crt is not a certificate in PEM/],
      [{ "tls.crt": good.certificate, "tls.key": "x" }, /tls\.key cannot be read/],
      [{ "tls.crt": good.certificate, "tls.key": leaf.privateKey }, /tls\.key does not belong to tls\.crt/],
      [{ "tls.crt": leaf.certificate, "tls.key": leaf.privateKey }, /not the certificate of an authority/],
      [
        {
          "tls.crt": good.certificate,
          "tls.key": good.privateKey,
          "ca.crt": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        },
        /ca\.crt: certificate 1 cannot be read/,
      ],
    ];
    for (const [data, expected] of cases) await assert.rejects(identityIn(clusterWith(secretWith(data)).api), expected);
    const identity = await identityIn(
      clusterWith(secretWith({ "tls.crt": good.certificate, "tls.key": good.privateKey })).api,
    );
    const before = identity.bundle();
    await identity.observe({ ...secretWith({}), metadata: { resourceVersion: "2" } });
    assert.equal(identity.bundle(), before);
  });
});
