// The processes of the lab, and how each is started.
import path from "node:path";
import { addresses } from "./addresses.ts";
import { pkiFiles } from "./pki.ts";
import type { LabPrograms } from "./programs.ts";

/** In the order in which they are started. */
export const componentNames = [
  "etcd",
  "kube-apiserver",
  "kube-controller-manager",
  "kube-scheduler",
  "node",
  "kube-proxy",
] as const;
export type ComponentName = (typeof componentNames)[number];

export const isComponentName = (text: string): text is ComponentName => componentNames.some((name) => name === text);

export const nodeName = "node";

export type ComponentSettings = {
  /** The lab's folder. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly imagesFile: string;
  readonly programs: LabPrograms;
  /** Whether the API server has ClusterTrustBundles. */
  readonly clusterTrustBundle: boolean;
  /** Bounds the time that pods may take to end; nothing: as long as they ask for. */
  readonly maxGraceSeconds?: number;
};

/** The program of a component and its arguments. */
export function commandOf(component: ComponentName, settings: ComponentSettings): readonly string[] {
  const args = {
    etcd,
    "kube-apiserver": apiServer,
    "kube-controller-manager": controllerManager,
    "kube-scheduler": scheduler,
    node,
    "kube-proxy": proxy,
  }[component](settings);
  return [settings.programs[component], ...args];
}

/** Pods end with the node: their processes are in a namespace of the agent's own. */
export const hasOwnNamespace = (component: ComponentName): boolean => component === "node";

export const etcdUrl = "http://127.0.0.1:2379";

const etcd = ({ folder }: ComponentSettings): readonly string[] => [
  `--data-dir=${path.join(folder, "etcd")}`,
  `--listen-client-urls=${etcdUrl}`,
  `--advertise-client-urls=${etcdUrl}`,
  "--listen-peer-urls=http://127.0.0.1:2380",
  // What is here need not outlive the machine.
  "--unsafe-no-fsync",
  "--log-level=warn",
];

// On in Kubernetes 1.37 unless told otherwise. Its projection into volumes depends on it.
const featureGates = ({ clusterTrustBundle }: ComponentSettings): readonly string[] =>
  clusterTrustBundle ? [] : ["--feature-gates=ClusterTrustBundle=false,ClusterTrustBundleProjection=false"];

const apiServer = (settings: ComponentSettings): readonly string[] => {
  const pki = pkiFiles(path.join(settings.folder, "pki"));
  return [
    `--etcd-servers=${etcdUrl}`,
    "--bind-address=0.0.0.0",
    `--secure-port=${addresses.apiServerPort}`,
    `--advertise-address=${addresses.node}`,
    `--tls-cert-file=${pki.server}`,
    `--tls-private-key-file=${pki.serverKey}`,
    `--token-auth-file=${pki.tokens}`,
    "--authorization-mode=RBAC",
    `--service-cluster-ip-range=${addresses.services}`,
    "--allow-privileged=true",
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${pki.tokenPublicKey}`,
    `--service-account-signing-key-file=${pki.tokenKey}`,
    "--kubelet-preferred-address-types=InternalIP",
    "--profiling=false",
    `--audit-policy-file=${path.join(import.meta.dirname, "audit-policy.yaml")}`,
    `--audit-log-path=${path.join(settings.folder, "log/audit.log")}`,
    "--max-requests-inflight=800",
    "--max-mutating-requests-inflight=400",
    ...featureGates(settings),
  ];
};

const controllerManager = (settings: ComponentSettings): readonly string[] => {
  const pki = pkiFiles(path.join(settings.folder, "pki"));
  return [
    `--kubeconfig=${settings.kubeconfig}`,
    "--leader-elect=false",
    "--use-service-account-credentials=true",
    `--service-account-private-key-file=${pki.tokenKey}`,
    `--root-ca-file=${pki.authority}`,
    `--cluster-signing-cert-file=${pki.authority}`,
    `--cluster-signing-key-file=${pki.authorityKey}`,
    // The node's agent hands out addresses of pods.
    "--controllers=*,-node-ipam-controller",
    "--concurrent-deployment-syncs=10",
    "--kube-api-qps=200",
    "--kube-api-burst=400",
    "--secure-port=0",
    "--node-monitor-grace-period=120s",
    ...featureGates(settings),
  ];
};

const scheduler = ({ kubeconfig }: ComponentSettings): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  "--leader-elect=false",
  "--kube-api-qps=200",
  "--kube-api-burst=400",
  "--secure-port=0",
];

const node = (settings: ComponentSettings): readonly string[] => [
  `--kubeconfig=${settings.kubeconfig}`,
  `--name=${nodeName}`,
  `--address=${addresses.node}`,
  `--api-server=${addresses.apiServerService}`,
  `--pod-network=${addresses.pods}`,
  `--balancer-network=${addresses.balancers}`,
  `--images=${settings.imagesFile}`,
  `--folder=${path.join(settings.folder, "pods")}`,
  ...(settings.maxGraceSeconds === undefined ? [] : [`--max-grace=${settings.maxGraceSeconds}s`]),
];

const proxy = ({ kubeconfig }: ComponentSettings): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  "--proxy-mode=nftables",
  `--hostname-override=${nodeName}`,
  "--cluster-cidr=198.18.0.0/16",
  // Settings of the whole host, which are none of the lab's business.
  "--conntrack-max-per-core=0",
  "--conntrack-tcp-timeout-established=0",
  "--conntrack-tcp-timeout-close-wait=0",
  "--healthz-bind-address=127.0.0.1:10256",
  "--metrics-bind-address=127.0.0.1:10249",
  "--nodeport-addresses=primary",
];
