import { experimental, type ServerCredentials } from "@grpc/grpc-js";
import type { KeyPair } from "./authority.ts";

export type ReloadableCredentials = {
  /** Asks every client for a certificate that one of the authorities has signed. */
  readonly credentials: ServerCredentials;
  /** Connections from now on see these; those that stand are not touched. */
  readonly reload: (pair: KeyPair, bundle: string) => void;
};

type Provider = experimental.CertificateProvider;
type IdentityListener = experimental.IdentityCertificateUpdateListener;
type AuthorityListener = experimental.CaCertificateUpdateListener;

/** Credentials of a server whose certificate and authorities change while it runs. Nobody can connect before the first `reload`. */
export function createReloadableCredentials(): ReloadableCredentials {
  const identityListeners = new Set<IdentityListener>();
  const authorityListeners = new Set<AuthorityListener>();
  let identity: experimental.IdentityCertificateUpdate | null = null;
  let authorities: experimental.CaCertificateUpdate | null = null;
  // One for both roles.
  const provider: Provider = {
    addIdentityCertificateListener: (listener) => {
      identityListeners.add(listener);
      // The server that adds it hears nothing before this call has returned.
      process.nextTick(() => listener(identity));
    },
    removeIdentityCertificateListener: (listener) => identityListeners.delete(listener),
    addCaCertificateListener: (listener) => {
      authorityListeners.add(listener);
      process.nextTick(() => listener(authorities));
    },
    removeCaCertificateListener: (listener) => authorityListeners.delete(listener),
  };
  return {
    credentials: experimental.createCertificateProviderServerCredentials(provider, provider, true),
    reload: ({ certificate, privateKey }, bundle) => {
      identity = { certificate: Buffer.from(certificate), privateKey: Buffer.from(privateKey.reveal()) };
      authorities = { caCertificate: Buffer.from(bundle) };
      for (const listener of authorityListeners) listener(authorities);
      for (const listener of identityListeners) listener(identity);
    },
  };
}
