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
  /**
   * What the Gateway asks for and can be had in a cluster, in its order. Undefined: it asks for nothing, and gets what is usual. Empty: nothing
   * of what it asks for can be had, and nothing else may be given.
   */
  readonly addresses?: readonly RequestedAddress[];
  readonly deployment: ProxyDeployment;
};

export type ProxyPort = { readonly port: number; readonly protocol: "TCP" | "UDP" };

export type RequestedAddress = {
  readonly type: "IPAddress" | "Hostname";
  /** Empty: any of its type. */
  readonly value: string;
  /** `Cluster`: inside of the cluster only. Empty: as the deployment says. https://gateway-api.sigs.k8s.io/geps/gep-5093/ */
  readonly routability: "" | "Cluster";
};

/** By what one of the addresses that a Gateway asks for is known, with the defaults of the API for what is left out. */
export const requestKey = ({
  type = "IPAddress",
  value = "",
  routability = "",
}: {
  readonly type?: string;
  readonly value?: string;
  readonly routability?: string;
}): string => `${type} ${value} ${routability}`;

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
    readonly ipFamilyPolicy?: "SingleStack" | "PreferDualStack" | "RequireDualStack";
    /** The first is that of the address which a client is given that asks for one. */
    readonly ipFamilies?: readonly ("IPv4" | "IPv6")[];
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
