/** What stands for one Gateway: the set of Envoys that serve it. */
export type Proxy = {
  /** Of the Gateway. */
  readonly namespace: string;
  readonly name: string;
  /** Ports that its accepted listeners state, ascending. */
  readonly ports: readonly number[];
};
