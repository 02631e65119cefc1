// Envoy Gateway, built from its own module as it is published, and run as its documentation has it but outside of a pod.
import { execFile } from "node:child_process";
import { access, cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { goEnvironment } from "../../../../codegen/src/go/go.ts";
import { isSuccess } from "../../../../operator/src/kubernetes/index.ts";
import { adsIdentityFiles, buildBootstrap } from "../../../../operator/src/xds/index.ts";
import { defaultCacheFolder } from "../../../lab/build.ts";
import { mustRun, runCommand } from "../../../lab/run-command.ts";
import type { ApiBed } from "../api-bed.ts";
import { gatewayName, type KubernetesObject, namespace } from "../objects.ts";
import { startProgram, until } from "../program.ts";
import type { HeaderFilter, Side } from "./side.ts";

const module = "github.com/envoyproxy/gateway";
const version = "v1.9.1";
const systemNamespace = "envoy-gateway-system";
/** Where it looks for its certificate, whatever its configuration says. */
const certificates = "/certs";

/** With its default of 50 requests a second to the API server, or with another. */
export async function createEnvoyGateway(report: (line: string) => void, qps?: number): Promise<Side> {
  const source = await moduleFolder();
  const program = await build(source, report);
  return {
    name: qps === undefined ? "envoy-gateway" : "envoy-gateway-qps-500",
    version,
    className: "envoy-gateway",
    controllerName: "gateway.envoyproxy.io/gatewayclass-controller",
    writesStatuses: true,
    prepare: (bed) => prepare(bed, source, program),
    equip,
    start: async ({ folder, kubeconfig }) => {
      const config = path.join(folder, "envoy-gateway.json");
      await writeFile(config, JSON.stringify(configuration(qps)));
      const running = startProgram({
        name: "envoy-gateway",
        logFile: path.join(folder, "envoy-gateway.log"),
        command: [program, "server", "--config-path", config],
        env: { KUBECONFIG: kubeconfig, ENVOY_GATEWAY_NAMESPACE: systemNamespace },
      });
      await until("Envoy Gateway is ready", async () => await isReady(), { of: running, withinMs: 300_000 });
      return running;
    },
    envoyOptions,
    headerFilter,
  };
}

const isReady = (): Promise<boolean> =>
  fetch("http://127.0.0.1:8081/readyz").then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );

/** Its defaults, but alone, and without the webhook that needs a cluster's network. */
const configuration = (qps: number | undefined) => ({
  apiVersion: "gateway.envoyproxy.io/v1alpha1",
  kind: "EnvoyGateway",
  gateway: { controllerName: "gateway.envoyproxy.io/gatewayclass-controller" },
  provider: {
    type: "Kubernetes",
    kubernetes: {
      leaderElection: { disable: true },
      proxyTopologyInjector: { disabled: true },
      ...(qps !== undefined && { client: { rateLimit: { qps, burst: 2 * qps } } }),
    },
  },
  // Scripts in policies, which are its way to do what an HTTPFilter does, are off unless asked for.
  extensionApis: { enableLua: true },
  logging: { level: { default: "error" } },
});

/** A policy with a script: the way to a filter of Envoy's for one route. */
const headerFilter: HeaderFilter = {
  object: (route, header, value) =>
    script(route, `function envoy_on_response(handle)\n  handle:headers():add("${header}", "${value}")\nend\n`),
  broken: (route) => script(route, "function envoy_on_response(handle\n"),
};

const script = (route: string, inline: string): KubernetesObject => ({
  apiVersion: "gateway.envoyproxy.io/v1alpha1",
  kind: "EnvoyExtensionPolicy",
  metadata: { name: "header", namespace },
  spec: {
    targetRefs: [{ group: "gateway.networking.k8s.io", kind: "HTTPRoute", name: route }],
    lua: [{ type: "Inline", inline }],
  },
});

async function moduleFolder(): Promise<string> {
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", `${module}@${version}`], {
    cwd: tmpdir(),
    env: { ...process.env, ...goEnvironment },
  });
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

/** In its own module: it pins what it is made of, and replaces what nobody who requires it would. */
async function build(source: string, report: (line: string) => void): Promise<string> {
  const folder = path.join(defaultCacheFolder(), "envoy-gateway", version);
  const file = path.join(folder, "envoy-gateway");
  if (await exists(file)) return file;
  report(`building Envoy Gateway ${version} into ${folder}, once: about 10 minutes`);
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(path.join(folder, ".build-"));
  try {
    // Copied, since Go's module cache is read-only.
    await cp(source, path.join(work, "source"), { recursive: true });
    await mustRun(["chmod", "-R", "u+w", path.join(work, "source")]);
    const args = ["build", "-mod=mod", "-ldflags=-s -w", "-o", path.join(work, "envoy-gateway"), "./cmd/envoy-gateway"];
    await mustRun(["nice", "-n", "19", "go", "-C", path.join(work, "source"), ...args], {
      env: { ...process.env, GOWORK: "off" },
    });
    await rename(path.join(work, "envoy-gateway"), file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return file;
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

async function prepare({ kubectl, kubeconfig }: ApiBed, source: string, program: string): Promise<void> {
  const definitions = path.join(source, "charts/gateway-helm/charts/crds/crds/generated");
  for (const name of await readdir(definitions))
    await kubectl(["apply", "--server-side", `--filename=${path.join(definitions, name)}`]);
  await kubectl(["wait", "--for=condition=Established", "--timeout=60s", "--all", "crds"]);
  await kubectl(["create", "namespace", systemNamespace]);
  await mustRun([program, "certgen", "--disable-topology-injector"], {
    env: { ...process.env, KUBECONFIG: kubeconfig, ENVOY_GATEWAY_NAMESPACE: systemNamespace },
  });
}

async function equip({ api, folder }: ApiBed): Promise<void> {
  await mkdir(certificates, { recursive: true });
  // Only in the mount namespace of the benchmark.
  if ((await runCommand(["mountpoint", "--quiet", certificates])).code !== 0)
    await mustRun(["mount", "-t", "tmpfs", "tmpfs", certificates]);
  await writeSecret(api, "envoy-gateway", certificates);
  await writeSecret(api, "envoy", path.join(folder, "proxy-identity"));
}

async function writeSecret(api: ApiBed["api"], name: string, folder: string): Promise<void> {
  const response = await api.request({ method: "GET", path: `/api/v1/namespaces/${systemNamespace}/secrets/${name}` });
  if (!isSuccess(response)) throw new Error(`Envoy Gateway has made no Secret ${name}`);
  await mkdir(folder, { recursive: true });
  for (const [file, data] of Object.entries((response.body as { data: Record<string, string> }).data))
    await writeFile(path.join(folder, file), Buffer.from(data, "base64"), { mode: 0o600 });
}

/** The same as ours in all that its Envoy does by itself: statistics, limits, keep-alives. */
async function envoyOptions({ folder }: ApiBed) {
  const adminPath = path.join(folder, "admin.sock");
  const configFolder = path.join(folder, "proxy-config");
  const identity = {
    configFolder,
    secretFolder: path.join(folder, "proxy-identity"),
    serverName: `envoy-gateway.${systemNamespace}.svc`,
  };
  await mkdir(configFolder, { recursive: true });
  for (const [file, content] of Object.entries(adsIdentityFiles(identity)))
    await writeFile(path.join(configFolder, file), JSON.stringify(content));
  const bootstrap = buildBootstrap({
    nodeCluster: `${namespace}/${gatewayName}`,
    ads: { address: "127.0.0.1", port: 18_000 },
    identity,
    admin: { path: adminPath },
  });
  return {
    folder,
    bootstrap: JSON.stringify(bootstrap),
    adminPath,
    nodeId: "proxy-1",
    adsCluster: "gatewright-ads",
  };
}
