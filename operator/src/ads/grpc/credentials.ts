/** What a server proves itself with, and whom it believes. All PEM. */
export type TlsMaterial = {
  readonly certificate: string;
  readonly privateKey: { readonly reveal: () => string };
  /** Every client must show a certificate that one of these has signed. */
  readonly authorities: string;
};

export type TlsCredentials = {
  readonly material: () => TlsMaterial;
  /** Calls `listener` when the material has changed; connections that stand are not touched. Returns how to stop it. */
  readonly onChange: (listener: () => void) => () => void;
};
