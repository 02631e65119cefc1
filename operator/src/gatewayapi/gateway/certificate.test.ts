import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import type { Secret } from "@gatewright/crd-types/core/v1";
import { makeCertificate } from "../../../../test/support/certificates.ts";
import { parseTlsSecret } from "./certificate.ts";

const good = makeCertificate({ dnsNames: ["a.example.com"] });
const other = makeCertificate({ dnsNames: ["b.example.com"] });

function secret(certificate: string | undefined, key: string | undefined, type?: string): Secret {
  const encode = (text: string) => Buffer.from(text).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "infra", name: "cert" },
    type: type ?? "kubernetes.io/tls",
    data: {
      ...(certificate !== undefined && { "tls.crt": encode(certificate) }),
      ...(key !== undefined && { "tls.key": encode(key) }),
    },
  };
}

function usable(from: Secret) {
  const view = parseTlsSecret(from);
  assert.equal(view.kind, "usable", view.kind === "unusable" ? view.message : "");
  assert.ok(view.kind === "usable");
  return view;
}

describe("parseTlsSecret()", () => {
  it("names the certificate after its Secret and keeps the key to itself", () => {
    const { certificate } = usable(secret(good.certificate, good.privateKey));
    assert.equal(certificate.name, "infra/cert");
    assert.equal(certificate.certificateChain, good.certificate);
    assert.equal(certificate.privateKey.reveal(), good.privateKey);
    assert.ok(!JSON.stringify(certificate).includes(good.privateKey.slice(40, 60)));
  });

  it("keeps the chain in order", () => {
    const authority = makeCertificate({ dnsNames: ["authority"] });
    const leaf = makeCertificate({ dnsNames: ["leaf.example.com"], issuer: authority });
    const { certificate } = usable(secret(leaf.certificate + authority.certificate, leaf.privateKey));
    assert.equal(certificate.certificateChain, leaf.certificate + authority.certificate);
  });

  it("writes anew what was padded with other text or ends its lines otherwise", () => {
    const padded = `Subject: a\r\n${good.certificate.replaceAll("\n", "\r\n")}bye`;
    assert.equal(usable(secret(padded, good.privateKey)).certificate.certificateChain, good.certificate);
  });

  it("says when an expired certificate expired, and takes it", () => {
    const notAfter = new Date("2020-02-03T04:05:06Z");
    const expired = makeCertificate({ dnsNames: ["old"], notBefore: new Date("2019-01-01T00:00:00Z"), notAfter });
    const view = usable(secret(expired.certificate, expired.privateKey));
    assert.equal(view.notAfterMs, notAfter.getTime());
    assert.equal(view.notBeforeMs, Date.UTC(2019, 0, 1));
  });

  it("merges stringData, which a file may have", () => {
    const plain = { "tls.crt": good.certificate, "tls.key": good.privateKey };
    usable({ ...secret("junk", undefined), stringData: plain });
  });

  const taken = {
    "RSA with 2048 bits": { kind: "rsa", bits: 2048 },
    "P-384": { kind: "ec", curve: "P-384" },
    "P-521": { kind: "ec", curve: "P-521" },
    Ed25519: { kind: "ed25519" },
  } as const;
  for (const [title, key] of Object.entries(taken))
    it(`takes a key of ${title}`, () => {
      const { certificate, privateKey } = makeCertificate({ dnsNames: ["a"], key });
      usable(secret(certificate, privateKey));
    });

  const refusedKeys = {
    "RSA with 1024 bits": [{ kind: "rsa", bits: 1024 }, /1024 bits/],
    "an unusual curve": [{ kind: "ec", curve: "secp256k1" }, /curve secp256k1/],
    "a smaller curve": [{ kind: "ec", curve: "secp224r1" }, /curve secp224r1/],
    Ed448: [{ kind: "ed448" }, /type ed448/],
  } as const;
  for (const [title, [key, message]] of Object.entries(refusedKeys))
    it(`refuses a key of ${title}`, () => {
      const { certificate, privateKey } = makeCertificate({ dnsNames: ["a"], key });
      const view = parseTlsSecret(secret(certificate, privateKey));
      assert.ok(view.kind === "unusable");
      assert.match(view.message, message);
    });

  it("refuses a curve that is spelled out", () => {
    // Made by `openssl ecparam -name prime256v1 -param_enc explicit -genkey`: node writes keys with named curves only.
    const explicit = `-----BEGIN EC PRIVATE KEY-----
${explicitCurveKey}
-----END EC PRIVATE KEY-----
`;
    const view = parseTlsSecret(secret(good.certificate, explicit));
    assert.ok(view.kind === "unusable");
    assert.match(view.message, /tls\.key spells out/);
  });

  const der = new X509Certificate(good.certificate).raw.toString("latin1");
  const garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const encrypted = good.keys.privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "x",
  });
  const refused: Readonly<Record<string, readonly [Secret, RegExp]>> = {
    "another type": [secret(good.certificate, good.privateKey, "Opaque"), /not of type kubernetes\.io\/tls/],
    "no certificate": [secret(undefined, good.privateKey), /has no tls\.crt/],
    "an empty certificate": [secret("", good.privateKey), /has no tls\.crt/],
    "no key": [secret(good.certificate, undefined), /has no tls\.key/],
    "a certificate that is none": [secret("Hello world\n", "Hello world\n"), /holds no certificate/],
    "DER instead of PEM": [secret(der, good.privateKey), /holds no certificate/],
    "a cut certificate": [secret(good.certificate.slice(0, -30), good.privateKey), /does not end/],
    "a certificate that cannot be read": [secret(garbage, good.privateKey), /certificate 1 of tls\.crt/],
    "a chain that cannot be read": [secret(good.certificate + garbage, good.privateKey), /certificate 2 of tls\.crt/],
    "a key that is none": [secret(good.certificate, good.certificate), /no private key/],
    "a key that cannot be read": [
      secret(good.certificate, garbage.replaceAll("CERTIFICATE", "PRIVATE KEY")),
      /tls\.key cannot be read/,
    ],
    "an encrypted key": [secret(good.certificate, encrypted.toString()), /is encrypted/],
    "the key of another": [secret(good.certificate, other.privateKey), /does not fit/],
    "a chain in the wrong order": [
      secret(other.certificate + good.certificate, good.privateKey),
      /fits certificate 2 .* must come first/,
    ],
  };
  for (const [title, [from, message]] of Object.entries(refused))
    it(`refuses ${title}`, () => {
      const view = parseTlsSecret(from);
      assert.ok(view.kind === "unusable");
      assert.match(view.message, message);
    });

  it("refuses a Secret without a type", () => {
    const { type: _, ...untyped } = secret(good.certificate, good.privateKey);
    const view = parseTlsSecret(untyped);
    assert.ok(view.kind === "unusable");
    assert.match(view.message, /has no type/);
  });
});

const explicitCurveKey = `MIIBaAIBAQQgN7FRR6g688P/aothmMlndMcces1MmT87iwCg8rMVDWqggfowgfcC
AQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAAAAAAAAAA////////////////
MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57Pr
vVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEE
axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n60p8D54W
K84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8
YyVRAgEBoUQDQgAEx59uRCGcxTUmEhCHYp/2zoVbQfPiw9Qj9iVzZWZZdWFuMKOG
Ic+2j59LvNP/eRoDkAlxhrKIYv615PKpuru2Ng==`;
