import {
  contentOf,
  createTranslation,
  type DesiredStatus,
  type ExtensionCheck,
  parseQuarantineKey,
  type Placement,
  type ProxyState,
  type Settings,
  type Unavailability,
} from "../gatewayapi/index.ts";
import {
  type Ir,
  parseUseKey,
  type ProxyKey,
  routeTableKeyOf,
  useKey,
  type VirtualHost,
  virtualHostKeyOf,
} from "../ir/index.ts";
import { type Clock, createGraph, deepEqual, type Logger, systemClock, type Table } from "../lib/index.ts";
import {
  type Change,
  createStore,
  isStoredKind,
  type OptionalField,
  type Store,
  type StoredKind,
} from "../store/index.ts";
import { createXdsTables, type ResourceType, resourceTypes, type XdsTables } from "../xds/index.ts";
import { createInEffect } from "./in-effect.ts";
import { createListenerVerdicts } from "./listener-verdicts.ts";
import { createLoop } from "./loop.ts";
import type { Publisher, ResourceChange, Verdict } from "./publisher.ts";
import { createQuarantine } from "./quarantine.ts";
import { createRefusals, type SharedRefusal } from "./refusals.ts";

export type ReconcilerOptions = {
  readonly logger: Logger;
  readonly settings: Settings;
  readonly checkExtension: ExtensionCheck;
  /** Undefined: nothing is served, as for `translate`. */
  readonly publisher?: Publisher;
  /** The longest that changes of a burst wait for each other. 100 unless given. */
  readonly maxDelayMs?: number;
  /** For what is tried again later. */
  readonly clock?: Clock;
};

export type Reconciler = {
  readonly store: Store;
  readonly ir: Ir;
  readonly xds: XdsTables;
  readonly statuses: Table<DesiredStatus>;
  /** By Gateway key: Gateways of a class that is not there, of whom nobody can say whose they are. */
  readonly unclaimed: Table<true>;
  /** By Gateway key: Gateways of ours that are not served for want of good parameters. What stands for them stays. */
  readonly waiting: Table<true>;
  /** Objects that came, changed or went. */
  readonly apply: (changes: readonly Change[]) => void;
  /** The first lists are in: before this nothing is translated or published. */
  readonly synced: () => void;
  /** Where a proxy stands; undefined: nowhere any more. */
  readonly place: (proxy: ProxyKey, placement: Placement | undefined) => void;
  /** How a proxy is. */
  readonly report: (proxy: ProxyKey, state: ProxyState | undefined) => void;
  /** Whether an Envoy of the proxy is connected. Until this is called, it counts as if one was. */
  readonly attend: (proxy: ProxyKey, isHere: boolean) => void;
  /** Kinds that cannot be read; all others can. Until this is called, all can. */
  readonly serve: (unavailable: ReadonlyMap<StoredKind | OptionalField, Unavailability>) => void;
  /** What the Envoys here refuse, for other replicas: without what is still being looked for, and what Envoys said that have left. */
  readonly refusals: () => readonly SharedRefusal[];
  /** All that the Envoys of another replica refuse, which counts here as well; undefined: the replica is gone. */
  readonly adopt: (replica: string, refusals: readonly SharedRefusal[] | undefined) => void;
  /** The replica is gone, and objects that it held out stay held out until they change. */
  readonly inherit: (replica: string) => void;
  /** Resolves when all that was told so far is translated and published. */
  readonly settled: () => Promise<void>;
  /** Calls `listener` after each round; returns how to stop it. */
  readonly onRound: (listener: (round: Round) => void) => () => void;
  /** Derived functions that ran so far: the work done, whatever the machine. */
  readonly computations: () => number;
  readonly close: () => Promise<void>;
};

export type Round = {
  /** Rises by one with each round. */
  readonly sequence: number;
  /** From the first change taken in until all was published. */
  readonly durationMs: number;
  /** Proxies to whom something was published. */
  readonly proxies: readonly ProxyKey[];
  /** Keys of `ir.proxies`, `unclaimed` and `waiting` that changed, gone ones too: who places proxies has something to do. */
  readonly wanted: ReadonlySet<ProxyKey>;
  /** Keys of `statuses` that changed, gone ones too. */
  readonly statuses: ReadonlySet<string>;
  /** Keys of `xds.problems` that changed, gone ones too. */
  readonly problems: ReadonlySet<string>;
};

/** Work in slices of this length, so that streams and watches get their turns. */
const sliceMs = 8;

/** How long a status may say the wrong thing of a certificate that expires meanwhile. */
const tickMs = 3_600_000;

/** The one loop: what changed wakes it; it gathers for a moment, translates, builds, and publishes what came out different. */
export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { logger, publisher } = options;
  const graph = createGraph({
    onError: (table, key, error) =>
      logger.error({ table, key, err: error }, "a step of translation failed; its last good result stands"),
  });
  const store = createStore(graph);
  const placements = graph.source<Placement>("placements");
  const proxyStates = graph.source<ProxyState>("proxyStates", deepEqual);
  const { own: refused, all: refusedAnywhere, ...shared } = createRefusals(graph, contentOfSuspect);
  const unavailable = graph.source<Unavailability>("unavailable", deepEqual);
  const time = graph.source<number>("clock");
  const tellTime = () => time.set("now", Date.now());
  tellTime();
  const inEffect = createInEffect(graph);
  const translation = createTranslation(graph, {
    store,
    placements,
    proxyStates,
    refusedListeners: refusedAnywhere.listeners,
    refusedClusters: refusedAnywhere.clusters,
    quarantine: refusedAnywhere.objects,
    checkExtension: options.checkExtension,
    settings: options.settings,
    clock: time,
    unavailable,
    inEffect,
  });
  const { ir, statuses, unclaimed, waiting } = translation;
  const noteInEffect = inEffect.follow(translation);
  const xds = createXdsTables(graph, ir);
  const loop = createLoop(options.maxDelayMs ?? 100, logger, runRound);
  const published = new Map(resourceTypes.map((type) => [type, xds[type].watch()]));
  const changedProxies = ir.proxies.watch();
  const changedClaims = [unclaimed.watch(), waiting.watch()];
  const changedPlacements = placements.watch();
  const changedStatuses = statuses.watch();
  const changedProblems = xds.problems.watch();
  const listeners = new Set<(round: Round) => void>();
  const removed = new Set<ProxyKey>();
  let pending: (() => void)[] = [];
  let sequence = 0;

  const quarantine = createQuarantine(
    refused.objects,
    {
      virtualHostsIn: ({ proxy, type }, { name, version }) =>
        publishedVersion(proxy, type, name) === version ? virtualHostsOf(type, name) : [],
      publishedVersion,
      contentOf: contentOfSuspect,
      isRefusedElsewhere: shared.isRefusedElsewhere,
    },
    logger,
  );

  const listenersByName = graph.index("listeners by name", ir.listeners, ({ proxy, name }) => [useKey(proxy, name)]);
  const listenerVerdicts = createListenerVerdicts({
    refused: refused.listeners,
    quarantine: refused.objects,
    find: (proxy, name) => {
      const [key] = listenersByName.get(useKey(proxy, name)) ?? [];
      const listener = key === undefined ? undefined : ir.listeners.get(key);
      return key === undefined || listener === undefined ? undefined : { key, listener };
    },
    contentOf: contentOfSuspect,
    retry: (proxy, type, name) => publisher?.retry(proxy, type, name),
    clock: options.clock ?? systemClock,
  });

  function contentOfSuspect(suspect: string): string | undefined {
    const { kind, key } = parseQuarantineKey(suspect);
    const object = isStoredKind(kind) ? store.objects[kind].get(key) : undefined;
    return object && contentOf(object);
  }

  function publishedVersion(proxy: ProxyKey, type: ResourceType, name: string): string | undefined {
    return xds[type].get(useKey(proxy, name))?.version;
  }

  function virtualHostsOf(type: ResourceType, name: string): readonly VirtualHost[] {
    return [...keysOfHosts(type, name)].flatMap((key) => ir.virtualHosts.get(key) ?? []);
  }

  function keysOfHosts(type: ResourceType, name: string): Iterable<string> {
    if (type === "virtualHost") return [virtualHostKeyOf(name)];
    const table = routeTableKeyOf(name);
    // That a table is taken says nothing of hosts that come by themselves.
    return ir.routeTables.get(table)?.discovery === "vhds" ? [] : (ir.virtualHostsOf.get(table) ?? []);
  }

  function enqueue(action: () => void): void {
    pending.push(action);
    loop.wake();
  }

  async function runRound(): Promise<void> {
    const started = performance.now();
    const actions = pending;
    pending = [];
    for (const action of actions) action();
    await graph.settleInSlices(sliceMs);
    noteInEffect();
    const wanted = new Set([...changedProxies.take(), ...changedClaims.flatMap((changed) => [...changed.take()])]);
    const proxies = publishChanges(wanted);
    sequence++;
    const round: Round = {
      sequence,
      durationMs: performance.now() - started,
      proxies,
      wanted,
      statuses: changedStatuses.take(),
      problems: changedProblems.take(),
    };
    for (const listener of listeners) listener(round);
    if (quarantine.published()) loop.wake();
  }

  function publishChanges(wanted: ReadonlySet<ProxyKey>): readonly ProxyKey[] {
    // An Envoy waits for a first word, even where it is that there is nothing: without a valid listener there are no resources. Not
    // before it has its place: until then nothing is known of its listeners.
    const served = [...wanted, ...changedPlacements.take()].filter(
      (proxy) => ir.proxies.get(proxy) && placements.get(proxy),
    );
    const byProxy = new Map<ProxyKey, ResourceChange[]>(served.map((proxy) => [proxy, []]));
    for (const [type, changed] of published) {
      for (const key of changed.take()) {
        const { proxy, name } = parseUseKey(key);
        const changes = byProxy.get(proxy) ?? [];
        const resource = xds[type].get(key);
        if (resource === undefined) quarantine.gone({ proxy, type, name });
        changes.push({ type, name, resource });
        byProxy.set(proxy, changes);
      }
    }
    for (const [proxy, changes] of byProxy) publisher?.publish(proxy, changes);
    // Only now: the last publication for a proxy that is gone would make it anew.
    for (const proxy of removed) publisher?.remove(proxy);
    removed.clear();
    return [...byProxy.keys()];
  }

  function onVerdict(verdict: Verdict): void {
    // Judging reads tables, which a round in slices may be half-way through: it waits its turn in the loop.
    loop.between(() => {
      if (judgeOf(verdict.type)(verdict)) loop.wake();
    });
  }

  function judgeOf(type: ResourceType): (verdict: Verdict) => boolean {
    if (type === "listener") return listenerVerdicts.judge;
    return type === "cluster" ? judgeClusters : quarantine.judge;
  }

  /** All proxies get the same cluster: what one says of it holds until one says otherwise. */
  function judgeClusters({ kind, proxy, resources, message }: Verdict): boolean {
    let changed = false;
    for (const { name, version } of resources) {
      const words = kind === "refused" ? message : undefined;
      changed ||= refused.clusters.get(name)?.message !== words;
      refused.clusters.set(name, words === undefined ? undefined : { message: words, content: version, proxy });
    }
    return changed;
  }

  const stopVerdicts = publisher?.onVerdict(onVerdict);
  const ticking = setInterval(() => enqueue(tellTime), tickMs);
  ticking.unref();

  return {
    store,
    ir,
    xds,
    statuses,
    unclaimed,
    waiting,
    apply: (changes) =>
      enqueue(() => {
        store.apply(changes);
        quarantine.forget(changes.map(({ kind, key }) => `${kind} ${key}`));
      }),
    synced: loop.start,
    place: (proxy, placement) =>
      enqueue(() => {
        placements.set(proxy, placement);
        if (placement === undefined) {
          removed.add(proxy);
          shared.attend(proxy, true);
        } else removed.delete(proxy);
      }),
    serve: (now) =>
      enqueue(() => {
        const known = new Map<string, Unavailability>(now);
        for (const what of unavailable.keys()) unavailable.set(what, known.get(what));
        for (const [kind, state] of now) unavailable.set(kind, state);
      }),
    // Nothing is kept of a proxy that is gone, whose Envoys leave later.
    attend: (proxy, isHere) => enqueue(() => shared.attend(proxy, isHere || placements.get(proxy) === undefined)),
    report: (proxy, state) => enqueue(() => proxyStates.set(proxy, state)),
    refusals: () =>
      shared.ofOwn({
        object: (key) => !quarantine.isSought(key),
        cluster: (name, { proxy, content }) => content === publishedVersion(proxy, "cluster", name),
      }),
    adopt: (replica, refusals) => enqueue(() => shared.adopt(replica, refusals)),
    inherit: (replica) => enqueue(() => shared.inherit(replica)),
    settled: loop.settled,
    onRound: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    computations: graph.computations,
    close: async () => {
      stopVerdicts?.();
      listenerVerdicts.close();
      clearInterval(ticking);
      await loop.stop();
    },
  };
}
