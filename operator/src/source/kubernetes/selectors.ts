import type { StoredKind } from "../../store/index.ts";

/**
 * Types of Secrets that hold no certificates. There are many, some are large (each release of a Helm chart is one), and what is not
 * asked for needs no memory and cannot leak.
 */
const otherSecretTypes = [
  "helm.sh/release.v1",
  "kubernetes.io/service-account-token",
  "kubernetes.io/dockercfg",
  "kubernetes.io/dockerconfigjson",
  "kubernetes.io/basic-auth",
  "kubernetes.io/ssh-auth",
  "bootstrap.kubernetes.io/token",
];

/** What the API server is asked to leave out. */
export function selectorsOf(kind: StoredKind): Readonly<Record<string, string>> {
  return kind === "Secret" ? { fieldSelector: otherSecretTypes.map((type) => `type!=${type}`).join(",") } : {};
}
