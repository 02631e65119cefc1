import { readFile } from "node:fs/promises";
import http from "node:http";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { KubeConfig, User } from "@kubernetes/client-node";
import { messageOf } from "../lib/index.ts";
import { ClusterError } from "./cluster-error.ts";
import { type Access } from "./credentials.ts";
import { readToken } from "./service-account.ts";

export type KubeconfigSettings = {
  readonly server: string;
  /** The namespace of the context. */
  readonly namespace?: string;
  /** Runs plugins and reads files as the context says. With `renew`, from the kubeconfig as it is now. */
  readonly access: (renew: boolean) => Promise<Access>;
};

type Loaded = { readonly config: KubeConfig; readonly tokenFile?: string };

/**
 * Reads kubeconfigs, of which earlier ones win, as `kubectl` does. The library behind it loads a model of each kind that
 * there is (0.3 s, 80 MB), whichever part of it is asked for: so it is loaded only here, and not in a pod.
 */
export async function readKubeconfig(
  files: readonly string[],
  context: string | undefined,
): Promise<KubeconfigSettings> {
  let loaded = await loadAll(files, context);
  const cluster = loaded.config.getCurrentCluster();
  const namespace = loaded.config.getContextObject(loaded.config.getCurrentContext())?.namespace;
  return {
    server: cluster?.server ?? "",
    ...(namespace !== undefined && { namespace }),
    access: async (renew) => {
      if (renew) loaded = await loadAll(files, context);
      return await accessOf(loaded);
    },
  };
}

async function accessOf({ config, tokenFile }: Loaded): Promise<Access> {
  const options: Parameters<KubeConfig["applyToHTTPSOptions"]>[0] = {};
  await config.applyToHTTPSOptions(options);
  const { auth, ca, cert, key, servername, rejectUnauthorized, agent } = options;
  const headers = Object.fromEntries(
    Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value).trim()]),
  );
  if (typeof auth === "string") headers["authorization"] = `Basic ${Buffer.from(auth).toString("base64")}`;
  if (tokenFile !== undefined) headers["authorization"] = `Bearer ${await readToken(tokenFile)}`;
  return {
    headers,
    tls: {
      ...(isPem(ca) && { ca }),
      ...(isPem(cert) && { cert }),
      ...(isPem(key) && { key }),
      ...(servername !== undefined && { servername }),
      ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    },
    ...(config.getCurrentCluster()?.proxyUrl !== undefined && agent instanceof http.Agent && { agent }),
  };
}

const isPem = (value: unknown): value is string | Buffer => typeof value === "string" || Buffer.isBuffer(value);

async function loadAll(files: readonly string[], context: string | undefined): Promise<Loaded> {
  const [library, yaml] = await Promise.all([import("@kubernetes/client-node"), import("js-yaml")]);
  const parts = (await Promise.all(files.map((file) => loadOne(library.KubeConfig, yaml.load, file)))).flatMap(
    (part) => part ?? [],
  );
  if (parts.length === 0)
    throw new ClusterError(`no kubeconfig: ${files.join(", ")} ${files.length === 1 ? "does" : "do"} not exist`);
  const config = new library.KubeConfig();
  config.loadFromOptions({
    clusters: firstOfEach(parts.flatMap((part) => part.config.getClusters())),
    users: firstOfEach(parts.flatMap((part) => part.config.getUsers())),
    contexts: firstOfEach(parts.flatMap((part) => part.config.getContexts())),
    currentContext: context ?? parts.map((part) => part.config.getCurrentContext()).find((name) => name),
  });
  const tokenFile = complete(
    config,
    files.join(", "),
    new Map(parts.toReversed().flatMap((part) => [...part.tokenFiles])),
  );
  return { config, ...(tokenFile !== undefined && { tokenFile }) };
}

type Part = { readonly config: KubeConfig; readonly tokenFiles: ReadonlyMap<string, string | undefined> };

async function loadOne(
  Config: typeof KubeConfig,
  parse: (text: string) => unknown,
  file: string,
): Promise<Part | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new ClusterError(`kubeconfig ${file} cannot be read: ${error.message}`);
  });
  if (text === undefined) return undefined;
  try {
    const config = new Config();
    config.loadFromString(text);
    const folder = dirname(file);
    config.makePathsAbsolute(folder);
    for (const user of config.getUsers()) completePlugin(user, config, folder);
    return { config, tokenFiles: tokenFilesOf(parse(text), folder) };
  } catch (error) {
    throw new ClusterError(`kubeconfig ${file} is not valid: ${messageOf(error)}`);
  }
}

const firstOfEach = <T extends { readonly name: string }>(entries: readonly T[]): T[] =>
  entries.filter(({ name }, index) => entries.findIndex((other) => other.name === name) === index);

/** Checks that the context leads to a cluster and a user, and evens out what the library does not expect. */
function complete(config: KubeConfig, from: string, tokenFiles: Part["tokenFiles"]): string | undefined {
  const names = config.getContexts().map(({ name }) => name);
  const name = config.getCurrentContext();
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  if (!name) throw new ClusterError(`kubeconfig ${from} names no current context, and none was asked for: ${known}`);
  const context = config.getContextObject(name);
  if (context === null) throw new ClusterError(`kubeconfig ${from} has no context "${name}": ${known}`);
  const cluster = config.getCluster(context.cluster);
  if (cluster === null)
    throw new ClusterError(
      `kubeconfig ${from}: context "${name}" names a cluster "${context.cluster}", which is missing`,
    );
  if (!/^https?:\/\//.test(cluster.server))
    throw new ClusterError(
      `kubeconfig ${from}: the server of cluster "${cluster.name}" is no http(s) address: ${cluster.server}`,
    );
  if (context.user && config.getUser(context.user) === null)
    throw new ClusterError(`kubeconfig ${from}: context "${name}" names a user "${context.user}", which is missing`);
  // Without a user the library leaves out the cluster's CA, and over http it insists on a setting for TLS.
  const user = context.user || "anonymous";
  config.loadFromOptions({
    clusters: [cluster.server.startsWith("http:") ? { ...cluster, skipTLSVerify: true } : cluster],
    users: [config.getUser(context.user) ?? { name: user }],
    contexts: [{ ...context, user }],
    currentContext: name,
  });
  return tokenFiles.get(user);
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** The `tokenFile` of each user, or that there is none: the library knows it by another name. */
function tokenFilesOf(raw: unknown, folder: string): Part["tokenFiles"] {
  const users = isFields(raw) && Array.isArray(raw["users"]) ? raw["users"].filter(isFields) : [];
  return new Map(
    users.map(({ name, user }) => {
      const file = isFields(user) ? user["tokenFile"] : undefined;
      return [String(name), typeof file === "string" ? resolve(folder, file) : undefined];
    }),
  );
}

type Exec = {
  command?: string;
  env?: { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly provideClusterInfo?: boolean;
};

/** Plugins are found beside the kubeconfig, and told what is asked of them. https://kubernetes.io/docs/reference/access-authn-authz/authentication/#input-and-output-formats */
function completePlugin(user: User, config: KubeConfig, folder: string): void {
  const exec: Exec | undefined = user.exec ?? undefined;
  if (exec === undefined) return;
  if (exec.command?.includes("/") && !isAbsolute(exec.command)) exec.command = join(folder, exec.command);
  const cluster = exec.provideClusterInfo ? config.getCurrentCluster() : null;
  const info = {
    apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: {
      interactive: false,
      ...(cluster !== null && {
        cluster: {
          server: cluster.server,
          "certificate-authority-data": cluster.caData,
          "insecure-skip-tls-verify": cluster.skipTLSVerify,
          "tls-server-name": cluster.tlsServerName,
        },
      }),
    },
  };
  exec.env = [...(exec.env ?? []), { name: "KUBERNETES_EXEC_INFO", value: JSON.stringify(info) }];
}
