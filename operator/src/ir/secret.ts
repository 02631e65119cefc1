import type { Sensitive } from "../lib/index.ts";

/** A server certificate with its key, named `namespace/name` after its Secret. */
export type TlsCertificate = {
  readonly name: string;
  /** PEM, the leaf first. */
  readonly certificateChain: string;
  readonly privateKey: Sensitive;
};
