import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { environment } from "../../../../image/src/places.ts";
import { proxyFolders } from "../../../../operator/src/infra/index.ts";
import { isSuccess, serviceAccountFolder } from "../../../../operator/src/kubernetes/index.ts";
import { pkiFiles } from "../../../lab/pki.ts";
import { mustRun } from "../../../lab/run-command.ts";
import type { ApiBed } from "../api-bed.ts";
import { createWriter } from "../cluster-writer.ts";
import { gatewayName, type KubernetesObject, namespace } from "../objects.ts";
import { hostAddress } from "../own-network.ts";
import { startProgram, until } from "../program.ts";
import { heapAfterCollection } from "../heap.ts";
import type { Product } from "../product.ts";
import type { HeaderFilter, OwnCounters, Side } from "./side.ts";

const root = path.resolve(import.meta.dirname, "../../../..");
const systemNamespace = "gatewright-system";
const className = "gatewright";
const healthUrl = "http://127.0.0.1:8081";
const metricsUrl = "http://127.0.0.1:9090/metrics";

export type OursOptions = {
  /** Flags of Node, for profiles. */
  readonly nodeFlags?: readonly string[];
  /** The product as it is published. Left out: the sources. */
  readonly product?: Product;
};

export function createOurs({ nodeFlags = [], product }: OursOptions = {}): Side {
  const main = product
    ? [path.join(product.folder, "operator/dist/main.js")]
    : ["--conditions=source", path.join(root, "operator/src/main.ts")];
  return {
    name: "ours",
    version: product?.version ?? "sources",
    className,
    controllerName: "gatewright.dev/gateway-controller",
    writesStatuses: true,
    prepare: async ({ api }) => {
      await createWriter(api).create({ apiVersion: "v1", kind: "Namespace", metadata: { name: systemNamespace } });
    },
    start: async (bed) => {
      await mountServiceAccount(bed);
      const program = startProgram({
        name: "gatewright",
        logFile: path.join(bed.folder, "gatewright.log"),
        // As in a pod of the image.
        env: {
          NODE_OPTIONS: environment["NODE_OPTIONS"],
          KUBERNETES_SERVICE_HOST: hostAddress,
          KUBERNETES_SERVICE_PORT: "6443",
        },
        command: [
          process.execPath,
          ...nodeFlags,
          ...main,
          "operator",
          `--namespace=${systemNamespace}`,
          "--ads-name=localhost",
          "--log-level=error",
          "--no-leader-election",
        ],
      });
      await until("the operator is ready", async () => (await statusOf(`${healthUrl}/readyz`)) === 200, {
        of: program,
        withinMs: 300_000,
      });
      return program;
    },
    envoyOptions,
    ownCounters,
    heapMiB: ({ pid }) => heapAfterCollection(pid),
    headerFilter,
  };
}

const headerFilter: HeaderFilter = {
  extension: { group: "config.aether.io", kind: "HTTPFilter", name: "header" },
  object: (_, header, value) => httpFilter({ response_mutations: [{ append: { header: { key: header, value } } }] }),
  broken: () => httpFilter({ response_mutation: [] }),
};

const httpFilter = (mutations: object): KubernetesObject => ({
  apiVersion: "config.aether.io/v1",
  kind: "HTTPFilter",
  metadata: { name: "header", namespace },
  spec: {
    filter: "envoy.filters.http.header_mutation",
    typedConfig: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
      mutations,
    },
  },
});

/** What a pod reaches the API server with, where a kubelet puts it. */
async function mountServiceAccount({ folder }: ApiBed): Promise<void> {
  const { tokens, authority } = pkiFiles(path.join(folder, "pki"));
  const [token = ""] = (await readFile(tokens, "utf8")).split(",");
  await mkdir(serviceAccountFolder, { recursive: true });
  await writeFile(path.join(serviceAccountFolder, "token"), token);
  await copyFile(authority, path.join(serviceAccountFolder, "ca.crt"));
}

/** Kubernetes would mount these; here they are written to a folder of the benchmark, and paths follow. */
async function envoyOptions({ api, folder }: ApiBed) {
  const name = `${gatewayName}-${className}`;
  const dataOf = async (plural: string) => {
    let data: Readonly<Record<string, string>> = {};
    await until(`${plural}/${name} is there`, async () => {
      const response = await api.request({ method: "GET", path: `/api/v1/namespaces/${namespace}/${plural}/${name}` });
      if (!isSuccess(response)) return false;
      data = (response.body as { data: Record<string, string> }).data;
      return true;
    });
    return data;
  };
  const configFolder = path.join(folder, "proxy-config");
  const secretFolder = path.join(folder, "proxy-identity");
  const adminPath = path.join(folder, "admin.sock");
  const here = (text: string) =>
    text
      .replaceAll(proxyFolders.configFolder, configFolder)
      .replaceAll(proxyFolders.secretFolder, secretFolder)
      .replaceAll("/tmp/admin.sock", adminPath);
  await mkdir(configFolder, { recursive: true });
  await mkdir(secretFolder, { recursive: true });
  const config = await dataOf("configmaps");
  for (const [file, text] of Object.entries(config)) await writeFile(path.join(configFolder, file), here(text));
  for (const [file, data] of Object.entries(await dataOf("secrets")))
    await writeFile(path.join(secretFolder, file), Buffer.from(data, "base64"), { mode: 0o600 });
  return {
    folder,
    bootstrap: here(config["bootstrap.json"] ?? ""),
    adminPath,
    nodeId: `${namespace}/proxy-1`,
    adsCluster: "gatewright-ads",
  };
}

async function ownCounters(): Promise<OwnCounters> {
  const text = await (await fetch(metricsUrl)).text();
  const sum = (name: string) => {
    let total = 0;
    for (const [, value] of text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))) total += Number(value);
    return total;
  };
  return {
    computations: sum("gatewright_computations_total"),
    resources: sum("gatewright_ads_resources_total"),
    pushedBytes: sum("gatewright_ads_bytes_total"),
  };
}

const statusOf = (url: string): Promise<number> =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );

/** What the definitions of all kinds are, as a user installs them. */
export const definitions = (): Promise<string> =>
  mustRun([
    process.execPath,
    "--conditions=source",
    path.join(root, "charts/src/main.ts"),
    "crds",
    "--channel",
    "experimental",
  ]);
