import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Logger } from "../lib/index.ts";
import { apiFailure, isSuccess } from "./api-failure.ts";
import { type ApiServer, ApiUnreachableError } from "./api-server.ts";
import { ClusterError } from "./cluster-error.ts";
import { createCredentials } from "./credentials.ts";
import { createHttpApiServer } from "./http-api-server.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { inClusterServer, readNamespace, readServiceAccount, serviceAccountFolder } from "./service-account.ts";

export type ConnectOptions = {
  /** A file. Unless given: the files of `KUBECONFIG`, the service account of our pod, `~/.kube/config`, in this order. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig other than its current one. */
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logger: Logger;
  /** Where the service account of a pod is. */
  readonly serviceAccountFolder?: string;
};

export type Cluster = {
  readonly api: ApiServer;
  /** Where we run: `POD_NAMESPACE`, the pod's namespace, or that of the context; undefined where nobody says. */
  readonly namespace?: string;
};

/** Finds the cluster that is meant. Nothing is sent yet: `checkApiServer` does. Throws `ClusterError` where none can be told. */
export async function connectToCluster(options: ConnectOptions): Promise<Cluster> {
  const { env, logger } = options;
  const folder = options.serviceAccountFolder ?? serviceAccountFolder;
  const files = namedFiles(options);
  const inCluster = files === undefined && options.context === undefined ? inClusterServer(env, folder) : undefined;
  if (inCluster !== undefined) {
    const credentials = createCredentials(() => readServiceAccount(folder));
    const api = createHttpApiServer({ server: inCluster, credentials, logger });
    return cluster(api, env["POD_NAMESPACE"] || (await readNamespace(folder)));
  }
  const { server, namespace, access } = await readKubeconfig(files ?? defaultFiles(env), options.context);
  const api = createHttpApiServer({ server, credentials: createCredentials(access), logger });
  return cluster(api, env["POD_NAMESPACE"] || namespace);
}

const cluster = (api: ApiServer, namespace: string | undefined): Cluster => ({
  api,
  ...(namespace !== undefined && { namespace }),
});

function namedFiles({ kubeconfig, env }: ConnectOptions): readonly string[] | undefined {
  if (kubeconfig !== undefined) return [kubeconfig];
  const named = (env["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  return named.length === 0 ? undefined : named;
}

function defaultFiles(env: ConnectOptions["env"]): readonly string[] {
  const file = join(env["HOME"] || homedir(), ".kube", "config");
  if (existsSync(file)) return [file];
  throw new ClusterError(`no cluster: this is not a pod, KUBECONFIG is not set, and ${file} does not exist`);
}

export type ApiServerCheck =
  | { readonly kind: "reachable" /** `v1.37.2` */; readonly version: string }
  | { readonly kind: "refused" | "unreachable"; readonly message: string };

/** Asks the server for its version: whether it is there, is the one that is meant, and knows us. */
export async function checkApiServer(api: ApiServer): Promise<ApiServerCheck> {
  try {
    const response = await api.request({ method: "GET", path: "/version", timeoutMs: 10_000 });
    if (isSuccess(response)) return { kind: "reachable", version: versionOf(response.body) };
    return {
      kind: "refused",
      message: `the API server at ${api.address} answered ${apiFailure(response)}${hint(response.status)}`,
    };
  } catch (error) {
    if (error instanceof ApiUnreachableError) return { kind: "unreachable", message: error.message };
    throw error;
  }
}

function versionOf(body: unknown): string {
  const { gitVersion } = (typeof body === "object" && body !== null ? body : {}) as { readonly gitVersion?: unknown };
  return typeof gitVersion === "string" ? gitVersion : "unknown";
}

function hint(status: number): string {
  if (status === 401) return " (the token or client certificate is not, or no longer, known there)";
  if (status === 403) return " (the user or service account lacks the right to do this)";
  return "";
}
