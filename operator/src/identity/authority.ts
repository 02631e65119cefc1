import "reflect-metadata";
import { createPrivateKey, randomBytes, webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { Sensitive } from "../lib/index.ts";

/** A certificate and its key, in PEM. */
export type KeyPair = {
  readonly certificate: string;
  /** PKCS #8. */
  readonly privateKey: Sensitive;
};

export type Lifetime = { readonly notBefore: Date; readonly notAfter: Date };

export type Subject = {
  readonly commonName: string;
  readonly dnsNames?: readonly string[];
  readonly uris?: readonly string[];
  readonly use: "server" | "client";
};

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** Clocks of machines differ: what is issued is valid from a little earlier on. */
const skewMs = 300_000;

export const lifetimeFrom = (now: number, durationMs: number): Lifetime => ({
  notBefore: new Date(now - skewMs),
  notAfter: new Date(now + durationMs),
});

/** Makes a new authority, signed by itself. It may sign certificates of ends only. */
export async function createAuthority(lifetime: Lifetime): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      ...lifetime,
      serialNumber: serialNumber(),
      // Two authorities of one name would be mistaken for each other while one takes over from the other.
      name: `CN=gatewright-ca-${randomBytes(4).toString("hex")}`,
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    },
    webcrypto,
  );
  return pairOf(certificate, keys.privateKey);
}

/** Issues a certificate with a key of its own. Throws where the authority's key cannot be read. */
export async function issueCertificate(authority: KeyPair, subject: Subject, lifetime: Lifetime): Promise<KeyPair> {
  const issuer = new X509Certificate(authority.certificate);
  const { key: signingKey, algorithm: signingAlgorithm } = await importSigningKey(authority.privateKey);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = [
    ...(subject.dnsNames ?? []).map((value) => ({ type: "dns", value }) as const),
    ...(subject.uris ?? []).map((value) => ({ type: "url", value }) as const),
  ];
  const use = subject.use === "server" ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  const certificate = await X509CertificateGenerator.create(
    {
      notBefore: lifetime.notBefore,
      // What outlives its issuer is of no use and hides when it has to be renewed.
      notAfter: new Date(Math.min(lifetime.notAfter.getTime(), issuer.notAfter.getTime())),
      serialNumber: serialNumber(),
      // The field has room for 64 characters; who it is stands in the alternative names.
      subject: [{ CN: [subject.commonName.slice(0, 64)] }],
      // Not as text: written anew, it could be encoded in another way, and no longer match.
      issuer: issuer.subjectName,
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([use]),
        new SubjectAlternativeNameExtension(names),
        await AuthorityKeyIdentifierExtension.create(issuer, false),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    },
    webcrypto,
  );
  return pairOf(certificate, keys.privateKey);
}

async function pairOf(certificate: X509Certificate, key: webcrypto.CryptoKey): Promise<KeyPair> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  const privateKey = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  return {
    certificate: `${certificate.toString("pem").trim()}\n`,
    privateKey: new Sensitive(privateKey.export({ format: "pem", type: "pkcs8" }).toString()),
  };
}

/** An authority that an admin brings may have another sort of key than ours, in another wrapping. */
async function importSigningKey(pem: Sensitive) {
  const key = createPrivateKey(pem.reveal());
  const der = key.export({ format: "der", type: "pkcs8" });
  const signing = signingAlgorithmOf(key.asymmetricKeyType, key.asymmetricKeyDetails?.namedCurve);
  return { key: await webcrypto.subtle.importKey("pkcs8", der, signing, false, ["sign"]), algorithm: signing };
}

const curves: Readonly<Record<string, { namedCurve: string; hash: string }>> = {
  prime256v1: { namedCurve: "P-256", hash: "SHA-256" },
  secp384r1: { namedCurve: "P-384", hash: "SHA-384" },
  secp521r1: { namedCurve: "P-521", hash: "SHA-512" },
};

function signingAlgorithmOf(type: string | undefined, namedCurve: string | undefined) {
  if (type === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  if (type === "ed25519") return { name: "Ed25519" };
  const curve = type === "ec" && namedCurve !== undefined ? curves[namedCurve] : undefined;
  if (curve === undefined) throw new Error(`an authority's key of the sort ${namedCurve ?? type} is not supported`);
  return { name: "ECDSA", ...curve };
}

/** Positive, 127 random bits, in hexadecimal. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString("hex");
}
