import {
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
} from "@gatewright/constructs";
import { App, Chart } from "cdk8s";
import type { Proxy } from "../ir/index.ts";
import { deploymentSpec } from "./deployment.ts";
import { metadataOf, selectorLabels } from "./metadata.ts";
import { infraName } from "./names.ts";
import { proxyServices } from "./service.ts";

export type InfraSettings = {
  /** What Envoy reads when it starts, by file name: `bootstrap.json`, which keeps to `bootstrapNeeds(proxy)`, and what that refers to. */
  readonly files: Readonly<Record<string, string>>;
  /** `data` of the Secret by which a proxy proves who it is: `ca.crt`, `tls.crt`, `tls.key` in base64. */
  readonly identity: Readonly<Record<string, string>>;
  /** The image of Envoy where MeshConfig names none. */
  readonly image?: string;
};

/** An object of the cluster as it is to be. */
export type DesiredObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace: string; readonly name: string };
};

/** The kinds of which `desiredInfra` makes objects. */
export const infraKinds = [
  { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" },
  { group: "", version: "v1", kind: "Secret", plural: "secrets" },
  { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts" },
  { group: "", version: "v1", kind: "Service", plural: "services" },
  { group: "apps", version: "v1", kind: "Deployment", plural: "deployments" },
  { group: "policy", version: "v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets" },
  { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers" },
] as const;

/** All that a Gateway needs in the cluster, in the order in which it is to be applied. Pure. */
export function desiredInfra(proxy: Proxy, settings: InfraSettings): readonly DesiredObject[] {
  const objects: unknown[] = new ProxyChart(proxy, settings).toJson();
  return objects.filter(isObject);
}

const isObject = (value: unknown): value is DesiredObject =>
  typeof value === "object" && value !== null && "kind" in value && "metadata" in value;

/** One Gateway in a cluster. */
class ProxyChart extends Chart {
  constructor(proxy: Proxy, settings: InfraSettings) {
    super(new App(), "proxy");
    const metadata = metadataOf(proxy);
    const { deployment } = proxy;
    new ServiceAccount(this, "account", { metadata, automountServiceAccountToken: false });
    new ConfigMap(this, "config", { metadata, data: settings.files });
    new Secret(this, "identity", { metadata, type: "Opaque", data: settings.identity });
    for (const { name, spec } of proxyServices(proxy))
      new Service(this, `service-${name}`, {
        metadata: { ...metadataOf(proxy, deployment.service?.annotations), name },
        spec,
      });
    new Deployment(this, "deployment", { metadata, spec: deploymentSpec(proxy, settings) });
    this.addDisruptionBudget(proxy);
    this.addAutoscaler(proxy);
  }

  private addDisruptionBudget(proxy: Proxy): void {
    const { replicas = 1, autoscaling, disruption } = proxy.deployment;
    const least = autoscaling === undefined ? replicas : minReplicasOf(autoscaling);
    // One alone cannot be kept: the node could never be drained.
    if (disruption === undefined && least < 2) return;
    new PodDisruptionBudget(this, "disruption-budget", {
      metadata: metadataOf(proxy),
      spec: {
        maxUnavailable: disruption?.maxUnavailable ?? 1,
        selector: { matchLabels: selectorLabels(proxy) },
        unhealthyPodEvictionPolicy: "AlwaysAllow",
      },
    });
  }

  private addAutoscaler(proxy: Proxy): void {
    const { autoscaling } = proxy.deployment;
    if (autoscaling === undefined) return;
    const { maxReplicas, targetCPUPercent = 80 } = autoscaling;
    new HorizontalPodAutoscaler(this, "autoscaler", {
      metadata: metadataOf(proxy),
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: infraName(proxy) },
        minReplicas: minReplicasOf(autoscaling),
        maxReplicas,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: targetCPUPercent } },
          },
        ],
      },
    });
  }
}

const minReplicasOf = ({ minReplicas, maxReplicas }: NonNullable<Proxy["deployment"]["autoscaling"]>): number =>
  minReplicas ?? Math.min(2, maxReplicas);
