import { createHash } from "node:crypto";
import type { DeploymentSpec } from "@gatewright/crd-types/apps/v1";
import type { Container, PodSpec, ResourceRequirements, TopologySpreadConstraint } from "@gatewright/crd-types/core/v1";
import type { Proxy } from "../ir/index.ts";
import { parseQuantity } from "../lib/index.ts";
import { bootstrapFile, bootstrapNeeds, configFolder, secretFolder, workFolder } from "./bootstrap-needs.ts";
import type { InfraSettings } from "./desired-infra.ts";
import { labelsOf, selectorLabels } from "./metadata.ts";
import { infraName } from "./names.ts";

/** Has no shell, and runs as the user below. */
const defaultImage = "envoyproxy/envoy:distroless-v1.40.0";
const user = 65_532;

const defaultRequests: Readonly<Record<string, string>> = { cpu: "100m", memory: "256Mi" };
const defaultConcurrency = 2;

/** For what is left after draining. */
const graceSeconds = 10;

export function deploymentSpec(proxy: Proxy, settings: InfraSettings): DeploymentSpec {
  const { replicas = 1, autoscaling } = proxy.deployment;
  return {
    // Where it is scaled by somebody else, the number is theirs.
    ...(autoscaling === undefined && { replicas }),
    revisionHistoryLimit: 2,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    selector: { matchLabels: selectorLabels(proxy) },
    template: {
      metadata: { labels: labelsOf(proxy), annotations: podAnnotations(proxy, settings) },
      spec: podSpec(proxy, settings),
    },
  };
}

/** Neither ports of listeners nor anything else that changes with them: pods are replaced for what stands here. */
const podAnnotations = (proxy: Proxy, { files }: InfraSettings) => ({
  "prometheus.io/scrape": "true",
  "prometheus.io/port": String(bootstrapNeeds(proxy).management.port),
  "prometheus.io/path": "/stats/prometheus",
  ...proxy.annotations,
  // Envoy reads it only when it starts.
  "gatewright.dev/config": createHash("sha256").update(JSON.stringify(files)).digest("hex").slice(0, 16),
});

function podSpec(proxy: Proxy, settings: InfraSettings): PodSpec {
  const { imagePullSecrets = [], scheduling = {} } = proxy.deployment;
  const { drain } = bootstrapNeeds(proxy).management;
  const name = infraName(proxy);
  return {
    serviceAccountName: name,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(imagePullSecrets.length > 0 && { imagePullSecrets: imagePullSecrets.map((secret) => ({ name: secret })) }),
    terminationGracePeriodSeconds: (drain?.seconds ?? 0) + graceSeconds,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: "RuntimeDefault" },
      // A port below 1024 is bound as it is. One of the sysctls that every pod may set.
      sysctls: [{ name: "net.ipv4.ip_unprivileged_port_start", value: "0" }],
    },
    containers: [envoy(proxy, settings)],
    volumes: [
      { name: "config", configMap: { name } },
      { name: "identity", secret: { secretName: name, defaultMode: 0o440 } },
      { name: "work", emptyDir: {} },
    ],
    topologySpreadConstraints: ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map((key) =>
      spreadOver(key, proxy),
    ),
    ...scheduling,
  };
}

function envoy(proxy: Proxy, { image = defaultImage }: InfraSettings): Container {
  const { deployment } = proxy;
  const { drain, port } = bootstrapNeeds(proxy).management;
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    name: "envoy",
    image: deployment.image ?? image,
    args: [
      ...Object.entries({
        "--config-path": `${configFolder}/${bootstrapFile}`,
        "--service-node": "$(POD_NAMESPACE)/$(POD_NAME)",
        "--concurrency": String(concurrencyOf(proxy)),
        "--drain-time-s": String(drainTimeSeconds(drain)),
        "--log-level": "warning",
      }).flat(),
      "--disable-hot-restart",
    ],
    env: [field("POD_NAME", "metadata.name"), field("POD_NAMESPACE", "metadata.namespace")],
    ports: [{ name: "management", containerPort: port, protocol: "TCP" }],
    resources: resourcesOf(proxy),
    readinessProbe: {
      httpGet: { path: "/ready", port: "management" },
      periodSeconds: 2,
      timeoutSeconds: 2,
      failureThreshold: 3,
    },
    // No liveness probe: an Envoy that has lost its operator serves on. One that hangs ends itself.
    ...(drain && { lifecycle: { preStop: { httpGet: { path: drain.path, port: "management" } } } }),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      runAsNonRoot: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "config", mountPath: configFolder, readOnly: true },
      { name: "identity", mountPath: secretFolder, readOnly: true },
      { name: "work", mountPath: workFolder },
    ],
  };
}

/** Connections are closed one after the other during this time, and all that come after it at once. */
const drainTimeSeconds = (drain: { readonly seconds: number } | undefined): number =>
  Math.max(1, Math.floor(((drain?.seconds ?? 0) * 2) / 3));

function concurrencyOf({ deployment: { concurrency, resources } }: Proxy): number {
  if (concurrency !== undefined) return concurrency;
  const limit = parseQuantity(resources?.limits?.["cpu"] ?? "");
  return limit === undefined ? defaultConcurrency : Math.max(1, Math.ceil(limit));
}

function resourcesOf({ deployment: { resources: { requests = {}, limits } = {} } }: Proxy): ResourceRequirements {
  // Where there is a limit and no request, the limit is the request.
  const missing = Object.entries(defaultRequests).filter(([name]) => limits?.[name] === undefined);
  return { requests: { ...Object.fromEntries(missing), ...requests }, ...(limits && { limits }) };
}

const spreadOver = (topologyKey: string, proxy: Proxy): TopologySpreadConstraint => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: "ScheduleAnyway",
  labelSelector: { matchLabels: selectorLabels(proxy) },
  matchLabelKeys: ["pod-template-hash"],
});
