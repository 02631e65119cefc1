// etcd and a Kubernetes API server, and nothing else of a cluster: no controllers, so that every write but the benchmark's own is that of
// the implementation that is measured.
import { cp, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { silentLogger } from "../../../operator/src/lib/index.ts";
import { type ApiServer, connectToCluster } from "../../../operator/src/kubernetes/index.ts";
import { buildPrograms } from "../../lab/build.ts";
import { makePki, pkiFiles } from "../../lab/pki.ts";
import { labPrograms } from "../../lab/programs.ts";
import { mustRun } from "../../lab/run-command.ts";
import { type Program, startProgram, until } from "./program.ts";

export type ApiBed = {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly api: ApiServer;
  readonly etcd: Program;
  readonly apiServer: Program;
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** Requests that the API server has answered, by verb, resource and subresource. */
  readonly requests: () => Promise<ReadonlyMap<string, number>>;
  readonly stop: () => Promise<void>;
  /** Keeps what etcd has, from where another bed can start. Only after `stop`. */
  readonly keep: (snapshot: string) => Promise<void>;
};

const wanted = ["etcd", "kube-apiserver", "kubectl"] as const;
const isWanted = (name: string): name is (typeof wanted)[number] => wanted.some((one) => one === name);
/** What the bed runs; built where it has not been. */
export const bedPrograms = labPrograms.flatMap((program) =>
  isWanted(program.name) ? [{ ...program, name: program.name }] : [],
);

/** An empty one, or one that goes on from a snapshot. */
export async function startApiBed(folder: string, report: (line: string) => void, snapshot?: string): Promise<ApiBed> {
  const programs = await buildPrograms(bedPrograms, { report });
  const kubeconfig = path.join(folder, "kubeconfig");
  await mkdir(folder, { recursive: true });
  await makePki(path.join(folder, "pki"), kubeconfig);
  const data = path.join(folder, "etcd");
  if (snapshot !== undefined) await cp(snapshot, data, { recursive: true });
  const etcd = startProgram({
    name: "etcd",
    logFile: path.join(folder, "etcd.log"),
    command: [
      programs.etcd,
      `--data-dir=${data}`,
      "--unsafe-no-fsync",
      "--log-level=warn",
      "--quota-backend-bytes=4294967296",
    ],
  });
  const pki = pkiFiles(path.join(folder, "pki"));
  const apiServer = startProgram({
    name: "kube-apiserver",
    logFile: path.join(folder, "kube-apiserver.log"),
    command: [
      programs["kube-apiserver"],
      "--etcd-servers=http://127.0.0.1:2379",
      "--advertise-address=198.18.0.1",
      "--secure-port=6443",
      `--tls-cert-file=${pki.server}`,
      `--tls-private-key-file=${pki.serverKey}`,
      `--token-auth-file=${pki.tokens}`,
      "--authorization-mode=AlwaysAllow",
      "--disable-admission-plugins=ServiceAccount",
      "--service-cluster-ip-range=198.19.0.0/17",
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-key-file=${pki.tokenPublicKey}`,
      `--service-account-signing-key-file=${pki.tokenKey}`,
      "--max-requests-inflight=800",
      "--max-mutating-requests-inflight=400",
      // ClusterTrustBundles in the version that all implementations read.
      "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true",
    ],
  });
  const { api } = await connectToCluster({ kubeconfig, env: {}, logger: silentLogger });
  const get = (where: string) => api.request({ method: "GET", path: where }).catch(() => undefined);
  await until("the API server is ready", async () => (await get("/readyz"))?.status === 200, {
    of: apiServer,
    everyMs: 100,
    withinMs: 120_000,
  });
  return {
    folder,
    kubeconfig,
    api,
    etcd,
    apiServer,
    kubectl: (args, input) =>
      mustRun([programs.kubectl, `--kubeconfig=${kubeconfig}`, ...args], input === undefined ? {} : { input }),
    requests: async () => parseRequests((await get("/metrics"))?.body),
    stop: async () => {
      api.close();
      // Before etcd, without which it would not end. All that it has to keep is there.
      await apiServer.stop(300);
      await etcd.stop();
    },
    keep: async (target) => {
      const unfinished = `${target}.unfinished`;
      await rm(unfinished, { recursive: true, force: true });
      await cp(data, unfinished, { recursive: true });
      await rename(unfinished, target);
    },
  };
}

/** https://kubernetes.io/docs/reference/instrumentation/metrics/ */
function parseRequests(metrics: unknown): ReadonlyMap<string, number> {
  if (typeof metrics !== "string") throw new Error("the API server gives no metrics");
  const counts = new Map<string, number>();
  for (const [, labels = "", value] of metrics.matchAll(/^apiserver_request_total\{(.*)\} (\S+)$/gm)) {
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const subresource = label("subresource");
    const key = `${label("verb")} ${label("resource")}${subresource === "" ? "" : `/${subresource}`}`;
    counts.set(key, (counts.get(key) ?? 0) + Number(value));
  }
  return counts;
}

const writes = /^(POST|PUT|PATCH|APPLY|DELETE) /;

/** Writes between two states of the counters, but for those of `own` kinds of requests. */
export function writesBetween(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const differences = new Map<string, number>();
  for (const [key, count] of after) {
    const difference = count - (before.get(key) ?? 0);
    if (difference > 0 && writes.test(key)) differences.set(key, difference);
  }
  return differences;
}
