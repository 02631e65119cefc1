/** How the operator is installed. */
export type OperatorOptions = {
  /** Also the root namespace, where MeshConfigs are read. */
  readonly namespace: string;
  readonly image: string;
  /** Two or more: one writes, all serve proxies. */
  readonly replicas: number;
  /** What GatewayClasses name. */
  readonly controllerName: string;
  /** The GatewayClass that is made; undefined: none. */
  readonly gatewayClass?: string;
  /** The image of Envoy, where no MeshConfig names one. */
  readonly proxyImage?: string;
};

export const name = "gatewright";

export const ports = { ads: 18_000, health: 8_081, metrics: 9_090 } as const;

/** What chooses the operator's pods. A Deployment cannot change it. */
export const selectorLabels = { "app.kubernetes.io/name": name, "app.kubernetes.io/component": "operator" } as const;

/** Not `app.kubernetes.io/managed-by`: by that the operator finds what it has made itself. */
export const labels = { ...selectorLabels, "app.kubernetes.io/part-of": name } as const;
