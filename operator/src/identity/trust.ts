import { createPrivateKey, X509Certificate } from "node:crypto";
import { Sensitive } from "../lib/index.ts";
import { createAuthority, type KeyPair, lifetimeFrom } from "./authority.ts";

/** Who signs for operator and proxies, and whom they believe. */
export type Trust = {
  /** Signs what is issued now. */
  readonly authority: KeyPair;
  /** Will sign; believed already, so that everybody knows it when it begins. */
  readonly next?: KeyPair;
  /** PEM: every authority that is believed, the signing one first. */
  readonly bundle: string;
};

const authorityMs = 365 * 86_400_000;

/** A new one is made when this part of an authority's life is over, and signs when that one is. In between proxies learn of it. */
const announceAt = 2 / 3;
const takeOverAt = 5 / 6;

export async function createTrust(now: number, durationMs = authorityMs): Promise<Trust> {
  const authority = await createAuthority(lifetimeFrom(now, durationMs));
  return { authority, bundle: authority.certificate };
}

/** The trust as it should be now: the same object where nothing is to be done. */
export async function renewTrust(trust: Trust, now: number, durationMs = authorityMs): Promise<Trust> {
  const age = ageOf(trust.authority.certificate, now);
  if (age >= takeOverAt && trust.next !== undefined) {
    const { authority, next } = trust;
    return { authority: next, bundle: bundleOf([next.certificate, authority.certificate], trust.bundle, now) };
  }
  if (age < announceAt || trust.next !== undefined) return trust;
  const next = await createAuthority(lifetimeFrom(now, durationMs));
  return {
    authority: trust.authority,
    next,
    bundle: bundleOf([trust.authority.certificate, next.certificate], trust.bundle, now),
  };
}

/** How much of a certificate's life is over, from 0 to 1; beyond 1 it has expired. */
export function ageOf(pem: string, now: number): number {
  const { validFromDate, validToDate } = new X509Certificate(pem);
  const from = validFromDate.getTime();
  return (now - from) / (validToDate.getTime() - from);
}

const bundleOf = (first: readonly string[], previous: string, now: number): string =>
  [...new Set([...first, ...certificatesIn(previous)])].filter((pem) => ageOf(pem, now) < 1).join("");

/** The certificates of a bundle, each as PEM that ends with a line break. */
export const certificatesIn = (bundle: string): readonly string[] =>
  [...bundle.matchAll(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g)].map(([pem]) => `${pem}\n`);

/** `data` of a Secret: base64. */
export type SecretData = Readonly<Record<string, string>>;

export function formatTrust({ authority, next, bundle }: Trust): SecretData {
  return {
    "tls.crt": toBase64(authority.certificate),
    "tls.key": toBase64(authority.privateKey.reveal()),
    "ca.crt": toBase64(bundle),
    ...(next && { "next.crt": toBase64(next.certificate), "next.key": toBase64(next.privateKey.reveal()) }),
  };
}

export type TrustReading =
  | { readonly kind: "usable"; readonly trust: Trust }
  | { readonly kind: "unusable"; readonly message: string };

/** Reads a Secret of ours, or one that an admin has made: `tls.crt` and `tls.key` of an authority, and `ca.crt` where others are believed as well. */
export function parseTrust(data: SecretData): TrustReading {
  const bad = (message: string): TrustReading => ({ kind: "unusable", message });
  const signing = readPair(data, "tls");
  if (typeof signing === "string") return bad(signing);
  if (!new X509Certificate(signing.certificate).ca) return bad("tls.crt is not the certificate of an authority (CA)");
  const next = data["next.crt"] === undefined ? undefined : readPair(data, "next");
  if (typeof next === "string") return bad(next);
  const others = data["ca.crt"] === undefined ? [] : certificatesIn(fromBase64(data["ca.crt"]));
  const unreadable = others.findIndex((pem) => !isCertificate(pem));
  if (unreadable !== -1) return bad(`ca.crt: certificate ${unreadable + 1} cannot be read`);
  const bundle = [...new Set([signing.certificate, ...(next ? [next.certificate] : []), ...others])].join("");
  return { kind: "usable", trust: { authority: signing, ...(next && { next }), bundle } };
}

/** A pair, or what is wrong with it. */
export function readPair(data: SecretData, name: string): KeyPair | string {
  const [certificate, key] = [`${name}.crt`, `${name}.key`].map((field) => data[field] ?? "");
  if (!certificate || !key) return `it has no ${certificate ? `${name}.key` : `${name}.crt`}`;
  const pem = certificatesIn(fromBase64(certificate))[0] ?? "";
  if (!isCertificate(pem)) return `${name}.crt is not a certificate in PEM`;
  const privateKey = new Sensitive(fromBase64(key));
  try {
    if (!new X509Certificate(pem).checkPrivateKey(createPrivateKey(privateKey.reveal())))
      return `${name}.key does not belong to ${name}.crt`;
  } catch {
    return `${name}.key cannot be read`;
  }
  return { certificate: pem, privateKey };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== "";
  } catch {
    return false;
  }
}

export const toBase64 = (text: string): string => Buffer.from(text).toString("base64");
export const fromBase64 = (text: string): string => Buffer.from(text, "base64").toString();
