import { Deployment, GatewayClass, PodDisruptionBudget, Service } from "@gatewright/constructs";
import type { Container } from "@gatewright/crd-types/core/v1";
import { Chart } from "cdk8s";
import type { Construct } from "constructs";
import { labels, name, type OperatorOptions, ports, selectorLabels } from "./operator-options.ts";

const user = 65_532;

/** The operator itself, and the GatewayClass that it serves. */
export class Operator extends Chart {
  constructor(scope: Construct, id: string, options: OperatorOptions) {
    super(scope, id);
    const { namespace, replicas, controllerName, gatewayClass } = options;
    const metadata = { name, namespace, labels };
    new Service(this, "service", {
      metadata,
      spec: {
        selector: selectorLabels,
        ports: [{ name: "ads", port: ports.ads, targetPort: "ads", appProtocol: "grpc" }],
      },
    });
    new Deployment(this, "deployment", {
      metadata,
      spec: {
        replicas,
        revisionHistoryLimit: 2,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        selector: { matchLabels: selectorLabels },
        template: {
          metadata: {
            labels,
            annotations: {
              "prometheus.io/scrape": "true",
              "prometheus.io/port": String(ports.metrics),
              "prometheus.io/path": "/metrics",
            },
          },
          spec: {
            serviceAccountName: name,
            enableServiceLinks: false,
            securityContext: {
              runAsNonRoot: true,
              runAsUser: user,
              runAsGroup: user,
              seccompProfile: { type: "RuntimeDefault" },
            },
            containers: [operator(options)],
            volumes: [{ name: "work", emptyDir: {} }],
            topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((topologyKey) => ({
              topologyKey,
              maxSkew: 1,
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: selectorLabels },
              matchLabelKeys: ["pod-template-hash"],
            })),
          },
        },
      },
    });
    if (replicas > 1)
      new PodDisruptionBudget(this, "disruption-budget", {
        metadata,
        spec: {
          maxUnavailable: 1,
          selector: { matchLabels: selectorLabels },
          unhealthyPodEvictionPolicy: "AlwaysAllow",
        },
      });
    if (gatewayClass !== undefined)
      new GatewayClass(this, "gateway-class", {
        metadata: { name: gatewayClass, labels },
        spec: { controllerName, description: "Envoy, deployed and configured by Gatewright" },
      });
  }
}

const ofPod = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });

const operator = ({ image, namespace, controllerName, proxyImage }: OperatorOptions): Container => ({
  name: "operator",
  image,
  args: [
    "operator",
    ...Object.entries({
      "--namespace": namespace,
      "--controller-name": controllerName,
      "--ads-port": String(ports.ads),
      "--health-port": String(ports.health),
      "--metrics-port": String(ports.metrics),
      ...(proxyImage !== undefined && { "--proxy-image": proxyImage }),
    }).flat(),
  ],
  // What it keeps for itself goes with its pod.
  env: [ofPod("POD_NAME", "metadata.name"), ofPod("POD_UID", "metadata.uid")],
  ports: [
    { name: "ads", containerPort: ports.ads },
    { name: "health", containerPort: ports.health },
    { name: "metrics", containerPort: ports.metrics },
  ],
  readinessProbe: { httpGet: { path: "/readyz", port: "health" }, periodSeconds: 5, timeoutSeconds: 2 },
  // Slow, and patient: who is restarted reads everything anew.
  livenessProbe: {
    httpGet: { path: "/healthz", port: "health" },
    periodSeconds: 10,
    timeoutSeconds: 5,
    failureThreshold: 6,
  },
  resources: { requests: { cpu: "100m", memory: "256Mi" }, limits: { memory: "1Gi" } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
  },
  volumeMounts: [{ name: "work", mountPath: "/tmp" }],
});
