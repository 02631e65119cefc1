// What is looked at when something has failed: objects, events and logs as they are at that moment, in a folder.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Lab, messageOf } from "../lab/index.ts";
import { systemNamespace } from "./implementation.ts";

/** Kinds whose specification and status tell what was asked for and what came of it. */
const kinds = [
  "gatewayclasses",
  "gateways",
  "listenersets",
  "httproutes",
  "grpcroutes",
  "tlsroutes",
  "tcproutes",
  "udproutes",
  "backendtlspolicies",
  "referencegrants",
  "httpfilters.config.aether.io",
  "meshconfigs.config.aether.io",
  "services",
  "endpointslices",
  "deployments",
  "configmaps",
] as const;

type Pod = {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly labels?: Record<string, string> };
  readonly spec: { readonly containers: readonly { readonly name: string }[] };
  readonly status?: {
    readonly containerStatuses?: readonly { readonly name: string; readonly restartCount: number }[];
  };
};

const lines = 3000;

/** Writes what is there now into a folder. What cannot be had is said there, and is no failure of its own. */
export async function collect(lab: Lab, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const save = async (name: string, args: readonly string[]): Promise<void> => {
    const text = await lab.kubectl(args).catch((error: unknown) => `not to be had: ${messageOf(error)}\n`);
    if (text.trim() !== "") await writeFile(path.join(folder, name), text);
  };
  const everywhere = "--all-namespaces";
  const known = (await lab.kubectl(["api-resources", "--output=name"]).catch(() => "")).split("\n");
  const wanted = kinds.filter((kind) => known.some((name) => name === kind || name.split(".")[0] === kind));
  await Promise.all([
    save("objects.yaml", ["get", wanted.join(","), everywhere, "--output=yaml"]),
    save("pods.txt", ["get", "pods", everywhere, "--output=wide"]),
    save("events.txt", ["get", "events", everywhere, "--sort-by=.lastTimestamp"]),
  ]);
  const listed = await lab.kubectl(["get", "pods", everywhere, "--output=json"]).catch(() => '{"items":[]}');
  const { items } = JSON.parse(listed) as { readonly items: readonly Pod[] };
  for (const { metadata, spec, status } of items.filter(isOurs))
    for (const { name } of spec.containers) {
      const base = `${metadata.namespace}.${metadata.name}.${name}`;
      const args = ["logs", metadata.name, `--namespace=${metadata.namespace}`, `--container=${name}`];
      await save(`${base}.log`, [...args, `--tail=${lines}`]);
      const restarts = status?.containerStatuses?.find((one) => one.name === name)?.restartCount ?? 0;
      if (restarts > 0) await save(`${base}.previous.log`, [...args, "--previous", `--tail=${lines}`]);
    }
}

/** The operator, and the proxies of Gateways. */
const isOurs = ({ metadata }: Pod): boolean =>
  metadata.namespace === systemNamespace || metadata.labels?.["gateway.networking.k8s.io/gateway-name"] !== undefined;
