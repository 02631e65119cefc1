// A program that writes statuses into a cluster as the operator does, and tells on its output what it does, one JSON object a line.
// It runs where the cluster can be reached, which is not where its test runs. Its proxies stand and are ready as soon as they are wanted.
import { setTimeout as sleep } from "node:timers/promises";
import { createDiscovery } from "../../operator/src/discovery/index.ts";
import { type ApiServer, connectToCluster } from "../../operator/src/kubernetes/index.ts";
import { createLeaderElection, leaseIdentity } from "../../operator/src/lease/index.ts";
import { createLogger, systemClock } from "../../operator/src/lib/index.ts";
import { createReconciler } from "../../operator/src/reconcile/index.ts";
import { createKubernetesSource } from "../../operator/src/source/index.ts";
import { isStoredKind, storedKinds } from "../../operator/src/store/index.ts";
import { createEventRecorder, createStatusWriter, type StatusWriterStats } from "../../operator/src/writer/index.ts";
import { checkExtension } from "../../operator/src/xds/index.ts";

/** What the writer tells. */
export type WriterTold =
  | { readonly tell: "leads"; readonly leads: boolean }
  | { readonly tell: "written"; readonly object: string }
  | { readonly tell: "stats"; readonly statuses: StatusWriterStats; readonly events: number }
  | { readonly tell: "storm"; readonly updates: number; readonly seconds: number }
  | { readonly tell: "log"; readonly line: string };

const tell = (told: WriterTold) => void process.stdout.write(`${JSON.stringify(told)}\n`);
const controllerName = "gatewright.dev/gateway-controller";
const logger = createLogger({
  level: "info",
  format: "text",
  write: (line) => tell({ tell: "log", line: line.trim() }),
});

async function write(api: ApiServer): Promise<void> {
  const discovery = createDiscovery({ api, kinds: Object.keys(storedKinds).filter(isStoredKind), logger });
  await discovery.start();
  const reconciler = createReconciler({
    logger,
    settings: { controllerName, rootNamespace: "gatewright-system" },
    checkExtension,
  });
  const shared = { api, logger, clock: systemClock, now: () => new Date() };
  const election = createLeaderElection({
    ...shared,
    namespace: "default",
    name: "gatewright",
    identity: leaseIdentity(process.env["POD_NAME"] ?? "writer"),
  });
  const { isLeader } = election;
  const events = createEventRecorder({ ...shared, controllerName, instance: "writer", isLeader });
  const statuses = createStatusWriter({
    ...shared,
    statuses: reconciler.statuses,
    store: reconciler.store,
    versionOf: (kind) => discovery.served().get(kind)?.version,
    controllerName,
    isLeader,
    onWritten: (done) => {
      tell({ tell: "written", object: `${done.kind} ${done.key}` });
      events.record(done);
    },
  });
  const first = Promise.withResolvers<void>();
  const source = createKubernetesSource({
    api,
    served: discovery,
    logger,
    onChanges: reconciler.apply,
    onSynced: reconciler.synced,
  });
  reconciler.onRound(({ wanted, statuses: changed }) => {
    for (const proxy of wanted) {
      if (reconciler.ir.proxies.get(proxy) === undefined) continue;
      reconciler.place(proxy, {
        addresses: [{ type: "IPAddress", value: "192.0.2.1" }],
        bind: (port) => ({ address: "0.0.0.0", port }),
      });
      reconciler.report(proxy, { kind: "ready" });
    }
    statuses.update(changed);
    first.resolve();
  });
  election.onChange((leads) => {
    tell({ tell: "leads", leads });
    if (leads) statuses.compareAll();
  });
  let last = "";
  setInterval(() => {
    const stats = { tell: "stats", statuses: statuses.stats(), events: events.stats().written } as const;
    const text = JSON.stringify(stats);
    if (text !== last) tell(stats);
    last = text;
  }, 100);
  source.start();
  process.once("SIGTERM", () => {
    void Promise.all([statuses.close(), events.close()])
      .then(election.stop)
      .then(() => process.exit(0));
  });
  // Nothing is written before proxies are known to stand.
  await first.promise;
  await reconciler.settled();
  election.start();
}

type Route = {
  readonly metadata: { readonly resourceVersion: string };
  readonly status?: { readonly parents: readonly { readonly controllerName: string }[] };
};

const rival = "example.com/other";

/** What another controller writes that keeps the entries of others. */
function foreignStatus({ metadata, status }: Route, message: string): object {
  const { resourceVersion } = metadata;
  const condition = {
    type: "Accepted",
    status: "True",
    reason: "Accepted",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  const entry = { parentRef: { name: "theirs" }, controllerName: rival, conditions: [{ ...condition, message }] };
  const others = status?.parents.filter((parent) => parent.controllerName !== rival) ?? [];
  return { metadata: { resourceVersion }, status: { parents: [entry, ...others] } };
}

/** Changes one object until it is ended: its annotations, as one who does not care about others, or its status, as one who does. */
async function storm(api: ApiServer, path: string, perSecond: number, what: string): Promise<void> {
  const startedMs = performance.now();
  const under = new Set<Promise<void>>();
  let updates = 0;
  const over = new AbortController();
  process.once("SIGTERM", () => over.abort());
  const patch = async (at: string, body: object) => {
    const request = { method: "PATCH", path: at, body, contentType: "application/merge-patch+json" } as const;
    const { status } = await api.request({ ...request, query: { fieldManager: "storm" } });
    if (status === 200) updates++;
  };
  const change = async (count: number) => {
    if (what !== "status") return await patch(path, { metadata: { annotations: { storm: `${count}` } } });
    const { body } = await api.request({ method: "GET", path });
    await patch(`${path}/status`, foreignStatus(body as Route, `${count}`));
  };
  for (let count = 1; !over.signal.aborted; count++) {
    await sleep(Math.max(0, startedMs + (count * 1_000) / perSecond - performance.now()));
    // It waits for answers as any client does; on a slow machine the storm is weaker.
    if (under.size >= 4) continue;
    const changing: Promise<void> = change(count).finally(() => under.delete(changing));
    under.add(changing);
  }
  await Promise.all(under);
  tell({ tell: "storm", updates, seconds: Math.round((performance.now() - startedMs) / 1_000) });
  process.exit(0);
}

const { api } = await connectToCluster({ env: process.env, logger });
const [mode, path = "", perSecond = "50", what = ""] = process.argv.slice(2);
if (mode === "storm") await storm(api, path, Number(perSecond), what);
else await write(api);
