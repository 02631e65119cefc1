import { Bisection } from "./bisection.ts";
import { flown, type Have, lacks, told, uncertain, waits } from "./have.ts";
import type { Resource } from "./resource.ts";
import type { ResourceType } from "./resource-types.ts";
import type { OwnSearch, RunningSearch, Searches } from "./searches.ts";
import type { Desired } from "./view.ts";

/**
 * How a response is made up. `delta`: what changed and what is gone. `partial`: what changed. `whole`: all there is, so that what is
 * missing is gone; the state-of-the-world protocol wants this of clusters and listeners.
 */
export type Form = "delta" | "partial" | "whole";

/** A response before it is encoded. */
export type Draft = {
  readonly type: ResourceType;
  readonly form: Form;
  readonly resources: readonly Resource[];
  readonly removed: readonly string[];
};

export type TypeSessionOptions = {
  readonly type: ResourceType;
  readonly form: Form;
  /** What is to be done about a name, given what the client has. */
  readonly desired: (name: string, have: Have) => Desired;
  /** All names that may be sent, for whole responses. */
  readonly names: () => Iterable<string>;
  /** The content of a version, if it is still known. */
  readonly contentOf: (name: string, version: string) => Resource | undefined;
  readonly isProven: (resource: Resource) => boolean;
  readonly isRefused: (resource: Resource) => boolean;
  /** This resource, and no other of its response, is what the client refuses. */
  readonly onRefused: (resource: Resource, message: string) => void;
  readonly searches: Pick<Searches, "running" | "begin">;
};

/** A change of one name in a response. */
type Item = { readonly name: string; readonly resource: Resource | undefined; readonly had: Have };

type Flight = { readonly nonce: string; readonly items: ReadonlyMap<string, Item> };

/** What an answer settled. */
export type Answered = { readonly resources: readonly Resource[]; readonly removed: readonly string[] };

/**
 * One type of resource on one stream: what the client wants, what it may lack, and the one response that it has not answered.
 *
 * What it has is written down only for names at which it may differ from what it is to see: memory is that of the difference.
 */
export class TypeSession {
  readonly #options: TypeSessionOptions;
  readonly #names = new Set<string>();
  readonly #behind = new Map<string, Have>();
  #wildcard = false;
  #answerDue = false;
  #flight: Flight | undefined;
  #nonce = "";
  #bisection: Bisection | undefined;
  /** That of the bisection. */
  #search: OwnSearch | undefined;
  /** The search of another client that may find what this one refused; nothing is sent meanwhile. */
  #awaitedSearch: RunningSearch | undefined;
  /** What the client had of the resources among which a bad one is searched for. */
  readonly #hadBefore = new Map<string, Have>();
  /** Responses sent so far, and up to which of them all is answered. */
  #sent = 0;
  #settled = 0;

  constructor(options: TypeSessionOptions) {
    this.#options = options;
  }

  // ------------------------------------------------------------ what the client wants

  /** Whether the client ever asked for this type. */
  asked = false;

  get wildcard(): boolean {
    return this.#wildcard;
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  wants(name: string): boolean {
    return this.#wildcard || this.#names.has(name);
  }

  /** The client asks for a name; `have` is what it says it has. */
  subscribe(name: string, have: Have): void {
    this.#names.add(name);
    this.know(name, have);
  }

  unsubscribe(name: string): void {
    if (!this.#names.delete(name)) return;
    // Still wanted as one of all: the client has forgotten it and must hear of it again.
    if (this.#wildcard) this.know(name, waits);
    else this.#behind.delete(name);
  }

  /** The client asks for all there is. `answer`: it must get a response even if there is nothing. */
  subscribeAll(answer: boolean): void {
    this.#wildcard = true;
    this.#answerDue ||= answer;
  }

  unsubscribeAll(): void {
    this.#wildcard = false;
    this.#answerDue = false;
    for (const name of this.#behind.keys()) if (!this.#names.has(name)) this.#behind.delete(name);
  }

  // ------------------------------------------------------------ what the client has

  /** The client has this of a name, or waits for it, whatever we thought. */
  know(name: string, have: Have): void {
    this.#behind.set(name, have);
  }

  /** What the client is to see at a name may have changed; `before` is what it was to see. */
  touch(name: string, before: Resource | undefined): void {
    if (!this.wants(name)) return;
    if (this.#flight?.items.has(name)) {
      if (this.#behind.get(name) !== waits) this.#behind.set(name, flown);
    } else if (!this.#behind.has(name)) {
      this.#behind.set(name, before?.version ?? lacks);
    }
  }

  /** Whether the client may have any content of a name. */
  mayHave(name: string): boolean {
    if (this.#flight?.items.has(name)) return true;
    const have = this.#behind.get(name);
    return have !== lacks && have !== waits && have !== told && this.wants(name);
  }

  /** Whether the client waits for an answer on a name. */
  awaits(name: string): boolean {
    return this.#behind.get(name) === waits;
  }

  /** Names at which the client may differ from what it is to see. */
  behind(): IteratorObject<string> {
    return this.#behind.keys();
  }

  // ------------------------------------------------------------ responses and answers

  /** The nonce of the response that is not answered. */
  get awaited(): string | undefined {
    return this.#flight?.nonce;
  }

  /** Names in the response that is not answered. */
  underWay(): Iterable<string> {
    return this.#flight?.items.keys() ?? [];
  }

  /** The nonce of the last response, empty before the first. */
  get nonce(): string {
    return this.#nonce;
  }

  /** How many responses were sent so far. */
  get sent(): number {
    return this.#sent;
  }

  /**
   * Hands the next response to `deliver`, which returns its nonce, if one is due and the last is answered. Returns what in it is, or
   * may be, new to the client; undefined where nothing was sent.
   */
  send(deliver: (draft: Draft) => string): readonly Resource[] | undefined {
    if (this.#flight !== undefined || this.#isWaiting()) return undefined;
    const items = this.#dueItems();
    if (items.length === 0 && !this.#answerDue) return undefined;
    this.#answerDue = false;
    const draft = this.#draft(items);
    for (const { name } of items) this.#behind.delete(name);
    this.#sent++;
    this.#nonce = deliver(draft);
    this.#flight = { nonce: this.#nonce, items: new Map(items.map((item) => [item.name, item])) };
    const news = items.flatMap(({ resource }) => resource ?? []);
    // A whole response also carries what stays as it was: or was not, if the client took part of a response that it refused.
    return [...news, ...draft.resources.filter(({ name }) => this.#behind.get(name) === uncertain)];
  }

  /** The client took the response under way. */
  accepted(): Answered {
    const items = this.#land(({ resource, had }) => resource?.version ?? (had === waits ? told : lacks));
    this.#bisection?.accepted();
    this.#settle();
    return {
      resources: items.flatMap(({ resource }) => resource ?? []),
      removed: items.flatMap(({ name, resource }) => (resource === undefined ? [name] : [])),
    };
  }

  /** The client refused the response under way, as a whole. */
  refused(message: string): void {
    const resources = [...(this.#flight?.items.values() ?? [])].flatMap(({ resource }) => resource ?? []);
    this.#land((item) => this.#hasAfterRefusal(item, resources.length));
    const [only, ...others] = resources;
    if (this.#bisection !== undefined) this.#bisection.refused(message);
    else if (others.length > 0) this.#find(resources, message);
    else if (only !== undefined) this.#options.onRefused(only, message);
    this.#settle();
  }

  /** Finds out which of these is bad, or waits for another client that is about to. */
  #find(resources: readonly Resource[], message: string): void {
    const { searches, type, isProven } = this.#options;
    this.#awaitedSearch = searches.running(type);
    if (this.#awaitedSearch !== undefined) return;
    this.#search = searches.begin(type);
    this.#bisection = new Bisection(resources, message, isProven);
  }

  #isWaiting(): boolean {
    if (this.#awaitedSearch?.isOver === true) this.#awaitedSearch = undefined;
    return this.#awaitedSearch !== undefined;
  }

  /** The client is gone: nobody is to wait for what it would have found. */
  close(): void {
    this.#search?.end();
  }

  /** The number of the response with whose answer all that is due now is settled; 0: nothing is due. */
  tail(): number {
    if (this.#isWaiting()) return this.#sent + 1;
    if (this.#flight === undefined) return 0;
    for (const [name, have] of this.#behind)
      if (have === flown || this.#options.desired(name, have) !== "leave") return this.#sent + 1;
    return this.#sent;
  }

  /** Whether all responses up to this number are answered, or there is nothing to answer. To be asked after `send`. */
  passed(number: number): boolean {
    const isIdle = this.#flight === undefined && this.#bisection === undefined && !this.#isWaiting();
    return this.#settled >= number || isIdle;
  }

  #land(nowHas: (item: Item) => Have): Item[] {
    const items = [...(this.#flight?.items.values() ?? [])];
    this.#flight = undefined;
    for (const item of items) {
      if (!this.wants(item.name) || this.#behind.get(item.name) === waits) continue;
      this.#behind.set(item.name, nowHas(item));
    }
    return items;
  }

  #hasAfterRefusal({ name, resource, had }: Item, resources: number): Have {
    // Envoy tells all who wait that it failed: nobody waits any longer.
    const before = had === waits || had === told ? lacks : had;
    // A removal that is refused on its own is not tried again.
    if (resource === undefined) return resources === 0 ? lacks : uncertain;
    if (resources === 1) return this.#hadBefore.get(name) ?? before;
    if (!this.#hadBefore.has(name)) this.#hadBefore.set(name, before);
    return uncertain;
  }

  /** Ends a search that has come to its end. */
  #settle(): void {
    if (this.#bisection !== undefined && this.#bisection.group === undefined) {
      const { culprits } = this.#bisection;
      this.#bisection = undefined;
      for (const { resource, message } of culprits) this.#options.onRefused(resource, message);
      this.#search?.end();
      this.#search = undefined;
    }
    if (this.#bisection !== undefined || this.#isWaiting()) return;
    this.#hadBefore.clear();
    this.#settled = this.#sent;
  }

  #dueItems(): Item[] {
    while (this.#bisection?.group !== undefined) {
      const group = new Set(this.#bisection.group);
      const items = this.#collect().filter(({ resource }) => resource === undefined || group.has(resource));
      if (items.some(({ resource }) => resource !== undefined)) return items;
      this.#bisection.skipped();
    }
    this.#settle();
    return this.#apart(this.#collect());
  }

  /** What is refused in all likelihood goes alone, and last. */
  #apart(items: Item[]): Item[] {
    const { isRefused } = this.#options;
    const others = items.filter(({ resource }) => resource === undefined || !isRefused(resource));
    return others.length > 0 ? others : items.slice(0, 1);
  }

  #collect(): Item[] {
    const items: Item[] = [];
    for (const [name, had] of this.#behind) {
      const desired = this.#options.desired(name, had);
      if (desired === "leave") continue;
      const resource = desired === "gone" ? undefined : desired;
      const unsaid = resource === undefined && (had === lacks || had === told || this.#options.form === "partial");
      if (unsaid || (resource !== undefined && resource.version === had)) this.#behind.delete(name);
      else items.push({ name, resource, had });
    }
    return items;
  }

  #draft(items: readonly Item[]): Draft {
    const { type, form } = this.#options;
    const resources = items.flatMap(({ resource }) => resource ?? []);
    if (form === "whole") return { type, form, resources: this.#all(items), removed: [] };
    const removed = items.flatMap(({ name, resource }) => (resource === undefined ? [name] : []));
    return { type, form, resources, removed: form === "delta" ? removed : [] };
  }

  /** All that the client is to have when it has taken these items. */
  #all(items: readonly Item[]): Resource[] {
    const changed = new Map(items.map((item) => [item.name, item]));
    const all: Resource[] = [];
    for (const name of this.#options.names()) {
      if (!this.wants(name)) continue;
      const item = changed.get(name);
      const resource = item === undefined ? this.#present(name) : item.resource;
      if (resource !== undefined) all.push(resource);
    }
    return all;
  }

  /** What the client has of a name that is not in the response. */
  #present(name: string): Resource | undefined {
    const have = this.#behind.get(name);
    if (typeof have === "string") return this.#options.contentOf(name, have);
    const desired = have === undefined ? this.#options.desired(name, lacks) : "leave";
    return typeof desired === "string" ? undefined : desired;
  }
}
