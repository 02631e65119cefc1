// A program that reads a cluster as the operator does, and tells on its output what it knows, one JSON object a line. It runs where the
// cluster can be reached, which is not where its test runs.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { checkApiServer, connectToCluster } from "../../operator/src/kubernetes/index.ts";
import { createDiscovery } from "../../operator/src/discovery/index.ts";
import { createKubernetesSource } from "../../operator/src/source/index.ts";
import { isStoredKind, storedKinds } from "../../operator/src/store/index.ts";
import { createLogger } from "../../operator/src/lib/index.ts";

/** What the observer tells. */
export type Told =
  | { readonly tell: "reachable"; readonly version: string; readonly namespace: string | undefined }
  | { readonly tell: "problem"; readonly message: string }
  | { readonly tell: "served"; readonly kinds: Readonly<Record<string, string>> }
  | { readonly tell: "synced"; readonly afterMs: number; readonly longestSliceMs: number; readonly mebibytes: number }
  | { readonly tell: "object"; readonly kind: string; readonly key: string; readonly version: string | undefined }
  /** How often each kind was read anew, after SIGUSR2. */
  | { readonly tell: "lists"; readonly lists: Readonly<Record<string, number>> }
  | { readonly tell: "log"; readonly line: string };

const tell = (told: Told) => void process.stdout.write(`${JSON.stringify(told)}\n`);

async function main(): Promise<void> {
  const { env } = process;
  const startedMs = performance.now();
  const logger = createLogger({
    level: "info",
    format: "text",
    write: (line) => tell({ tell: "log", line: line.trim() }),
  });
  const folder = env["SERVICE_ACCOUNT_FOLDER"];
  const { api, namespace } = await connectToCluster({ env, logger, ...(folder && { serviceAccountFolder: folder }) });
  const check = await checkApiServer(api);
  if (check.kind !== "reachable") return tell({ tell: "problem", message: check.message });
  tell({ tell: "reachable", version: check.version, namespace });
  const discovery = createDiscovery({ api, kinds: Object.keys(storedKinds).filter(isStoredKind), logger });
  const tellServed = () =>
    tell({
      tell: "served",
      kinds: Object.fromEntries([...discovery.served()].map(([kind, { version }]) => [kind, version])),
    });
  discovery.onChange(tellServed);
  await discovery.start();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const source = createKubernetesSource({
    api,
    served: discovery,
    logger,
    onChanges: (changes) => {
      for (const { kind, key, object } of changes)
        tell({ tell: "object", kind, key, version: object?.metadata.resourceVersion });
    },
    onSynced: () =>
      tell({
        tell: "synced",
        afterMs: Math.round(performance.now() - startedMs),
        longestSliceMs: Math.round(delay.max / 1e5) / 10,
        mebibytes: Math.round(process.memoryUsage().rss / 1024 / 1024),
      }),
  });
  process.on("SIGUSR2", () =>
    tell({ tell: "lists", lists: Object.fromEntries([...source.state()].map(([kind, { lists }]) => [kind, lists])) }),
  );
  source.start();
}

await main();
