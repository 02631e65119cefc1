import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Secret } from "@gatewright/crd-types/core/v1";
import type { TlsCertificate } from "../../ir/index.ts";
import { parsePem, Sensitive } from "../../lib/index.ts";
import { keyOf } from "../../store/index.ts";
import { formProblem, secretText } from "../trust/index.ts";

/** What a Secret comes to as a server's certificate. */
export type CertificateView =
  | {
      readonly kind: "usable";
      readonly certificate: TlsCertificate;
      readonly notBeforeMs: number;
      readonly notAfterMs: number;
    }
  /** The message never holds a byte of the Secret. */
  | { readonly kind: "unusable"; readonly message: string };

const secretType = "kubernetes.io/tls";
const certificateField = "tls.crt";
const keyField = "tls.key";

/**
 * Reads a TLS Secret, and refuses what Envoy would refuse: there, one bad certificate takes its whole listener along. What
 * goes on to Envoy is written anew from what was read, so that Envoy reads nothing that was not read here.
 */
export function parseTlsSecret(secret: Secret): CertificateView {
  if (secret.type !== secretType)
    return unusable(secret.type === undefined ? `has no type, not ${secretType}` : `is not of type ${secretType}`);
  const chain = readChain(secretText(secret, certificateField));
  if (chain.kind === "unusable") return chain;
  const key = readKey(secretText(secret, keyField));
  if (key.kind === "unusable") return key;
  const [leaf] = chain.certificates;
  const problem = weaknessOf(leaf) ?? misfit(chain.certificates, key.key);
  if (problem !== undefined) return unusable(problem);
  return {
    kind: "usable",
    certificate: {
      name: keyOf(secret),
      certificateChain: chain.certificates.map((certificate) => certificate.toString()).join(""),
      privateKey: new Sensitive(key.key.export({ type: "pkcs8", format: "pem" }).toString()),
    },
    notBeforeMs: leaf.validFromDate.getTime(),
    notAfterMs: leaf.validToDate.getTime(),
  };
}

const unusable = (message: string): { readonly kind: "unusable"; readonly message: string } => ({
  kind: "unusable",
  message,
});

type Chain =
  | { readonly kind: "chain"; readonly certificates: readonly [X509Certificate, ...X509Certificate[]] }
  | { readonly kind: "unusable"; readonly message: string };

function readChain(text: string | undefined): Chain {
  if (text === undefined || text.trim() === "") return unusable(`has no ${certificateField}`);
  const blocks = parsePem(text)?.filter(({ label }) => label === "CERTIFICATE" || label === "X509 CERTIFICATE");
  if (blocks === undefined) return unusable(`${certificateField} is not complete: a block of PEM does not end`);
  const certificates: X509Certificate[] = [];
  for (const [index, block] of blocks.entries()) {
    const certificate = attempt(() => new X509Certificate(block.text));
    if (certificate === undefined) return unusable(`certificate ${index + 1} of ${certificateField} cannot be read`);
    const problem = formProblem(certificate);
    if (problem !== undefined) return unusable(`certificate ${index + 1} of ${certificateField} ${problem}`);
    certificates.push(certificate);
  }
  const [leaf, ...rest] = certificates;
  return leaf === undefined
    ? unusable(`${certificateField} holds no certificate in PEM`)
    : { kind: "chain", certificates: [leaf, ...rest] };
}

type Key = { readonly kind: "key"; readonly key: KeyObject } | { readonly kind: "unusable"; readonly message: string };

function readKey(text: string | undefined): Key {
  if (text === undefined || text.trim() === "") return unusable(`has no ${keyField}`);
  // Openssl writes the parameters of a curve before the key.
  const block = parsePem(text)?.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (block === undefined) return unusable(`${keyField} holds no private key in PEM`);
  if (block.text.includes("ENCRYPTED")) return unusable(`${keyField} is encrypted`);
  const key = attempt(() => createPrivateKey(block.text));
  if (key === undefined) return unusable(`${keyField} cannot be read`);
  if (!namesItsCurve(key, key.export({ type: "pkcs8", format: "der" })))
    return unusable(`${keyField} spells out the parameters of its curve instead of naming it`);
  return { kind: "key", key };
}

const minRsaBits = 2048;
const maxRsaBits = 16_384;
const maxRsaExponent = 2n ** 33n;

/** Envoy's names for them: P-256, P-384, P-521. */
const curves = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/**
 * Why Envoy would refuse the certificate. Each of these was tried with Envoy 1.40.0; its own words are in
 * https://github.com/envoyproxy/envoy/blob/v1.40.0/source/common/tls/context_impl.cc
 */
function weaknessOf(leaf: X509Certificate): string | undefined {
  const key = attempt(() => leaf.publicKey);
  const details = key?.asymmetricKeyDetails ?? {};
  switch (key?.asymmetricKeyType) {
    case "rsa": {
      const bits = details.modulusLength ?? 0;
      if (bits < minRsaBits || bits > maxRsaBits)
        return `the certificate has an RSA key of ${bits} bits, and ${minRsaBits} to ${maxRsaBits} are taken`;
      const isOdd = (details.publicExponent ?? 0n) > maxRsaExponent;
      return isOdd ? "the certificate has an RSA key with too large an exponent" : undefined;
    }
    case "ec": {
      if (!namesItsCurve(key, key.export({ type: "spki", format: "der" })))
        return "the certificate spells out the parameters of its key's curve instead of naming it";
      const curve = details.namedCurve ?? "unknown";
      return curves.has(curve)
        ? undefined
        : `the certificate has a key on the curve ${curve}, and only P-256, P-384 and P-521 are taken`;
    }
    case "ed25519":
      return undefined;
    default:
      return `the certificate has a key of type ${key?.asymmetricKeyType ?? "unknown"}, and only RSA, ECDSA and Ed25519 are taken`;
  }
}

function misfit(certificates: readonly X509Certificate[], key: KeyObject): string | undefined {
  const fitting = certificates.findIndex((certificate) => attempt(() => certificate.checkPrivateKey(key)) === true);
  if (fitting === 0) return undefined;
  return fitting === -1
    ? `${keyField} does not fit the certificate`
    : `${keyField} fits certificate ${fitting + 1} of ${certificateField}, which must come first`;
}

// The object identifier id-ecPublicKey, after which the curve follows: by its own identifier, or in full.
const ecPublicKey = Buffer.from("06072a8648ce3d0201", "hex");
const objectIdentifierTag = 0x06;

const namesItsCurve = (key: KeyObject, der: Buffer): boolean =>
  key.asymmetricKeyType !== "ec" || der[der.indexOf(ecPublicKey) + ecPublicKey.length] === objectIdentifierTag;

/** OpenSSL tells by exceptions what it cannot read; their words are about ASN.1 and help nobody. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
