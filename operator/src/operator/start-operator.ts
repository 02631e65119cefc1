import { isIP } from "node:net";
import { type AdsServer, createAdsServer } from "../ads/index.ts";
import { createDiscovery, type Discovery } from "../discovery/index.ts";
import { type Identity, isProxy } from "../identity/index.ts";
import { infraKinds, reservedPorts } from "../infra/index.ts";
import type { ApiServer } from "../kubernetes/index.ts";
import { systemClock } from "../lib/index.ts";
import { createReconciler, type Reconciler } from "../reconcile/index.ts";
import { createKubernetesSource, type KubernetesSource } from "../source/kubernetes/index.ts";
import { isStoredKind, objectKey, storedKinds } from "../store/index.ts";
import type { Metrics } from "../telemetry/index.ts";
import {
  type Applier,
  createApplier,
  createEventRecorder,
  createStatusWriter,
  type EventRecorder,
  type StatusWriter,
} from "../writer/kubernetes/index.ts";
import { checkExtension } from "../xds/index.ts";
import { abortable } from "./abortable.ts";
import { createAuthorityKeeper, findIdentity } from "./authority.ts";
import { createAvailability } from "./availability.ts";
import { reachCluster } from "./connect.ts";
import { electionOf, instanceOf } from "./election.ts";
import { createKeptClasses } from "./kept-classes.ts";
import { listenForProxies } from "./listening.ts";
import { defineMetrics } from "./metrics.ts";
import type { OperatorOptions } from "./options.ts";
import { createProxies } from "./proxies.ts";
import { createRefusalSharing } from "./refusal-sharing.ts";

export type Operator = {
  readonly source: KubernetesSource;
  /** Whether proxies can get their configuration. */
  readonly isServing: () => boolean;
  /** Rejects when it cannot go on; never resolves. */
  readonly failed: Promise<never>;
  readonly close: () => Promise<void>;
};

/** How long proxies may take to leave at the end; others serve them then. */
const adsGraceMs = 1_000;

/** Puts the operator together and starts it. `metrics` get what there is to tell, `onStep` what it waits for. Undefined: it was asked to end meanwhile. */
export async function startOperator(
  options: OperatorOptions,
  { metrics, onStep }: { readonly metrics: Metrics; readonly onStep: (doing: string) => void },
  signal: AbortSignal,
): Promise<Operator | undefined> {
  const ground = await prepareGround(options, onStep, signal);
  if (ground === undefined) return undefined;
  const { api, namespace, discovery, identity } = ground;
  const { ads, reconciler } = createPipeline(options, namespace);
  const election = electionOf(options, api, namespace);
  const writers = createWriters(options, ground, { reconciler, isLeader: election.isLeader });
  const { statuses, applier } = writers;
  const proxies = createProxies({
    reconciler,
    applier,
    identity,
    isLeader: election.isLeader,
    ads: {
      name: ground.adsName,
      port: options.adsPort,
      // The first family of Services, which this address is of, is that of pods.
      prefersIPv6: isIP(options.env["KUBERNETES_SERVICE_HOST"] ?? "") === 6,
    },
    logger: options.logger,
    ...(options.proxyImage !== undefined && { image: options.proxyImage }),
  });
  const keepClasses = createKeptClasses(options);
  const refusals = createRefusalSharing({
    api,
    namespace,
    instance: instanceOf(options),
    podUid: options.env["POD_UID"],
    version: options.version,
    reconciler,
    isLeader: election.isLeader,
    logger: options.logger,
    clock: systemClock,
    now: () => new Date(),
  });
  const authority = createAuthorityKeeper({
    identity,
    secret: objectKey(namespace, options.identitySecret),
    isLeader: election.isLeader,
    events: writers.events,
    logger: options.logger,
    clock: systemClock,
    onRenewed: proxies.updateAll,
  });
  const availability = createAvailability({
    kinds: ["ClusterTrustBundle"],
    served: () => discovery.served(),
    absentFields: () => discovery.absentFields(),
    states: () => source.state(),
    onChange: reconciler.serve,
  });
  const source: KubernetesSource = createKubernetesSource({
    api,
    served: discovery,
    logger: options.logger,
    onChanges: (changes) => {
      refusals.observe(changes);
      reconciler.apply(keepClasses(changes));
      authority.observe(changes);
      for (const { kind, key, object } of changes) if (object === undefined) applier.noteGone(kind, key);
    },
    onSynced: reconciler.synced,
    onState: availability.update,
    onMissing: () => void discovery.probe(),
  });

  const translated = Promise.withResolvers<void>();
  reconciler.onRound(({ wanted, statuses: changed }) => {
    proxies.update(wanted);
    statuses.update(changed);
    refusals.update();
    translated.resolve();
  });
  election.onChange((leads) => {
    proxies.updateAll();
    if (leads) statuses.compareAll();
    authority.update();
  });
  identity.onChange(proxies.updateAll);
  ads.onConnection(({ proxy, streams }) => reconciler.attend(proxy, streams > 0));

  discovery.onChange(availability.update);
  defineMetrics(metrics, { version: options.version, reconciler, source, ads, election, ...writers });
  availability.update();
  source.start();

  let isServing = false;
  /** Not before all is known: nobody is to be told of half a configuration, and nothing is to be written of it. */
  async function serve(): Promise<void> {
    await abortable(Promise.all([translated.promise, applier.synced]), signal);
    // Where proxies stand is known now, and is taken in.
    await reconciler.settled();
    if (signal.aborted) return;
    const port = await listenForProxies(ads, options.adsPort, identity.credentials);
    options.logger.info({ port }, "proxies are served");
    isServing = true;
    election.start();
  }

  return {
    source,
    isServing: () => isServing,
    failed: serve().then(() => new Promise<never>(() => undefined)),
    close: async () => {
      authority.close();
      availability.close();
      source.close();
      discovery.close();
      // Writers first, so that the next who leads may begin; proxies go over to others; then the rest.
      await Promise.all([statuses.close(), applier.close()]);
      await writers.events.close();
      await election.stop();
      await ads.close(adsGraceMs);
      // Others have the proxies now, and what they refuse.
      await refusals.close();
      await reconciler.close();
      api.close();
    },
  };
}

/** What must be there before anything is read. */
type Ground = {
  readonly api: ApiServer;
  readonly namespace: string;
  readonly adsName: string;
  readonly identity: Identity;
  readonly discovery: Discovery;
};

async function prepareGround(
  options: OperatorOptions,
  onStep: (doing: string) => void,
  signal: AbortSignal,
): Promise<Ground | undefined> {
  const cluster = await reachCluster(options, signal);
  if (signal.aborted) return undefined;
  const { api } = cluster;
  const namespace = options.namespace ?? cluster.namespace ?? options.defaultNamespace;
  const adsName = options.adsName ?? `gatewright.${namespace}.svc`;
  onStep("looking for the authority of proxies");
  const identity = await findIdentity(options, api, { namespace, adsName }, signal);
  onStep("looking for kinds");
  const discovery = createDiscovery({
    api,
    kinds: Object.keys(storedKinds)
      .filter(isStoredKind)
      .filter((kind) => options.clusterTrustBundles || kind !== "ClusterTrustBundle"),
    logger: options.logger,
    intervalMs: options.discoveryIntervalMs,
  });
  await abortable(discovery.start(), signal);
  if (!signal.aborted) return { api, namespace, adsName, identity, discovery };
  discovery.close();
  return undefined;
}

function createPipeline(
  { logger, controllerName }: OperatorOptions,
  namespace: string,
): { readonly ads: AdsServer; readonly reconciler: Reconciler } {
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
  return { ads, reconciler };
}

type Writers = { readonly statuses: StatusWriter; readonly events: EventRecorder; readonly applier: Applier };

function createWriters(
  options: OperatorOptions,
  { api, discovery }: Ground,
  { reconciler, isLeader }: { readonly reconciler: Reconciler; readonly isLeader: () => boolean },
): Writers {
  const { logger, controllerName } = options;
  const common = { api, logger, isLeader, clock: systemClock };
  const applier = createApplier({
    ...common,
    kinds: infraKinds,
    reservedPorts,
    // While its class is not there, nobody can say that it is not.
    isOurs: (gateway) =>
      reconciler.statuses.get(`Gateway ${gateway}`) !== undefined || reconciler.unclaimed.get(gateway) !== undefined,
    onPlacement: reconciler.place,
    onState: reconciler.report,
  });
  const now = () => new Date();
  const events = createEventRecorder({ ...common, controllerName, instance: instanceOf(options), now });
  const statuses = createStatusWriter({
    ...common,
    now,
    statuses: reconciler.statuses,
    store: reconciler.store,
    versionOf: (kind) => discovery.served().get(kind)?.version,
    controllerName,
    onWritten: events.record,
  });
  return { statuses, events, applier };
}
