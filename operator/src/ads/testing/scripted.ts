import type { Logger } from "../../lib/index.ts";
import { Publications } from "../publications.ts";
import { Refusals } from "../refusals.ts";
import type { Resource, ResourceChange } from "../resource.ts";
import { type ResourceType, traits } from "../resource-types.ts";
import { Searches } from "../searches.ts";
import { Snapshot } from "../snapshot.ts";
import { type Protocol, Stream } from "../stream.ts";
import type { Draft } from "../type-session.ts";
import { type Content, makeResource } from "./content.ts";
import { createManualClock } from "./manual-clock.ts";

export const graceMs = 5_000;
export const stepTimeoutMs = 10_000;

type Asking = { readonly subscribe?: string[]; readonly unsubscribe?: string[]; readonly has?: Record<string, string> };

/** What streams of one proxy share. */
export class Ground {
  readonly snapshot = new Snapshot();
  readonly refusals = new Refusals();
  readonly clock = createManualClock();
  readonly publications = new Publications();
  readonly streams: Scripted[] = [];
  readonly searches = new Searches(this.clock, stepTimeoutMs, () => this.run());

  publish(...changes: readonly ResourceChange[]): void {
    this.publications.add(this.snapshot.apply(changes));
    this.run();
  }

  run(): void {
    for (const { stream } of this.streams) stream.run();
  }

  refuse(type: ResourceType, resource: Resource, message: string): boolean {
    if (this.refusals.has(type, resource)) return false;
    for (const { stream } of this.streams) stream.reconsider(type, resource.name);
    this.refusals.add(type, resource, message);
    return true;
  }

  retry(type: ResourceType, name: string): void {
    const resource = this.snapshot.get(type, name);
    if (resource === undefined) return;
    for (const { stream } of this.streams) stream.reconsider(type, name);
    this.refusals.forget(type, resource);
    this.run();
  }
}

/** A stream whose client is the test itself, word by word. */
export class Scripted {
  /** Responses since the last `take`, in short: `cluster a b -c`. */
  #sent: string[] = [];
  readonly reasons: string[] = [];
  readonly refused: string[] = [];
  readonly ground: Ground;
  readonly stream: Stream;
  readonly #protocol: Protocol;
  readonly #nonces = new Map<ResourceType, string>();
  #serial = 0;

  constructor(protocol: Protocol = "delta", ground = new Ground()) {
    this.ground = ground;
    this.#protocol = protocol;
    const { snapshot, refusals, searches, publications, clock } = ground;
    this.stream = new Stream({
      protocol,
      snapshot,
      refusals,
      searches,
      publications: publications.open(),
      clock,
      logger: this.#logger(),
      graceMs,
      stepTimeoutMs,
      deliver: (draft) => this.#deliver(draft),
      onAccepted: () => undefined,
      onRejected: () => undefined,
      onRefused: (type, resource, message) => {
        if (ground.refuse(type, resource, message)) this.refused.push(`${type} ${resource.name}`);
      },
    });
    ground.streams.push(this);
  }

  /** What was sent since this was asked last. */
  take(): string[] {
    const sent = this.#sent;
    this.#sent = [];
    return sent;
  }

  publish(...changes: readonly ResourceChange[]): void {
    this.ground.publish(...changes);
  }

  ask(type: ResourceType, { subscribe = [], unsubscribe = [], has = {} }: Asking = {}): string {
    return this.#say({
      typeUrl: traits[type].typeUrl,
      subscribe,
      unsubscribe,
      initialVersions: new Map(Object.entries(has)),
      nonce: "",
      error: undefined,
    });
  }

  askSotw(type: ResourceType, names: string[], nonce = this.#nonces.get(type) ?? ""): string {
    return this.#say({ typeUrl: traits[type].typeUrl, names, nonce, error: undefined });
  }

  ack(type: ResourceType, nonce = this.#nonces.get(type) ?? "", names: string[] = []): void {
    this.#answer(type, nonce, undefined, names);
  }

  nack(type: ResourceType, error = "no", names: string[] = []): void {
    this.#answer(type, this.#nonces.get(type) ?? "", error, names);
  }

  #answer(type: ResourceType, nonce: string, error: string | undefined, names: string[]): void {
    const { typeUrl } = traits[type];
    if (this.#protocol === "sotw") this.#say({ typeUrl, names, nonce, error });
    else this.#say({ typeUrl, subscribe: [], unsubscribe: [], initialVersions: new Map(), nonce, error });
  }

  #say(request: Parameters<Stream["receive"]>[0]): string {
    const outcome = this.stream.receive(request);
    this.stream.run();
    return outcome;
  }

  #deliver({ type, resources, removed }: Draft): string {
    const nonce = `${type}-${++this.#serial}`;
    this.#nonces.set(type, nonce);
    this.#sent.push([type, ...resources.map(({ name }) => name), ...removed.map((name) => `-${name}`)].join(" "));
    return nonce;
  }

  #logger(): Logger {
    const logger: Logger = {
      debug: (_fields, message) => this.reasons.push(message),
      info: () => undefined,
      warn: (_fields, message) => this.reasons.push(message),
      error: () => undefined,
      child: () => logger,
    };
    return logger;
  }
}

export const set = (type: ResourceType, name: string, content: Content = {}): ResourceChange => ({
  type,
  name,
  resource: makeResource(type, name, content),
});

export const drop = (type: ResourceType, name: string): ResourceChange => ({ type, name, resource: undefined });

export const versionOf = (type: ResourceType, name: string, content: Content = {}): string =>
  makeResource(type, name, content).version;
