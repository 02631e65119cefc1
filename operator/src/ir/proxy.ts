/** What stands for one Gateway: the set of Envoys that serve it. There before it has a placement: who places proxies reads this table. */
export type Proxy = {
  /** Of the Gateway, as all up to `className`. */
  readonly namespace: string;
  readonly name: string;
  /** Empty where the Gateway comes from a file. */
  readonly uid: string;
  readonly generation: number;
  readonly className: string;
  /** What its good listeners state, each once, by port, TCP before UDP. */
  readonly ports: readonly ProxyPort[];
  /** Metadata for all that is made for the Gateway (`spec.infrastructure`). */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** What the Gateway asks for, in its order. */
  readonly addresses: readonly RequestedAddress[];
  readonly deployment: ProxyDeployment;
};

export type ProxyPort = { readonly port: number; readonly protocol: "TCP" | "UDP" };

export type RequestedAddress = {
  readonly type: "IPAddress" | "Hostname";
  /** Empty: any of its type. */
  readonly value: string;
};

/** How the Envoys are deployed in a cluster. What is left out is for whoever deploys them to say. */
export type ProxyDeployment = {
  readonly image?: string;
  /** Names of Secrets. */
  readonly imagePullSecrets?: readonly string[];
  readonly replicas?: number;
  readonly autoscaling?: {
    readonly minReplicas?: number;
    readonly maxReplicas: number;
    readonly targetCPUPercent?: number;
  };
  readonly disruption?: { readonly maxUnavailable: number };
  /** Quantities as Kubernetes writes them: `100m`, `256Mi`. */
  readonly resources?: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits?: Readonly<Record<string, string>>;
  };
  /** Worker threads of an Envoy. */
  readonly concurrency?: number;
  readonly drainSeconds?: number;
  readonly service?: {
    readonly type?: "LoadBalancer" | "NodePort" | "ClusterIP";
    readonly loadBalancerClass?: string;
    readonly externalTrafficPolicy?: "Cluster" | "Local";
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly scheduling?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly tolerations?: readonly Toleration[];
    readonly priorityClassName?: string;
  };
};

/** https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ */
export type Toleration = {
  readonly key?: string;
  readonly operator?: "Equal" | "Exists" | "Gt" | "Lt";
  readonly value?: string;
  readonly effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  readonly tolerationSeconds?: number;
};
