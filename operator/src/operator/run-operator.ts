import { hostname } from "node:os";
import { type AdsServer, createAdsServer } from "../ads/index.ts";
import { createDiscovery, type Discovery } from "../discovery/index.ts";
import { createIdentity, type Identity, isProxy } from "../identity/index.ts";
import { infraKinds, reservedPorts } from "../infra/index.ts";
import { type ApiServer, ApiUnreachableError, ClusterError } from "../kubernetes/index.ts";
import { createLeaderElection, leaseIdentity, type LeaderElection } from "../lease/index.ts";
import { type Logger, systemClock } from "../lib/index.ts";
import { createReconciler, type Reconciler } from "../reconcile/index.ts";
import { createKubernetesSource, type KubernetesSource } from "../source/index.ts";
import { type Change, isStoredKind, objectKey, storedKinds } from "../store/index.ts";
import { type Endpoints, type HealthCheck, serveHealth, serveMetrics } from "../telemetry/index.ts";
import {
  type Applier,
  createApplier,
  createEventRecorder,
  createStatusWriter,
  type EventRecorder,
  type StatusWriter,
} from "../writer/index.ts";
import { checkExtension } from "../xds/index.ts";
import { createAvailability } from "./availability.ts";
import { reachCluster } from "./connect.ts";
import { operatorMetrics } from "./metrics.ts";
import { createProxies } from "./proxies.ts";
import { leadingAlone } from "./leading-alone.ts";

export type OperatorOptions = {
  readonly version: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Where the operator's own objects are, and the root namespace. That of the pod or the context unless given. */
  readonly namespace?: string;
  /** Used where nobody says a namespace. */
  readonly defaultNamespace: string;
  readonly controllerName: string;
  /** 0: any that is free, here and below. */
  readonly adsPort: number;
  /** The name by which proxies reach this operator: that of its Service unless given. */
  readonly adsName?: string;
  readonly healthPort: number;
  readonly metricsPort: number;
  /** Off: this process writes without asking others. */
  readonly leaderElection: boolean;
  /** The Secret with the authority for operator and proxies. */
  readonly identitySecret: string;
  /** Of Envoy, where MeshConfig names none. */
  readonly proxyImage?: string;
  readonly discoveryIntervalMs: number;
  /** Off: they are not looked for, as if the cluster had none. */
  readonly clusterTrustBundles: boolean;
  readonly logger: Logger;
  readonly env: NodeJS.ProcessEnv;
  /** Calls the listener whenever the process is asked to end; returns how to stop that. */
  readonly onEndRequest: (listener: () => void) => () => void;
};

export type OperatorEnd = { readonly kind: "ended" } | { readonly kind: "failed"; readonly message: string };

/** How long proxies may take to leave at the end; others serve them then. */
const adsGraceMs = 1_000;
const renewalMs = 3_600_000;

/** Serves the Gateways of a cluster until it is asked to end. */
export async function runOperator(options: OperatorOptions): Promise<OperatorEnd> {
  const { logger, onEndRequest } = options;
  const ending = new AbortController();
  const stopListening = onEndRequest(() => ending.abort());
  let operator: Operator | undefined;
  const steps: Step = { doing: "reaching the API server" };
  const health = await listenOrSay("--health-port", () =>
    serveHealth(options.healthPort, [
      { name: "start", problem: () => (operator === undefined ? steps.doing : undefined) },
      ...checksOf(() => operator),
    ]),
  );
  if (typeof health === "string") return { kind: "failed", message: health };
  try {
    operator = await startOperator(options, steps, ending.signal);
    if (!ending.signal.aborted) await new Promise((resolve) => ending.signal.addEventListener("abort", resolve));
    logger.info({}, "asked to end");
    await operator?.close();
    return { kind: "ended" };
  } catch (error) {
    if (ending.signal.aborted) return { kind: "ended" };
    if (error instanceof ClusterError || error instanceof StartError) return { kind: "failed", message: error.message };
    throw error;
  } finally {
    stopListening();
    await health.close();
  }
}

type Step = { doing: string };

/** The operator cannot start, in words for whoever runs it. */
class StartError extends Error {
  override readonly name = "StartError";
}

type Operator = {
  readonly source: KubernetesSource;
  readonly discovery: Discovery;
  readonly isServing: () => boolean;
  readonly close: () => Promise<void>;
};

const checksOf = (operator: () => Operator | undefined): readonly HealthCheck[] => [
  {
    name: "objects",
    problem: () => {
      const waiting = [...(operator()?.source.state() ?? [])].flatMap(([kind, { isListed, trouble }]) =>
        isListed || trouble?.kind === "forbidden" ? [] : [kind],
      );
      return operator()?.source.isSynced() === false ? `not read yet: ${waiting.join(", ")}` : undefined;
    },
  },
  { name: "xds", problem: () => (operator()?.isServing() === false ? "proxies are not served yet" : undefined) },
];

async function startOperator(options: OperatorOptions, step: Step, signal: AbortSignal): Promise<Operator | undefined> {
  const { logger, controllerName } = options;
  const cluster = await reachCluster(options, signal);
  if (signal.aborted) return undefined;
  const { api } = cluster;
  const namespace = options.namespace ?? cluster.namespace ?? options.defaultNamespace;
  const adsName = options.adsName ?? `gatewright.${namespace}.svc`;
  step.doing = "looking for the authority of proxies";
  const identity = await identityOf(options, api, namespace, adsName, signal);
  step.doing = "looking for kinds";
  const discovery = createDiscovery({
    api,
    kinds: Object.keys(storedKinds)
      .filter(isStoredKind)
      .filter((kind) => options.clusterTrustBundles || kind !== "ClusterTrustBundle"),
    logger,
    intervalMs: options.discoveryIntervalMs,
  });
  await abortable(discovery.start(), signal);
  if (signal.aborted) {
    discovery.close();
    return undefined;
  }

  const ads = createAdsServer({
    logger,
    authorize: ({ nodeCluster, peer }) =>
      isProxy(nodeCluster, peer.certificate?.subjectaltname)
        ? { kind: "proxy", key: nodeCluster }
        : { kind: "refused", message: `its certificate is not that of ${nodeCluster}` },
  });
  const reconciler = createReconciler({
    logger,
    settings: { controllerName, rootNamespace: namespace },
    checkExtension,
    publisher: ads,
  });
  const election = electionOf(options, api, namespace);
  const { isLeader } = election;
  const applier = createApplier({
    api,
    logger,
    kinds: infraKinds,
    isLeader,
    reservedPorts,
    isOurs: (gateway) => reconciler.statuses.get(`Gateway ${gateway}`) !== undefined,
    onPlacement: reconciler.place,
    onState: reconciler.report,
  });
  const events = createEventRecorder({
    api,
    logger,
    controllerName,
    instance: instanceOf(options),
    isLeader,
    clock: systemClock,
    now: () => new Date(),
  });
  const statuses = createStatusWriter({
    api,
    logger,
    statuses: reconciler.statuses,
    store: reconciler.store,
    versionOf: (kind) => discovery.served().get(kind)?.version,
    controllerName,
    isLeader,
    clock: systemClock,
    now: () => new Date(),
    onWritten: events.record,
  });
  const proxies = createProxies({
    reconciler,
    applier,
    identity,
    isLeader,
    ads: { name: adsName, port: options.adsPort },
    logger,
    ...(options.proxyImage !== undefined && { image: options.proxyImage }),
  });

  const availability = createAvailability({
    kinds: ["ClusterTrustBundle"],
    served: () => discovery.served(),
    states: () => source.state(),
    onChange: reconciler.serve,
  });
  const source: KubernetesSource = createKubernetesSource({
    api,
    served: discovery,
    logger,
    onChanges: (changes) => {
      reconciler.apply(changes);
      observeAuthority(changes, objectKey(namespace, options.identitySecret), identity, logger);
    },
    onSynced: reconciler.synced,
    onState: availability.update,
    onMissing: () => void discovery.probe(),
  });
  const first = Promise.withResolvers<void>();
  reconciler.onRound(({ wanted, statuses: changed }) => {
    proxies.update(wanted);
    statuses.update(changed);
    first.resolve();
  });
  election.onChange((leads) => {
    proxies.updateAll();
    if (leads) statuses.compareAll();
  });
  identity.onChange(proxies.updateAll);
  const renewing = setInterval(() => {
    identity
      .renew(isLeader())
      .catch((error: unknown) => logger.error({ err: error }, "certificates are not renewed"))
      .finally(proxies.updateAll);
  }, renewalMs);

  const metrics = await listenOrSay("--metrics-port", () =>
    serveMetrics(
      options.metricsPort,
      operatorMetrics({ version: options.version, reconciler, source, ads, election, statuses, events, applier }),
    ),
  );
  if (typeof metrics === "string") throw new StartError(metrics);
  let isServing = false;
  availability.update();
  source.start();

  const parts = { ads, reconciler, election, applier, statuses, events, source, discovery, api, metrics };
  const close = async () => {
    clearInterval(renewing);
    availability.close();
    await closeAll(parts);
  };
  // Not before all is known: nobody is to be told of half a configuration, and nothing is to be written of it.
  void serve(first.promise, parts, options, identity.credentials, signal).then(
    () => {
      isServing = true;
    },
    (error: unknown) => logger.error({ err: error }, "proxies cannot be served"),
  );
  return { source, discovery, isServing: () => isServing, close };
}

type Parts = {
  readonly ads: AdsServer;
  readonly reconciler: Reconciler;
  readonly election: Pick<LeaderElection, "start" | "stop">;
  readonly applier: Applier;
  readonly statuses: StatusWriter;
  readonly events: EventRecorder;
  readonly source: KubernetesSource;
  readonly discovery: Discovery;
  readonly api: ApiServer;
  readonly metrics: Endpoints;
};

async function serve(
  firstRound: Promise<void>,
  { applier, reconciler, ads, election }: Parts,
  { adsPort, logger }: OperatorOptions,
  credentials: Identity["credentials"],
  signal: AbortSignal,
): Promise<void> {
  await abortable(Promise.all([firstRound, applier.synced]), signal);
  // Where proxies stand is known now, and is taken in.
  await reconciler.settled();
  if (signal.aborted) return;
  const port = await ads.listen(`[::]:${adsPort}`, credentials);
  logger.info({ port }, "proxies are served");
  election.start();
}

/** Writers first, so that the next who leads may begin; proxies go over to others; then the rest. */
async function closeAll({
  ads,
  reconciler,
  election,
  applier,
  statuses,
  events,
  source,
  discovery,
  api,
  metrics,
}: Parts) {
  source.close();
  discovery.close();
  await Promise.all([statuses.close(), applier.close()]);
  await events.close();
  await election.stop();
  await ads.close(adsGraceMs);
  await reconciler.close();
  await metrics.close();
  api.close();
}

/** The pod, which has the name of its host. */
const instanceOf = ({ env }: OperatorOptions): string => env["POD_NAME"] || hostname();

function electionOf(options: OperatorOptions, api: ApiServer, namespace: string): LeaderElection {
  if (!options.leaderElection) return leadingAlone();
  return createLeaderElection({
    api,
    namespace,
    name: "gatewright",
    identity: leaseIdentity(instanceOf(options)),
    logger: options.logger,
    clock: systemClock,
    now: () => new Date(),
  });
}

/** Tries until the API server answers; what it answers is final. */
async function identityOf(
  { logger, identitySecret }: OperatorOptions,
  api: ApiServer,
  namespace: string,
  adsName: string,
  signal: AbortSignal,
): Promise<Identity> {
  for (;;) {
    try {
      return await createIdentity({ api, logger, namespace, secretName: identitySecret, serverNames: [adsName] });
    } catch (error) {
      if (!(error instanceof ApiUnreachableError))
        throw new StartError(error instanceof Error ? error.message : String(error));
      if (signal.aborted) throw error;
      logger.warn({}, `${error.message}; trying again`);
      await abortable(new Promise((resolve) => setTimeout(resolve, 1_000)), signal);
    }
  }
}

function observeAuthority(changes: readonly Change[], key: string, identity: Identity, logger: Logger): void {
  for (const change of changes) {
    if (change.kind !== "Secret" || change.key !== key) continue;
    identity
      .observe(change.object)
      .catch((error: unknown) => logger.error({ err: error }, "the authority of proxies cannot be read"));
  }
}

async function listenOrSay(option: string, listen: () => Promise<Endpoints>): Promise<Endpoints | string> {
  try {
    return await listen();
  } catch (error) {
    return `${option}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Resolves at the latest when it is aborted. */
const abortable = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  Promise.race([
    work,
    new Promise<undefined>((resolve) => {
      if (signal.aborted) resolve(undefined);
      else signal.addEventListener("abort", () => resolve(undefined), { once: true });
    }),
  ]);
