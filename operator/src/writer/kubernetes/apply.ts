import type { ObjectMeta } from "@gatewright/crd-types/meta/v1";
import type { Placement, ProxyState } from "../../gatewayapi/index.ts";
import {
  type ApiRequest,
  type ApiServer,
  createListWatch,
  type ListWatch,
  type ListWatchOptions,
  resourcePath,
} from "../../kubernetes/index.ts";
import { type Clock, deepEqual, type Logger, systemClock } from "../../lib/index.ts";
import { differences } from "./apply-drift.ts";
import {
  applied,
  appliedContent,
  contentOf,
  type DesiredObject,
  fieldManager,
  isOurs,
  isOwnObject,
  managedBy,
  type OwnKind,
  type OwnObject,
  pathOf,
  refOf,
} from "./apply-object.ts";
import { createObserved } from "./apply-observed.ts";
import { ownerState } from "./apply-owner.ts";
import { createApplyQueue } from "./apply-queue.ts";
import { createRivals } from "./apply-rivals.ts";
import { addressed, done, failed, type Step } from "./apply-step.ts";
import { createNodeAddresses } from "./node-addresses.ts";
import { placementOf } from "./proxy-placement.ts";
import { proxyStateOf } from "./proxy-state.ts";
import { type Outcome, outcomeOf } from "./statuses-outcome.ts";

export type ApplierOptions = {
  readonly api: ApiServer;
  readonly logger: Logger;
  /** Of all objects that are made. */
  readonly kinds: readonly OwnKind[];
  /** Asked before every request that writes: whoever does not lead writes nothing. */
  readonly isLeader: () => boolean;
  /** Ports that no listener can have, with the reason in words. */
  readonly reservedPorts: ReadonlyMap<number, string>;
  /**
   * Whether a Gateway is there and of our class. What was made for such a one stays even while nothing is wanted for it: a mistake in
   * its parameters, or in those of its class, does not cost its address.
   */
  readonly isOurs: (gateway: string) => boolean;
  /** Where a proxy stands, whenever that has changed; undefined: nowhere any more. */
  readonly onPlacement: (gateway: string, placement: Placement | undefined) => void;
  /** How a proxy is, whenever that has changed. */
  readonly onState: (gateway: string, state: ProxyState | undefined) => void;
  readonly clock?: Clock;
  /** Milliseconds that only rise. `performance.now` unless given. */
  readonly now?: () => number;
  /** Gateways that are worked on at a time. 8 unless given. */
  readonly maxInFlight?: number;
  /** How a kind is listed and watched; for tests. */
  readonly watch?: (options: ListWatchOptions) => Pick<ListWatch, "state" | "close">;
};

/** What is to be in the cluster for a Gateway. */
export type Wanted =
  | {
      readonly kind: "objects";
      readonly objects: readonly DesiredObject[];
      /** `requestKey` of an address that the Gateway asks for, by the name of the Service that is there for it: the rest does without that one. */
      readonly addressServices?: ReadonlyMap<string, string>;
    }
  /** The Gateway is ours, and nothing can be said of it for now: what is there stays. */
  | { readonly kind: "keep" };

/** Brings what Gateways need into the cluster, keeps it so, and tells how it is. All replicas tell; the one that leads writes. */
export type Applier = {
  /** Resolves when all of it has been read once. Until then nothing is written. */
  readonly synced: Promise<void>;
  /** `gateway` is `namespace/name`. Undefined: nothing is wanted for it, and unless the Gateway is ours, nothing that we made for it stays. */
  readonly want: (gateway: string, wanted: Wanted | undefined) => void;
  /** Looks for what belongs to Gateways that nobody wants. To be called once all wants are known, and when we begin to lead. */
  readonly compareAll: () => void;
  /** An object is gone, anybody's: a Gateway that is in want of its name may have it. `key` is `namespace/name`. */
  readonly noteGone: (kind: string, key: string) => void;
  /** `data` of the Secret of a Gateway as it is; undefined: there is none. */
  readonly secretData: (gateway: string) => Readonly<Record<string, string>> | undefined;
  /** Resolves when nothing is under way or due. What waits for its next try is not due. */
  readonly settled: () => Promise<void>;
  readonly stats: () => ApplierStats;
  /** Begins nothing any more; resolves when what is under way has ended. */
  readonly close: () => Promise<void>;
};

export type ApplierStats = {
  /** Requests that wrote, by what came of them. */
  readonly writes: Readonly<Record<string, number>>;
  /** Objects that somebody else had changed or deleted, and that were set right. */
  readonly corrections: number;
  /** Gateways of which something could not be applied. */
  readonly troubled: number;
};

type Sent = { readonly gateway: string; readonly content: string; readonly tolerated: ReadonlySet<string> };

export function createApplier(options: ApplierOptions): Applier {
  const { api, logger, kinds, isLeader, clock = systemClock, now = () => performance.now() } = options;
  const byKind = new Map(kinds.map((kind) => [kind.kind, kind]));
  const wants = new Map<string, Wanted>();
  const problems = new Map<string, string>();
  /** Addresses that were refused, with the reason in words, by Gateway and `requestKey`. */
  const refused = new Map<string, ReadonlyMap<string, string>>();
  const told = new Map<string, { readonly placement: Placement; readonly state: ProxyState }>();
  /** By reference: the content that this process has applied, and where the API server has made something else of it. */
  const sent = new Map<string, Sent>();
  /** Gateways that are in want of a name that somebody else has, by reference. */
  const hindered = new Map<string, string>();
  const rivals = createRivals(now);
  const writes: Record<string, number> = {};
  let corrections = 0;
  let isSynced = false;
  let isComplete = false;

  const observed = createObserved((gateway) => {
    queue.wake(gateway);
    tell(gateway);
  });
  const queue = createApplyQueue({
    clock,
    maxInFlight: options.maxInFlight ?? 8,
    mayRun: () => isSynced && isLeader(),
    work: bringAbout,
    onError: (gateway, error) => logger.error({ gateway, err: error }, "applying failed"),
  });

  // What is said of proxies.

  function tell(gateway: string): void {
    if (!wants.has(gateway)) return;
    const { services, deployment, troubles, nodes: proxyNodes } = observed.partsOf(gateway);
    const before = told.get(gateway);
    const unusableAddresses = refused.get(gateway);
    const nodeAddresses = services.some(({ spec }) => spec?.type === "NodePort") ? nodes.current() : new Map();
    const placement = {
      ...placementOf({ services, nodeAddresses, proxyNodes, reservedPorts: options.reservedPorts }),
      ...(unusableAddresses && { unusableAddresses }),
    };
    const state = proxyStateOf(deployment, troubles, problems.get(gateway));
    told.set(gateway, { placement, state });
    if (before === undefined || !samePlacement(before.placement, placement)) options.onPlacement(gateway, placement);
    if (before === undefined || !deepEqual(before.state, state)) options.onState(gateway, state);
  }

  function noteProblem(gateway: string, problem: string | undefined): void {
    const before = problems.get(gateway);
    if (problem === before) return;
    if (problem === undefined) problems.delete(gateway);
    else problems.set(gateway, problem);
    if (problem === undefined) logger.info({ gateway }, "all that the Gateway needs is applied");
    else logger.warn({ gateway }, problem);
    tell(gateway);
  }

  function noteRefused(gateway: string, next: ReadonlyMap<string, string>): void {
    const before = refused.get(gateway) ?? new Map<string, string>();
    if (deepEqual([...before], [...next])) return;
    if (next.size === 0) refused.delete(gateway);
    else refused.set(gateway, next);
    for (const [request, message] of next) if (before.get(request) !== message) logger.warn({ gateway }, message);
    tell(gateway);
  }

  // What is done.

  async function bringAbout(gateway: string): Promise<number | undefined> {
    const want = wants.get(gateway);
    if (want?.kind === "keep") return undefined;
    if (want === undefined && (!isComplete || options.isOurs(gateway))) return undefined;
    const objects = want?.objects ?? [];
    const steps: Step[] = [];
    for (const object of objects) {
      const step = addressed(want?.addressServices, object, await bringAboutObject(gateway, object));
      // The watch will tell.
      if (step.kind === "going") return undefined;
      steps.push(step);
      // The server serves nobody: the rest would fare no better.
      if (step.kind === "failed" && step.message === undefined) return conclude(gateway, steps);
    }
    const wanted = new Set(objects.map(({ kind, metadata }) => refOf(kind, metadata.namespace, metadata.name)));
    for (const ref of observed.ownedBy(gateway)) if (!wanted.has(ref)) steps.push(await remove(gateway, ref));
    for (const [ref, of] of sent) if (of.gateway === gateway && !wanted.has(ref)) sent.delete(ref);
    return conclude(gateway, steps);
  }

  /** How long to wait before the next try; undefined: there is nothing more to do. */
  function conclude(gateway: string, steps: readonly Step[]): number | undefined {
    // Whoever has ceased to lead has left work undone, and nothing follows from that.
    if (!isLeader()) return undefined;
    noteRefused(
      gateway,
      new Map(steps.flatMap((step) => (step.kind === "unaddressed" ? [[step.request, step.message]] : []))),
    );
    const failures = steps.filter((step) => step.kind === "failed");
    const messages = failures.flatMap(({ message }) => message ?? []);
    // While the server serves nobody, what was said last still holds.
    if (messages.length > 0) noteProblem(gateway, messages.join("; "));
    else if (failures.length === 0) noteProblem(gateway, undefined);
    if (failures.length > 0) {
      const asked = Math.max(0, ...failures.map(({ retryAfterMs = 0 }) => retryAfterMs));
      return Math.max(asked, queue.nextRetryMs(gateway, messages.length > 0));
    }
    // An address that others have may become free.
    if (steps.some(({ kind }) => kind === "unaddressed")) return queue.nextRetryMs(gateway, true);
    const waits = steps.flatMap((step) => (step.kind === "wait" ? [step.delayMs] : []));
    return waits.length === 0 ? undefined : Math.min(...waits);
  }

  async function bringAboutObject(gateway: string, desired: DesiredObject): Promise<Step> {
    const ref = refOf(desired.kind, desired.metadata.namespace, desired.metadata.name);
    const current = observed.get(ref) ?? (await find(desired));
    if (current !== undefined && !isOwnObject(current)) return current;
    if (current !== undefined && !isOurs(current, gateway)) {
      hindered.set(ref, gateway);
      return {
        kind: "failed",
        message: `${ref} exists already, and Gatewright has not made it for this Gateway: it is left alone. Rename it, or the Gateway`,
      };
    }
    hindered.delete(ref);
    // What comes after it can be made when it is gone, and that wakes us.
    if (current?.metadata.deletionTimestamp !== undefined) return done;
    const content = contentOf(desired);
    const before = sent.get(ref);
    if (current === undefined && before !== undefined) {
      const owner = await ownerState(api, desired);
      if (owner.kind === "going") return owner;
      if (owner.kind === "unavailable") return failed("the Gateway cannot be read", owner);
    }
    if (current !== undefined && appliedContent(current) === content && observed.get(ref) !== undefined) {
      const changed = changesOf(desired, current).filter((path) => !before?.tolerated.has(path));
      if (changed.length === 0) return done;
      return correct(gateway, desired, current, changed.join(", "));
    }
    if (before?.content !== content) return apply(gateway, desired, current);
    return correct(gateway, desired, current, current === undefined ? "deleted" : "metadata");
  }

  /** Undoes what somebody else did to an object that was as it is to be. */
  async function correct(
    gateway: string,
    desired: DesiredObject,
    current: OwnObject | undefined,
    what: string,
  ): Promise<Step> {
    const ref = refOf(desired.kind, desired.metadata.namespace, desired.metadata.name);
    const delayMs = rivals.delayOf(ref);
    if (delayMs > 0) return { kind: "wait", delayMs };
    const version = current?.metadata.resourceVersion;
    const step = await apply(gateway, desired, current);
    // The API server may have written another form of the same, which changes nothing.
    if (step.kind !== "done" || observed.get(ref)?.metadata.resourceVersion === version) return step;
    corrections++;
    rivals.note(ref);
    logger.warn(
      { object: ref, what, by: lastManager(current) },
      "somebody changed what Gatewright keeps; it is set right",
    );
    return step;
  }

  /** An object that the watch does not show: it is not there, or not marked as ours. */
  async function find(desired: DesiredObject): Promise<OwnObject | Step | undefined> {
    const kind = kindOf(desired);
    const outcome = await outcomeOf(api.request({ method: "GET", path: pathOf(kind, desired.metadata) }));
    if (outcome.kind === "gone") return undefined;
    if (outcome.kind !== "done") return failed(`${desired.kind} cannot be read`, outcome);
    return isOwnObject(outcome.object) ? outcome.object : undefined;
  }

  async function apply(gateway: string, desired: DesiredObject, current: OwnObject | undefined): Promise<Step> {
    const ref = refOf(desired.kind, desired.metadata.namespace, desired.metadata.name);
    const outcome = await write({
      method: "PATCH",
      path: pathOf(kindOf(desired), desired.metadata),
      query: { fieldManager, force: true },
      contentType: "application/apply-patch+yaml",
      body: applied(desired, current),
    });
    if (outcome === undefined) return done;
    if (outcome.kind !== "done") {
      if (outcome.kind === "forbidden" && outcome.ofEndingNamespace) return { kind: "going" };
      if (outcome.kind === "conflict") await lookAgain(ref, desired);
      return failed(`${ref} cannot be applied`, outcome);
    }
    const { object } = outcome;
    sent.set(ref, { gateway, content: contentOf(desired), tolerated: new Set(changesOf(desired, object)) });
    if (isOwnObject(object)) observed.takeAnswer(desired.kind, object);
    logger.debug({ object: ref }, current === undefined ? "made" : "applied");
    return done;
  }

  /** It is another one than we knew, and the watch has not told yet. */
  async function lookAgain(ref: string, desired: DesiredObject): Promise<void> {
    const found = await find(desired);
    if (found === undefined) observed.forget(ref);
    else if (isOwnObject(found)) observed.takeAnswer(desired.kind, found);
  }

  async function remove(gateway: string, ref: string): Promise<Step> {
    const object = observed.get(ref);
    const kind = byKind.get(ref.slice(0, ref.indexOf(" ")));
    if (object === undefined || kind === undefined || !isOurs(object, gateway)) return done;
    if (object.metadata.deletionTimestamp !== undefined) return done;
    const outcome = await write({
      method: "DELETE",
      path: pathOf(kind, object.metadata),
      body: { propagationPolicy: "Background", preconditions: { uid: object.metadata.uid } },
    });
    if (outcome === undefined) return done;
    if (outcome.kind !== "done" && outcome.kind !== "gone") return failed(`${ref} cannot be deleted`, outcome);
    // Should something hold it back, the watch shows it again.
    observed.forget(ref);
    logger.info({ object: ref }, "deleted: it is not needed any more");
    return done;
  }

  /** Undefined: it is not for us to write any more. */
  async function write(request: ApiRequest): Promise<Outcome | undefined> {
    if (!isLeader()) return undefined;
    const outcome = await outcomeOf(api.request(request));
    writes[outcome.kind] = (writes[outcome.kind] ?? 0) + 1;
    return outcome;
  }

  function kindOf({ kind }: DesiredObject): OwnKind {
    const found = byKind.get(kind);
    if (found === undefined) throw new Error(`${kind} is not among the kinds that are watched`);
    return found;
  }

  // What is seen.

  const watch = options.watch ?? createListWatch;
  const nodes = createNodeAddresses({
    api,
    logger,
    clock,
    watch,
    onChange: () => {
      for (const gateway of wants.keys()) tell(gateway);
    },
  });
  const selectors = { labelSelector: `${managedBy.name}=${managedBy.value}` };
  let resolveSynced: () => void;
  const synced = new Promise<void>((resolve) => (resolveSynced = resolve));
  const watches = kinds.map((kind) =>
    watch({
      api,
      logger,
      clock,
      selectors,
      path: resourcePath({ group: kind.group, version: kind.version, plural: kind.plural }),
      name: kind.kind,
      onEvents: (events) => observed.take(kind, events),
      onState: noteLists,
    }),
  );
  const pods = watch({
    api,
    logger,
    clock,
    selectors,
    path: resourcePath({ group: "", version: "v1", plural: "pods" }),
    name: "Pod",
    onEvents: observed.takePods,
  });

  function noteLists(): void {
    if (isSynced || !watches.every((each) => each.state().isListed)) return;
    isSynced = true;
    for (const gateway of wants.keys()) {
      queue.wake(gateway);
      tell(gateway);
    }
    queue.resume();
    resolveSynced();
  }

  return {
    synced,
    want: (gateway, wanted) => {
      if (wanted === undefined) {
        wants.delete(gateway);
        problems.delete(gateway);
        refused.delete(gateway);
        if (told.delete(gateway)) {
          options.onPlacement(gateway, undefined);
          options.onState(gateway, undefined);
        }
      } else {
        wants.set(gateway, wanted);
        if (isSynced) tell(gateway);
      }
      queue.wake(gateway);
    },
    compareAll: () => {
      isComplete = true;
      for (const gateway of new Set([...wants.keys(), ...observed.gateways()])) queue.wake(gateway);
    },
    noteGone: (kind, key) => {
      const gateway = hindered.get(`${kind} ${key}`);
      if (hindered.delete(`${kind} ${key}`) && gateway !== undefined) queue.wake(gateway);
    },
    secretData: (gateway) => observed.partsOf(gateway).secret?.data,
    settled: queue.settled,
    stats: () => ({ writes: { ...writes }, corrections, troubled: problems.size }),
    close: async () => {
      for (const each of [...watches, pods, nodes]) each.close();
      await queue.close();
    },
  };
}

/** Objects of lists do not say of which kind they are. */
const changesOf = (desired: DesiredObject, object: unknown): readonly string[] =>
  differences({ ...desired, apiVersion: undefined, kind: undefined }, object);

const samePlacement = (left: Placement, right: Placement): boolean =>
  deepEqual(left.addresses, right.addresses) &&
  deepEqual(left.furtherAddresses, right.furtherAddresses) &&
  deepEqual([...(left.unusableAddresses ?? [])], [...(right.unusableAddresses ?? [])]) &&
  deepEqual(left.bind(1), right.bind(1));

/** Who wrote last, besides us and those who only report. */
function lastManager(object: OwnObject | undefined): string | undefined {
  const entries: NonNullable<ObjectMeta["managedFields"]> = object?.metadata.managedFields ?? [];
  return entries
    .filter(({ manager, subresource = "" }) => manager !== fieldManager && subresource === "")
    .toSorted((left, right) => ((left.time ?? "") < (right.time ?? "") ? 1 : -1))[0]?.manager;
}
