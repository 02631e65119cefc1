/** What a client says, whatever the encoding. */
export type DeltaRequest = {
  readonly typeUrl: string;
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** What the client has from an earlier connection, by name. In the first request of a type only. */
  readonly initialVersions: ReadonlyMap<string, string>;
  readonly nonce: string;
  /** Why the response with this nonce was refused. */
  readonly error: string | undefined;
};

export type SotwRequest = {
  readonly typeUrl: string;
  /** All that the client wants. */
  readonly names: readonly string[];
  readonly nonce: string;
  readonly error: string | undefined;
};
