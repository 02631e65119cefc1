import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Access } from "./credentials.ts";

/** Where a kubelet puts them: https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
export const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

type Env = Readonly<Record<string, string | undefined>>;

/** The address of the API server as pods are told it, or undefined outside of a cluster. */
export function inClusterServer(env: Env, folder: string): string | undefined {
  const host = env["KUBERNETES_SERVICE_HOST"];
  if (!host || !existsSync(join(folder, "token"))) return undefined;
  return `https://${isIPv6(host) ? `[${host}]` : host}:${env["KUBERNETES_SERVICE_PORT"] || "443"}`;
}

export async function readServiceAccount(folder: string): Promise<Access> {
  const [token, ca] = await Promise.all([readToken(join(folder, "token")), readFile(join(folder, "ca.crt"))]);
  return { headers: { authorization: `Bearer ${token}` }, tls: { ca } };
}

export async function readToken(file: string): Promise<string> {
  const token = (await readFile(file, "utf8")).trim();
  if (token === "") throw new Error(`${file} is empty`);
  return token;
}

export async function readNamespace(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "namespace"), "utf8").catch(() => "");
  return text.trim() || undefined;
}
