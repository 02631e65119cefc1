import type { Logger } from "../lib/index.ts";

export type OperatorOptions = {
  readonly version: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Where the operator's own objects are, and the root namespace. That of the pod or the context unless given. */
  readonly namespace?: string;
  /** Used where nobody says a namespace. */
  readonly defaultNamespace: string;
  readonly controllerName: string;
  /** 0: any that is free, here and below. */
  readonly adsPort: number;
  /** The name by which proxies reach this operator: that of its Service unless given. */
  readonly adsName?: string;
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Off: this process writes without asking others. */
  readonly leaderElection: boolean;
  /** The Secret with the authority for operator and proxies. */
  readonly identitySecret: string;
  /** Of Envoy, where MeshConfig names none. */
  readonly proxyImage?: string;
  readonly discoveryIntervalMs: number;
  /** Off: they are not looked for, as if the cluster had none. */
  readonly clusterTrustBundles: boolean;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
  /** Calls the listener whenever the process is asked to end; returns how to stop that. */
  readonly onEndRequest: (listener: () => void) => () => void;
};

export type OperatorEnd = { readonly kind: "ended" } | { readonly kind: "failed"; readonly message: string };

/** The operator cannot run, in words for whoever runs it. */
export class StartError extends Error {
  override readonly name = "StartError";
}
