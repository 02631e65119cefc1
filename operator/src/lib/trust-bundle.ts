import { X509Certificate } from "node:crypto";
import { derElements } from "./der.ts";
import { parsePem } from "./pem.ts";

export type TrustBundleReading =
  | { readonly kind: "certificates"; readonly certificates: readonly X509Certificate[] }
  /** In the words of the API server. */
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/** What a ClusterTrustBundle may hold at most. */
export const maxTrustBundleBytes = 1024 * 1024;

/**
 * Reads `spec.trustBundle` as the API server checks it: certificates of authorities, each once, whatever stands between them.
 * https://kubernetes.io/docs/reference/access-authn-authz/certificate-signing-requests/#cluster-trust-bundles
 */
export function readTrustBundle(text: string): TrustBundleReading {
  const blocks = parsePem(text);
  if (blocks === undefined) return problem("there is a PEM block that does not end");
  const problems: string[] = [];
  const certificates = new Map<string, { readonly certificate: X509Certificate; readonly at: number[] }>();
  for (const [index, { label, text: block }] of blocks.entries()) {
    const read = readEntry(label, block);
    if (typeof read === "string") {
      problems.push(`entry ${index} ${read}`);
      continue;
    }
    const key = read.raw.toString("latin1");
    const known = certificates.get(key);
    if (known === undefined) certificates.set(key, { certificate: read, at: [index] });
    else known.at.push(index);
  }
  if (problems.length > 0) return { kind: "problems", problems };
  if (certificates.size === 0) return problem("at least one trust anchor must be provided");
  const all = [...certificates.values()];
  const twice = all
    .filter(({ at }) => at.length > 1)
    .map(({ at }) => `duplicate trust anchor (indices [${at.join(" ")}])`);
  return twice.length > 0
    ? { kind: "problems", problems: twice }
    : { kind: "certificates", certificates: all.map(({ certificate }) => certificate) };
}

const problem = (words: string): TrustBundleReading => ({ kind: "problems", problems: [words] });

/** The certificate, or what is wrong with the entry; never what is in it, which may be a private key. */
function readEntry(label: string, block: string): X509Certificate | string {
  if (label !== "CERTIFICATE") return `has bad block type: ${label.slice(0, maxLabel)}`;
  // Base64 has none.
  if (block.includes(":")) return "has PEM block headers";
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(block);
  } catch {
    return "does not parse as X.509";
  }
  return isAuthority(certificate) ? certificate : "does not have the CA bit set";
}

const maxLabel = 40;

/** Whether the certificate says that it may issue others. Node's `ca` asks for more: for what it may sign. */
function isAuthority({ raw }: X509Certificate): boolean {
  const [certificate] = derElements(raw);
  const [toBeSigned] = derElements(certificate?.content);
  const extensions = derElements(toBeSigned?.content).find(({ tag }) => tag === extensionsTag);
  const [list] = derElements(extensions?.content);
  for (const extension of derElements(list?.content)) {
    const parts = derElements(extension.content);
    if (parts[0]?.content.equals(basicConstraints) !== true) continue;
    const [constraints] = derElements(parts.at(-1)?.content);
    const [first] = derElements(constraints?.content);
    return first?.tag === booleanTag && first.content[0] !== 0;
  }
  return false;
}

const extensionsTag = 0xa3;
const booleanTag = 0x01;
/** 2.5.29.19: https://www.rfc-editor.org/rfc/rfc5280#section-4.2.1.9 */
const basicConstraints = Buffer.from([0x55, 0x1d, 0x13]);
