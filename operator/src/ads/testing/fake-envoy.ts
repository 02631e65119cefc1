import assert from "node:assert/strict";
import type { DeltaRequest, SotwRequest } from "../request.ts";
import { perType, type ResourceType, traits } from "../resource-types.ts";
import { routeTableOf } from "../snapshot.ts";
import type { Protocol } from "../stream.ts";
import { type Content, readContent } from "./content.ts";

export type WireResource = {
  readonly name: string;
  /** Empty in the state-of-the-world protocol. */
  readonly version: string;
  readonly body: Uint8Array;
};

export type WireResponse = {
  readonly type: ResourceType;
  readonly nonce: string;
  /** Of the whole response; state of the world only. */
  readonly version: string;
  readonly resources: readonly WireResource[];
  readonly removed: readonly string[];
};

type Held = { readonly version: string; readonly content: Content };

type Interest = {
  /** What the client is to have of a name before it asks: it would say so at a new stream. */
  readonly versions: Map<string, string>;
  readonly names: Set<string>;
  all: boolean;
  /** Names that were asked for and not heard of. */
  readonly waiting: Set<string>;
  asked: boolean;
  lastNonce: string;
  lastVersion: string;
};

/**
 * A client that behaves as Envoy 1.40 was seen to: it asks for what its configuration refers to, answers to clusters only when they
 * are warm, takes what it can of refused clusters and listeners, drops virtual hosts whose table it does not have.
 *
 * It also watches over the server: a breach of the protocol, or a route to a cluster that is not there, is an assertion error.
 */
export class FakeEnvoy {
  readonly protocol: Protocol;
  /** The configuration that it runs with. */
  readonly config = perType(() => new Map<string, Held>());
  /** What it took of responses that it refused, until it hears of it again. At a new stream it does not tell. */
  readonly strays = new Set<string>();
  /** Contents that were sent, by `type name content`, counted. */
  readonly sends = new Map<string, number>();
  readonly log: string[] = [];
  /** Whether routes are checked to lead somewhere. A test in which clusters are refused cannot ask for that. */
  checksRoutes = true;
  nacks = 0;
  responses: Record<ResourceType, number> = { ...perType(() => 0) };
  readonly #interest = perType(
    (): Interest => ({
      versions: new Map(),
      names: new Set(),
      all: false,
      waiting: new Set(),
      asked: false,
      lastNonce: "",
      lastVersion: "",
    }),
  );
  readonly #nonces = new Set<string>();
  /** Clusters that wait for endpoints, and answers to clusters that wait with them. */
  readonly #warming = new Set<string>();
  /** Those of them that are new; of the others an older edition is in use meanwhile. */
  readonly #cold = new Set<string>();
  #heldAnswers: (() => void)[] = [];
  /** Names that may be sent again though the client has them, by type. */
  readonly #mayRepeat = perType(() => new Map<string, number>());
  /** Listeners' route tables that are let go only after draining. */
  readonly #draining = new Set<string>();
  /** What it asked for on this stream and does not want any more; a response may have been under way. */
  readonly #forsaken = new Set<string>();
  /** No response has come on this stream yet. */
  #fresh = true;
  #send: ((request: DeltaRequest | SotwRequest) => void) | undefined;

  constructor(protocol: Protocol) {
    this.protocol = protocol;
  }

  // ------------------------------------------------------------ connections

  connect(send: (request: DeltaRequest | SotwRequest) => void): void {
    this.#send = send;
    this.#nonces.clear();
    this.#fresh = true;
    this.#forsaken.clear();
    // A state-of-the-world client can hang if it waits for endpoints that are gone; its own time limit gets it out of that.
    if (this.protocol === "sotw") this.#warming.clear();
    // The virtual hosts of a table that it does not claim come anew, whatever it says of them.
    for (const table of this.#interest.route.names)
      if (!this.#interest.route.versions.has(table))
        for (const name of this.#interest.virtualHost.versions.keys())
          if (routeTableOf(name) === table) this.#allowRepeat("virtualHost", name);
    this.#heldAnswers = [];
    const asked = (["cluster", "endpoint", "listener", "route", "virtualHost"] as const).filter(
      (type) => this.#interest[type].asked || type === "cluster",
    );
    for (const type of asked) Object.assign(this.#interest[type], { lastNonce: "", asked: false });
    for (const type of asked) {
      // While clusters wait for endpoints it says nothing of clusters; and does not say which endpoints it waits for.
      if (type === "cluster" && this.#warming.size > 0) {
        for (const name of this.#interest.endpoint.names) this.#allowRepeat("endpoint", name);
        continue;
      }
      this.#ask(type, [...this.#interest[type].names], []);
    }
  }

  disconnect(): void {
    this.#send = undefined;
  }

  /** Forgets all, as a process that is started anew. */
  restart(): void {
    this.disconnect();
    for (const type of ["cluster", "endpoint", "secret", "extension", "listener", "route", "virtualHost"] as const) {
      this.config[type].clear();
      this.#mayRepeat[type].clear();
      const interest = this.#interest[type];
      interest.versions.clear();
      interest.names.clear();
      interest.waiting.clear();
      interest.all = false;
      interest.asked = false;
      interest.lastNonce = "";
      interest.lastVersion = "";
    }
    this.#warming.clear();
    this.#cold.clear();
    this.#draining.clear();
    this.responses = { ...perType(() => 0) };
  }

  /** Connections of listeners that are gone or changed come to their end. */
  drained(): void {
    for (const table of this.#draining) {
      this.#draining.delete(table);
      if (!this.#usedTables().has(table)) this.#letGo(table);
    }
  }

  /** What was asked for and never answered. */
  unanswered(): string[] {
    return (["cluster", "endpoint", "listener", "route", "virtualHost"] as const).flatMap((type) =>
      [...this.#interest[type].waiting].map((name) => `${type} ${name}`),
    );
  }

  wants(type: ResourceType, name: string): boolean {
    return this.#interest[type].all || this.#interest[type].names.has(name);
  }

  /** Asks again for what it has, as a client may that shares one subscription among several users. */
  askAgain(type: ResourceType, name: string): void {
    if (this.protocol !== "delta") return;
    this.#allowRepeat(type, name);
    this.#ask(type, [name], []);
  }

  // ------------------------------------------------------------ responses

  receive(received: WireResponse): void {
    const { type, nonce } = received;
    this.responses[type]++;
    // Endpoints follow clusters even where the client sees that the cluster is as it was.
    if (type === "cluster") for (const { name } of received.resources) this.#allowRepeat("endpoint", name);
    this.log.push(
      `<- ${type} ${received.resources.map(({ name, body }) => name + Buffer.from(body).toString()).join(" ")} -${received.removed.join(" ")}`,
    );
    this.#watch(received);
    const response = { ...received, resources: received.resources.filter(({ name }) => this.wants(type, name)) };
    this.#interest[type].lastNonce = nonce;
    const bad = response.resources.filter((one) => readContent(one.body).bad === true || this.#clashes(response, one));
    // What is refused with others that are good does not always take those with it.
    const partial = type !== "virtualHost";
    if (bad.length === 0 || partial) this.#apply(response, bad);
    if (bad.length === 0) this.#remember(response);
    else {
      this.nacks++;
      if (partial)
        for (const name of [...response.resources.map((one) => one.name), ...response.removed])
          this.strays.add(`${type} ${name}`);
      for (const name of [...response.resources.map((one) => one.name), ...response.removed])
        this.#allowRepeat(type, name);
      this.#interest[type].waiting.clear();
    }
    const error = bad.length === 0 ? undefined : `refused ${type}: ${bad.map(({ name }) => hint(name)).join(", ")}`;
    this.#fresh = false;
    const answer = () => this.#answer(type, nonce, error);
    if (type === "cluster") this.#heldAnswers.push(answer);
    // What an answer to clusters waited for is answered after it.
    this.#releaseAnswers();
    if (type !== "cluster") answer();
  }

  #allowRepeat(type: ResourceType, name: string): void {
    this.#mayRepeat[type].set(name, (this.#mayRepeat[type].get(name) ?? 0) + 1);
  }

  #watch({ type, nonce, resources, removed, version }: WireResponse): void {
    const interest = this.#interest[type];
    assert.ok(nonce !== "" && !this.#nonces.has(nonce), `nonce ${nonce} is not new`);
    this.#nonces.add(nonce);
    assert.ok(interest.asked, `${type} was never asked for`);
    assert.equal(
      version !== "",
      this.protocol === "sotw",
      "a version of the response belongs to state of the world alone",
    );
    const names = [...resources.map(({ name }) => name), ...removed];
    assert.equal(new Set(names).size, names.length, `a name stands twice in ${names.join(" ")}`);
    for (const { name, version: has, body } of resources) {
      assert.ok(this.wants(type, name) || this.#forsaken.has(`${type} ${name}`), `${type} ${name} was not asked for`);
      const key = `${type} ${name} ${Buffer.from(body).toString()}`;
      this.sends.set(key, (this.sends.get(key) ?? 0) + 1);
      if (this.protocol === "sotw") continue;
      assert.notEqual(has, "", `${name} has no version`);
      if (interest.versions.get(name) !== has) continue;
      const allowed = this.#mayRepeat[type].get(name) ?? 0;
      assert.ok(allowed > 0, `${type} ${name} was sent though the client has it`);
      this.#mayRepeat[type].set(name, allowed - 1);
    }
    if (this.protocol === "sotw") assert.deepEqual(removed, []);
  }

  /** Two virtual hosts of a table must not have the same domain. */
  #clashes({ type, resources, removed }: WireResponse, one: WireResource): boolean {
    if (type !== "virtualHost") return false;
    const { domain } = readContent(one.body);
    if (domain === undefined) return false;
    const after = new Map([...this.config.virtualHost].map(([name, { content }]) => [name, content.domain]));
    for (const name of removed) after.delete(name);
    for (const { name, body } of resources) after.set(name, readContent(body).domain);
    return [...after].some(
      ([name, other]) => name !== one.name && other === domain && routeTableOf(name) === routeTableOf(one.name),
    );
  }

  #apply({ type, resources, removed }: WireResponse, bad: readonly WireResource[]): void {
    const config = this.config[type];
    if (this.protocol === "sotw" && traits[type].wildcard) {
      const present = new Set(resources.map(({ name }) => name));
      for (const name of config.keys()) if (!present.has(name)) this.#remove(type, name);
    }
    for (const name of removed) this.#remove(type, name);
    for (const resource of resources) if (!bad.includes(resource)) this.#add(type, resource);
  }

  #remember({ type, resources, removed, version }: WireResponse): void {
    const interest = this.#interest[type];
    interest.lastVersion = version;
    for (const name of [...resources.map((one) => one.name), ...removed]) this.strays.delete(`${type} ${name}`);
    for (const name of removed) {
      interest.versions.delete(name);
      if (traits[type].goneEndsWaiting) interest.waiting.delete(name);
    }
    for (const { name, version: has } of resources) {
      if (this.protocol === "delta") interest.versions.set(name, has);
      interest.waiting.delete(name);
    }
    interest.waiting.delete("*");
    if (type === "route") for (const table of removed) this.#interest.virtualHost.waiting.delete(table);
    if (type === "virtualHost")
      for (const name of [...resources.map((one) => one.name), ...removed]) interest.waiting.delete(routeTableOf(name));
  }

  #add(type: ResourceType, { name, version, body }: WireResource): void {
    const config = this.config[type];
    const content = readContent(body);
    const before = config.get(name);
    const same = before !== undefined && JSON.stringify(before.content) === JSON.stringify(content);
    if (type === "virtualHost" && !this.#interest.route.names.has(routeTableOf(name))) return;
    config.set(name, { version, content });
    if (type === "endpoint") this.#warmed(name);
    if (same) return;
    if (type === "cluster") this.#warm(name, before !== undefined);
    if (type === "route" || type === "virtualHost") this.#checkClusters(name, content);
    if (type === "listener") this.#followTables(before?.content.route);
    if (type === "route" && content.vhds === true && before?.content.vhds !== true) this.#expectHosts(name);
  }

  #warm(name: string, replaces: boolean): void {
    this.#warming.add(name);
    if (!replaces) this.#cold.add(name);
    const { names } = this.#interest.endpoint;
    // A new cluster hears of endpoints only when they come; asking again for a name is not Envoy's way.
    this.#allowRepeat("endpoint", name);
    if (!names.has(name)) this.#ask("endpoint", [name], []);
  }

  #warmed(name: string): void {
    this.#warming.delete(name);
    this.#cold.delete(name);
  }

  #remove(type: ResourceType, name: string): void {
    const before = this.config[type].get(name);
    if (type === "endpoint") this.#warmed(name);
    // Envoy takes no notice where it is told that a route table or endpoints are gone.
    if (!traits[type].wildcard) return;
    this.config[type].delete(name);
    if (type === "cluster") {
      this.#warmed(name);
      if (this.#interest.endpoint.names.has(name)) this.#ask("endpoint", [], [name]);
      this.config.endpoint.delete(name);
      // A state-of-the-world client does not say what it has: at a new stream all that it is not told of is gone at once.
      if (this.checksRoutes && (this.protocol === "delta" || !this.#fresh))
        for (const [user, { content }] of [...this.config.route, ...this.config.virtualHost])
          assert.ok(!content.clusters?.includes(name) || this.#isDraining(user), `${name} went while ${user} uses it`);
    }
    if (type === "listener") this.#followTables(before?.content.route);
  }

  #isDraining(user: string): boolean {
    return this.#draining.has(user) || this.#draining.has(routeTableOf(user));
  }

  #checkClusters(user: string, content: Content): void {
    if (!this.checksRoutes) return;
    for (const cluster of content.clusters ?? []) {
      assert.ok(this.config.cluster.has(cluster), `${user} sends to ${cluster}, which is not there`);
      assert.ok(!this.#cold.has(cluster), `${user} sends to ${cluster}, which is not warm`);
    }
  }

  #usedTables(): Set<string> {
    return new Set([...this.config.listener.values()].flatMap(({ content }) => content.route ?? []));
  }

  #followTables(before: string | undefined): void {
    const used = this.#usedTables();
    const { names } = this.#interest.route;
    for (const table of used) {
      this.#draining.delete(table);
      if (!names.has(table)) this.#ask("route", [table], []);
    }
    if (before !== undefined && !used.has(before)) this.#draining.add(before);
  }

  #letGo(table: string): void {
    this.config.route.delete(table);
    this.#forgetHosts(table);
    this.#interest.virtualHost.waiting.delete(table);
    if (this.#interest.route.names.has(table)) this.#ask("route", [], [table]);
  }

  #forgetHosts(table: string): void {
    for (const name of this.config.virtualHost.keys()) {
      if (routeTableOf(name) !== table) continue;
      this.config.virtualHost.delete(name);
      this.#allowRepeat("virtualHost", name);
    }
  }

  /** The first time it asks for all virtual hosts; never again for those of another table. */
  #expectHosts(table: string): void {
    const interest = this.#interest.virtualHost;
    interest.waiting.add(table);
    for (const name of interest.versions.keys())
      if (routeTableOf(name) === table) this.#allowRepeat("virtualHost", name);
    if (!interest.asked) this.#ask("virtualHost", [], []);
  }

  #releaseAnswers(): void {
    if (this.#warming.size > 0) return;
    const answers = this.#heldAnswers;
    this.#heldAnswers = [];
    for (const answer of answers) answer();
    if (!this.#interest.cluster.asked) this.#ask("cluster", [], []);
    // Listeners are asked for when the first clusters are there.
    if (this.responses.cluster > 0 && !this.#interest.listener.asked) this.#ask("listener", [], []);
  }

  // ------------------------------------------------------------ requests

  #ask(type: ResourceType, subscribe: readonly string[], unsubscribe: readonly string[]): void {
    const interest = this.#interest[type];
    const first = !interest.asked;
    if (traits[type].wildcard && first) {
      interest.all = true;
      if (interest.versions.size === 0 && interest.lastVersion === "" && type !== "virtualHost")
        interest.waiting.add("*");
    }
    for (const name of subscribe) {
      interest.names.add(name);
      // What was under way to it when it last let go crosses with this request.
      if (this.#forsaken.has(`${type} ${name}`)) this.#allowRepeat(type, name);
      if (!first || !interest.versions.has(name)) interest.waiting.add(name);
      if (!first) interest.versions.delete(name);
    }
    for (const name of unsubscribe) {
      interest.names.delete(name);
      interest.versions.delete(name);
      interest.waiting.delete(name);
      this.#forsaken.add(`${type} ${name}`);
    }
    if (this.#send === undefined) return;
    interest.asked = true;
    const typeUrl = traits[type].typeUrl;
    this.log.push(`-> ${type} +${subscribe.join(" ")} -${unsubscribe.join(" ")}`);
    this.#send(
      this.protocol === "delta"
        ? {
            typeUrl,
            subscribe,
            unsubscribe,
            initialVersions: first ? new Map(interest.versions) : new Map(),
            nonce: "",
            error: undefined,
          }
        : this.#sotwRequest(type, undefined),
    );
  }

  #answer(type: ResourceType, nonce: string, error: string | undefined): void {
    if (this.#send === undefined) return;
    this.log.push(`-> ${type} ${error ?? "ok"}`);
    this.#send(
      this.protocol === "delta"
        ? { typeUrl: traits[type].typeUrl, subscribe: [], unsubscribe: [], initialVersions: new Map(), nonce, error }
        : this.#sotwRequest(type, error),
    );
  }

  #sotwRequest(type: ResourceType, error: string | undefined): SotwRequest {
    const interest = this.#interest[type];
    return {
      typeUrl: traits[type].typeUrl,
      names: [...interest.names],
      nonce: interest.lastNonce,
      error,
    };
  }
}

/** Envoy's errors name what is refused in some cases and not in others. */
const hint = (name: string): string => (name.length % 2 === 0 ? `${name}: it is bad` : "it is bad");
