/** What stands for one Gateway: the set of Envoys that serve it. There before it has a placement: who places proxies reads this table. */
export type Proxy = {
  /** Of the Gateway. */
  readonly namespace: string;
  readonly name: string;
  /** Ports that its accepted listeners state, ascending. */
  readonly ports: readonly number[];
};
