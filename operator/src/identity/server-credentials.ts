import type { KeyPair } from "./authority.ts";

export type ServerMaterial = KeyPair & {
  /** PEM: whoever connects must show a certificate that one of these has signed. */
  readonly authorities: string;
};

/** What a server proves itself with, and whom it believes, while both change. */
export type ServerCredentials = {
  readonly material: () => ServerMaterial;
  /** Calls `listener` when the material has changed; connections that stand are not touched. Returns how to stop it. */
  readonly onChange: (listener: () => void) => () => void;
};

export type ReloadableCredentials = {
  readonly credentials: ServerCredentials;
  /** Connections from now on see these. */
  readonly reload: (pair: KeyPair, bundle: string) => void;
};

export function createReloadableCredentials(): ReloadableCredentials {
  const listeners = new Set<() => void>();
  let material: ServerMaterial | undefined;
  return {
    credentials: {
      material: () => {
        if (material === undefined) throw new Error("there is no certificate yet");
        return material;
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    reload: (pair, bundle) => {
      material = { ...pair, authorities: bundle };
      for (const listener of listeners) listener();
    },
  };
}
