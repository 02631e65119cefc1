import { X509Certificate } from "node:crypto";
import { issueCertificate, lifetimeFrom } from "./authority.ts";
import { ageOf, certificatesIn, readPair, type SecretData, toBase64, type Trust } from "./trust.ts";

const proxyCertificateMs = 30 * 86_400_000;

const renewAt = 2 / 3;

/** Who a proxy is, as its certificate says it. `key` is that of the Gateway: `namespace/name`. */
export const proxyUri = (key: string): string => `spiffe://gatewright.dev/gateway/${key}`;

/** `data` of the Secret that a proxy proves itself with: what it has while that is good, and what is issued anew otherwise. */
export async function proxySecretData(
  key: string,
  trust: Trust,
  existing: SecretData | undefined,
  now: number,
  durationMs = proxyCertificateMs,
): Promise<SecretData> {
  const believed = { "ca.crt": toBase64(trust.bundle) };
  const { "tls.crt": certificate, "tls.key": privateKey } = existing ?? {};
  if (existing && certificate && privateKey && isGood(key, trust, existing, now))
    return { ...believed, "tls.crt": certificate, "tls.key": privateKey };
  const pair = await issueCertificate(
    trust.authority,
    { commonName: key, uris: [proxyUri(key)], use: "client" },
    lifetimeFrom(now, durationMs),
  );
  return { ...believed, "tls.crt": toBase64(pair.certificate), "tls.key": toBase64(pair.privateKey.reveal()) };
}

function isGood(key: string, trust: Trust, existing: SecretData, now: number): boolean {
  const pair = readPair(existing, "tls");
  if (typeof pair === "string" || ageOf(pair.certificate, now) >= renewAt) return false;
  const certificate = new X509Certificate(pair.certificate);
  const issuers = certificatesIn(trust.bundle).map((pem) => new X509Certificate(pem));
  return (
    certificate.subjectAltName === `URI:${proxyUri(key)}` &&
    issuers.some((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey))
  );
}
