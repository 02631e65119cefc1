import type { AdsServer } from "../ads/index.ts";
import type { LeaderElection } from "../lease/index.ts";
import type { Reconciler } from "../reconcile/index.ts";
import type { KubernetesSource } from "../source/index.ts";
import type { MetricDefinition, Metrics, Sample } from "../telemetry/index.ts";
import type { Applier, EventRecorder, StatusWriter } from "../writer/index.ts";

export type MetricSources = {
  readonly version: string;
  readonly reconciler: Reconciler;
  readonly source: KubernetesSource;
  readonly ads: AdsServer;
  readonly election: Pick<LeaderElection, "isLeader" | "stats">;
  readonly statuses: StatusWriter;
  readonly events: EventRecorder;
  readonly applier: Applier;
};

/** From a change of one route, which takes a few milliseconds, to the first translation of ten thousand. */
const roundBuckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

const one = (value: number): readonly Sample[] => [{ value }];
const flag = (is: boolean): readonly Sample[] => one(is ? 1 : 0);

/** What the operator tells of itself. Names are part of the interface: docs/operator.md has them all. */
export function defineMetrics(metrics: Metrics, sources: MetricSources): void {
  const definitions = [
    ...pipelineMetrics(sources),
    ...sourceMetrics(sources),
    ...adsMetrics(sources),
    ...writerMetrics(sources),
  ];
  for (const definition of definitions) metrics.define(definition);
  const observe = metrics.histogram(
    "gatewright_round_duration_seconds",
    "Time from the begin of a round, which takes in changes, until its results are published.",
    roundBuckets,
  );
  sources.reconciler.onRound(({ durationMs }) => observe(durationMs / 1000));
}

const pipelineMetrics = ({ version, reconciler }: MetricSources): readonly MetricDefinition[] => [
  {
    name: "gatewright_build_info",
    help: "The version that runs.",
    kind: "gauge",
    labels: ["version"],
    read: () => [{ labels: { version }, value: 1 }],
  },
  {
    name: "gatewright_computations_total",
    help: "Steps of translation and building that ran: the work done, whatever the machine.",
    kind: "counter",
    read: () => one(reconciler.computations()),
  },
  {
    name: "gatewright_proxies",
    help: "Gateways that are served.",
    kind: "gauge",
    read: () => one(reconciler.ir.proxies.size()),
  },
  {
    name: "gatewright_problems",
    help: "Resources that could not be built and stand replaced or left out.",
    kind: "gauge",
    read: () => one(reconciler.xds.problems.size()),
  },
];

function sourceMetrics({ source }: MetricSources): readonly MetricDefinition[] {
  type State = ReturnType<KubernetesSource["state"]> extends ReadonlyMap<string, infer S> ? S : never;
  const ofKinds = (name: string, help: string, kind: MetricDefinition["kind"], read: (state: State) => number) => ({
    name,
    help,
    kind,
    labels: ["kind"],
    read: () => [...source.state()].map(([label, state]) => ({ labels: { kind: label }, value: read(state) })),
  });
  return [
    ofKinds("gatewright_source_objects", "Objects of a kind that are known.", "gauge", ({ objects }) => objects),
    ofKinds("gatewright_source_listed", "Whether a kind has been read as a whole.", "gauge", ({ isListed }) =>
      isListed ? 1 : 0,
    ),
    ofKinds("gatewright_source_troubled", "Whether reading a kind fails at present.", "gauge", ({ trouble }) =>
      trouble === undefined ? 0 : 1,
    ),
    ofKinds("gatewright_source_skipped", "Objects whose form cannot be taken.", "gauge", ({ skipped }) => skipped),
    ofKinds("gatewright_source_lists_total", "Lists begun.", "counter", ({ lists }) => lists),
    ofKinds("gatewright_source_watches_total", "Watches begun.", "counter", ({ watches }) => watches),
  ];
}

function adsMetrics({ ads }: MetricSources): readonly MetricDefinition[] {
  const { streams, types } = ads.counters;
  type Counters = (typeof types)[keyof typeof types];
  const ofTypes = (name: string, help: string, read: (counters: Counters) => number): MetricDefinition => ({
    name,
    help,
    kind: "counter",
    labels: ["type"],
    read: () => Object.entries(types).map(([type, counters]) => ({ labels: { type }, value: read(counters) })),
  });
  return [
    {
      name: "gatewright_ads_streams",
      help: "Proxies that are connected.",
      kind: "gauge",
      read: () => one(streams.open),
    },
    {
      name: "gatewright_ads_streams_total",
      help: "Streams that were let in.",
      kind: "counter",
      read: () => one(streams.total),
    },
    {
      name: "gatewright_ads_streams_refused_total",
      help: "Streams that were sent away.",
      kind: "counter",
      read: () => one(streams.refused),
    },
    {
      name: "gatewright_ads_streams_stuck_total",
      help: "Proxies that were sent away because they did not read what they were sent.",
      kind: "counter",
      read: () => one(streams.stuck),
    },
    {
      name: "gatewright_ads_streams_slow",
      help: "Proxies that take more than a second to read what they are sent, at the moment.",
      kind: "gauge",
      read: () => one(ads.held().slow),
    },
    ofTypes("gatewright_ads_responses_total", "Responses sent.", ({ responses }) => responses),
    ofTypes("gatewright_ads_bytes_total", "Bytes of responses, before compression and framing.", ({ bytes }) => bytes),
    ofTypes("gatewright_ads_resources_total", "Resources sent.", ({ resources }) => resources),
    ofTypes("gatewright_ads_acks_total", "Responses that proxies took.", ({ acks }) => acks),
    ofTypes("gatewright_ads_nacks_total", "Responses that proxies refused.", ({ nacks }) => nacks),
    ofTypes("gatewright_ads_refused_total", "Contents of resources that proxies refused.", ({ refused }) => refused),
  ];
}

const writerMetrics = ({ election, statuses, events, applier }: MetricSources): readonly MetricDefinition[] => [
  {
    name: "gatewright_leader",
    help: "Whether this replica is the one that writes.",
    kind: "gauge",
    read: () => flag(election.isLeader()),
  },
  {
    name: "gatewright_leader_elections_total",
    help: "How often this replica came to lead.",
    kind: "counter",
    read: () => one(election.stats().acquired),
  },
  {
    name: "gatewright_status_writes_total",
    help: "Requests to write a status that ended, by what came of them.",
    kind: "counter",
    labels: ["kind", "outcome"],
    read: () =>
      statuses.stats().writes.map(({ kind, outcome, count }) => ({ labels: { kind, outcome }, value: count })),
  },
  {
    name: "gatewright_status_writes_pending",
    help: "Statuses that are to be compared, being written, or wait for another try.",
    kind: "gauge",
    read: () => {
      const { queued, inFlight, waiting } = statuses.stats();
      return one(queued + inFlight + waiting);
    },
  },
  {
    name: "gatewright_events_total",
    help: "Kubernetes events, by what came of them.",
    kind: "counter",
    labels: ["outcome"],
    read: () => Object.entries(events.stats()).map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    name: "gatewright_infra_writes_total",
    help: "Requests to write what Gateways need in the cluster, by what came of them.",
    kind: "counter",
    labels: ["outcome"],
    read: () => Object.entries(applier.stats().writes).map(([outcome, value]) => ({ labels: { outcome }, value })),
  },
  {
    name: "gatewright_infra_corrections_total",
    help: "Objects that somebody else had changed or deleted, and that were set right.",
    kind: "counter",
    read: () => one(applier.stats().corrections),
  },
  {
    name: "gatewright_infra_troubled",
    help: "Gateways of which something could not be applied.",
    kind: "gauge",
    read: () => one(applier.stats().troubled),
  },
];
