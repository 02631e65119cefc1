// Keys and certificates of one lab, made when it starts and gone when it ends.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { makeCertificate } from "../support/certificates.ts";
import { addresses } from "./addresses.ts";

export type Pki = {
  readonly authority: string;
  readonly authorityKey: string;
  readonly server: string;
  readonly serverKey: string;
  /** Signs tokens of service accounts. */
  readonly tokenKey: string;
  readonly tokenPublicKey: string;
  /** Who may do everything, for the API server. */
  readonly tokens: string;
};

export const pkiFiles = (folder: string): Pki => ({
  authority: path.join(folder, "ca.crt"),
  authorityKey: path.join(folder, "ca.key"),
  server: path.join(folder, "server.crt"),
  serverKey: path.join(folder, "server.key"),
  tokenKey: path.join(folder, "tokens.key"),
  tokenPublicKey: path.join(folder, "tokens.pub"),
  tokens: path.join(folder, "tokens.csv"),
});

/** Writes all of it, and the kubeconfig of an administrator. */
export async function makePki(folder: string, kubeconfig: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = pkiFiles(folder);
  const authority = makeCertificate({ dnsNames: ["lab-authority"], authority: true });
  const server = makeCertificate({
    dnsNames: [
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      "kubernetes.default.svc.cluster.local",
      "localhost",
    ],
    addresses: [addresses.node, addresses.apiServerService, "127.0.0.1"],
    issuer: authority,
  });
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const token = randomBytes(16).toString("hex");
  const contents: readonly (readonly [string, string])[] = [
    [files.authority, authority.certificate],
    [files.authorityKey, authority.privateKey],
    [files.server, server.certificate],
    [files.serverKey, server.privateKey],
    [files.tokenKey, privateKey.export({ type: "pkcs8", format: "pem" }).toString()],
    [files.tokenPublicKey, publicKey.export({ type: "spki", format: "pem" }).toString()],
    [files.tokens, `${token},admin,admin,"system:masters"\n`],
    [kubeconfig, formatKubeconfig(authority.certificate, token)],
  ];
  for (const [file, content] of contents) await writeFile(file, content, { mode: 0o600 });
}

/** JSON is YAML. The authority stands in it, so that the file can be used from anywhere. */
function formatKubeconfig(authority: string, token: string): string {
  const server = `https://${addresses.node}:${addresses.apiServerPort}`;
  const cluster = { server, "certificate-authority-data": Buffer.from(authority).toString("base64") };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "lab", cluster }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "lab", context: { cluster: "lab", user: "admin" } }],
    "current-context": "lab",
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
