import type { Clock, Logger } from "../lib/index.ts";
import type { Resource } from "./resource.ts";
import { routeTableOf } from "./snapshot.ts";
import { resourceTypes, type ResourceType, type Step, steps, traits } from "./resource-types.ts";

/** The stream that a rollout moves along. */
export type RolloutTarget = {
  readonly contentOf: (type: ResourceType, name: string) => Resource | undefined;
  /** Lets the client see this content of a name from now on. */
  readonly reveal: (type: ResourceType, name: string, content: Resource | undefined) => void;
  /** Whether a name was not published when the client was last told of anything. */
  readonly isNew: (type: ResourceType, name: string) => boolean;
  /** Takes these clusters away for good, or asks for more time by retiring them anew. */
  readonly retire: (clusters: ReadonlySet<string>) => void;
  /** Sends what may be sent. */
  readonly pump: () => void;
  /** See `TypeSession`. */
  readonly tail: (type: ResourceType) => number;
  readonly passed: (type: ResourceType, number: number) => boolean;
  /** Clusters that wait for their endpoints. */
  readonly warming: ReadonlySet<string>;
};

export type RolloutOptions = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The longest that a step waits for the client's answers before the next one goes ahead. */
  readonly stepTimeoutMs: number;
  /** How long clusters stay after the routes that used them are gone: for requests under way. */
  readonly graceMs: number;
};

type Rollout = {
  /** The first on a stream: types of later steps say nothing yet. Otherwise the curtain alone keeps the order. */
  readonly first: boolean;
  step: Step;
  readonly cut: ReadonlyMap<ResourceType, ReadonlyMap<string, Resource | undefined>>;
  /** Clusters that it makes superfluous. */
  readonly retiring: Set<string>;
  /** Clusters of earlier rollouts whose grace has run out meanwhile. */
  readonly overdue: Set<string>;
  /** By type, the number of the response whose answer the step waits for. Undefined: to be found out. */
  gates: Map<ResourceType, number> | undefined;
  /** Clusters whose endpoints the step waits for. Undefined: to be found out. */
  cold: Set<string> | undefined;
  timedOut: boolean;
};

/**
 * The order in which a client learns of changes: make before break.
 *
 * Clusters, endpoints and secrets are sent at once, for they harm nobody. The rest of a publication waits until the client has taken
 * those, then goes step by step: listeners, route tables, virtual hosts. Clusters are taken away last. What is published meanwhile
 * gathers, latest wins, and makes the next rollout; so a rollout is always one consistent state, and a burst starves nothing.
 */
export class Rollouts {
  readonly #target: RolloutTarget;
  readonly #options: RolloutOptions;
  #current: Rollout | undefined;
  readonly #changed = new Map<ResourceType, Set<string>>();
  #retiring = new Set<string>();
  /** Clusters whose grace runs, and how to stop it. */
  readonly #graces = new Map<Set<string>, () => void>();
  #cancelDeadline: (() => void) | undefined;

  constructor(target: RolloutTarget, options: RolloutOptions) {
    this.#target = target;
    this.#options = options;
    this.#current = {
      first: true,
      step: "make",
      cut: new Map(),
      retiring: new Set(),
      overdue: new Set(),
      gates: undefined,
      cold: undefined,
      timedOut: false,
    };
  }

  /** Whether responses of this type may be sent. */
  maySend(type: ResourceType): boolean {
    return (
      this.#current === undefined ||
      !this.#current.first ||
      steps.indexOf(traits[type].step) <= steps.indexOf(this.#current.step)
    );
  }

  /** For logs: what a change that is not sent waits for. */
  get step(): Step | undefined {
    return this.#current?.step;
  }

  /** The content of a name changed, and waits for its turn. */
  changed(type: ResourceType, name: string): void {
    const names = this.#changed.get(type);
    if (names === undefined) this.#changed.set(type, new Set([name]));
    else names.add(name);
  }

  /** A cluster is not needed any more. */
  retire(cluster: string): void {
    // At the start of a stream it is part of the first rollout: routes come before it goes.
    if (this.#current?.first && this.#current.step === "make") this.#current.retiring.add(cluster);
    else this.#retiring.add(cluster);
  }

  /** A cluster is needed again. */
  keep(cluster: string): void {
    this.#retiring.delete(cluster);
    this.#current?.retiring.delete(cluster);
    this.#current?.overdue.delete(cluster);
    for (const clusters of this.#graces.keys()) clusters.delete(cluster);
  }

  /** The client asked for resources of a type. Those that a new cluster needs belong to its being warm. */
  asked(type: ResourceType): void {
    if (this.#current?.step === "make" && traits[type].step === "make") this.#current.gates?.delete(type);
  }

  /** Sends what may be sent, and goes on as far as the client's answers allow. */
  run(): void {
    this.#target.pump();
    while (this.#current !== undefined || this.#startNext()) {
      if (!this.#passed()) return this.#watch();
      this.#advance();
      this.#target.pump();
    }
  }

  close(): void {
    this.#leaveStep();
    for (const cancel of this.#graces.values()) cancel();
    this.#graces.clear();
    this.#current = undefined;
  }

  #startNext(): boolean {
    if (this.#changed.size === 0 && this.#retiring.size === 0) return false;
    const cut = new Map<ResourceType, ReadonlyMap<string, Resource | undefined>>();
    for (const [type, names] of this.#changed)
      cut.set(type, new Map([...names].map((name) => [name, this.#target.contentOf(type, name)])));
    this.#changed.clear();
    const retiring = this.#retiring;
    this.#retiring = new Set();
    this.#current = {
      first: false,
      step: "make",
      cut,
      retiring,
      overdue: new Set(),
      gates: undefined,
      cold: undefined,
      timedOut: false,
    };
    return true;
  }

  /** Whether the client has answered to all that the step waits for. */
  #passed(): boolean {
    const current = this.#current;
    if (current === undefined) return true;
    current.gates ??= new Map();
    for (const type of resourceTypes) {
      if (traits[type].step !== current.step) continue;
      const gate = current.gates.get(type) ?? this.#gate(current, type);
      current.gates.set(type, gate);
      if (!this.#target.passed(type, gate)) return false;
    }
    return current.step !== "make" || this.#isWarm(current);
  }

  #gate(current: Rollout, type: ResourceType): number {
    // A step waits for its own changes only, unless all that is under way must have arrived: what clusters need, and before they go.
    const concerned = current.first || current.step === "make" || current.retiring.size > 0 || current.cut.has(type);
    return concerned ? this.#target.tail(type) : 0;
  }

  #isWarm(current: Rollout): boolean {
    current.cold ??= new Set(this.#target.warming);
    for (const name of current.cold) {
      if (this.#target.warming.has(name)) return false;
      current.cold.delete(name);
    }
    return true;
  }

  #advance(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#leaveStep();
    const next = steps[steps.indexOf(current.step) + 1];
    if (next === undefined) return this.#finish(current);
    current.step = next;
    current.gates = undefined;
    if (next === "listen") this.#revealNewTables(current);
    for (const [type, contents] of current.cut)
      if (traits[type].step === next) for (const [name, content] of contents) this.#target.reveal(type, name, content);
  }

  /**
   * A route table that was not published before is of no harm to anyone, and must be there when a listener turns to it: the client may
   * still have it, out of date, for connections that drain.
   */
  #revealNewTables({ cut }: Rollout): void {
    const tables = new Set<string>();
    for (const [name, content] of cut.get("route") ?? []) {
      if (!this.#target.isNew("route", name)) continue;
      tables.add(name);
      this.#target.reveal("route", name, content);
    }
    for (const [name, content] of cut.get("virtualHost") ?? [])
      if (tables.has(routeTableOf(name))) this.#target.reveal("virtualHost", name, content);
  }

  #finish(current: Rollout): void {
    this.#current = undefined;
    const { retiring, overdue } = current;
    // It is not sure that the routes are gone: their clusters go after another try.
    if (current.timedOut) for (const cluster of [...retiring, ...overdue]) this.#retiring.add(cluster);
    else {
      if (overdue.size > 0) this.#target.retire(overdue);
      if (retiring.size > 0) this.#startGrace(retiring);
    }
  }

  #startGrace(clusters: Set<string>): void {
    const cancel = this.#options.clock.after(this.#options.graceMs, () => {
      this.#graces.delete(clusters);
      // What is under way may turn to a table that the client has from before, out of date: it is brought up to date first.
      if (this.#current === undefined) this.#target.retire(clusters);
      else for (const cluster of clusters) this.#current.overdue.add(cluster);
      this.run();
    });
    this.#graces.set(clusters, cancel);
  }

  /** Sees to it that a client that does not answer holds up a step only so long. */
  #watch(): void {
    this.#cancelDeadline ??= this.#options.clock.after(this.#options.stepTimeoutMs, () => {
      const current = this.#current;
      if (current === undefined) return;
      current.timedOut = true;
      this.#options.logger.warn(
        { step: current.step, waitedMs: this.#options.stepTimeoutMs, clusters: [...(current.cold ?? [])].slice(0, 5) },
        "a client does not answer in time; going on without",
      );
      this.#advance();
      this.run();
    });
  }

  #leaveStep(): void {
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
  }
}
