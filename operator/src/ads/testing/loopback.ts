import assert from "node:assert/strict";
import { silentLogger } from "../../lib/index.ts";
import { Publications } from "../publications.ts";
import { Refusals } from "../refusals.ts";
import type { DeltaRequest, SotwRequest } from "../request.ts";
import type { Resource, ResourceChange } from "../resource.ts";
import type { ResourceType } from "../resource-types.ts";
import { Searches } from "../searches.ts";
import { Snapshot } from "../snapshot.ts";
import { type Protocol, Stream } from "../stream.ts";
import type { Draft } from "../type-session.ts";
import { versionOf } from "../version.ts";
import { FakeEnvoy, type WireResponse } from "./fake-envoy.ts";
import { createManualClock } from "./manual-clock.ts";

export const graceMs = 5_000;

/** A snapshot, a stream and a fake Envoy, with the wire between them in the test's hands. */
export class Loopback {
  readonly snapshot = new Snapshot();
  readonly refusals = new Refusals();
  readonly clock = createManualClock();
  readonly envoy: FakeEnvoy;
  readonly accepted: string[] = [];
  readonly refused: string[] = [];
  readonly toClient: WireResponse[] = [];
  readonly toServer: (DeltaRequest | SotwRequest)[] = [];
  #stream: Stream | undefined;
  /** How often the client asked for a name. */
  readonly #asked = new Map<string, number>();
  #serial = 0;

  readonly #stepTimeoutMs: number;
  readonly #publications = new Publications();

  /** Steps wait for answers as long as it takes unless a limit is given. */
  constructor(protocol: Protocol = "delta", stepTimeoutMs = 1e9) {
    this.envoy = new FakeEnvoy(protocol);
    this.#stepTimeoutMs = stepTimeoutMs;
  }

  /** `run` is to follow, sooner or later. */
  publish(...changes: readonly ResourceChange[]): void {
    this.#publications.add(this.snapshot.apply(changes));
  }

  run(): void {
    this.#stream?.run();
  }

  connect(): void {
    this.disconnect();
    const { snapshot, refusals, clock } = this;
    this.#stream = new Stream({
      protocol: this.envoy.protocol,
      snapshot,
      refusals,
      searches: new Searches(clock, this.#stepTimeoutMs, () => undefined),
      publications: this.#publications.open(),
      clock,
      logger: silentLogger,
      graceMs,
      stepTimeoutMs: this.#stepTimeoutMs,
      deliver: (draft) => this.#deliver(draft),
      onAccepted: (type, resources) => this.accepted.push(...resources.map((one) => spell(type, one))),
      onRejected: () => undefined,
      onRefused: (type, resource, message) => {
        if (refusals.has(type, resource)) return;
        this.#stream?.reconsider(type, resource.name);
        refusals.add(type, resource, message);
        this.refused.push(spell(type, resource));
      },
    });
    this.envoy.connect((request) => this.toServer.push(request));
  }

  disconnect(): void {
    this.#stream?.close();
    this.#stream = undefined;
    this.envoy.disconnect();
    this.toClient.length = 0;
    this.toServer.length = 0;
  }

  /** One request reaches the server. */
  stepServer(): boolean {
    const request = this.toServer.shift();
    if (request === undefined) return false;
    for (const name of "subscribe" in request ? request.subscribe : request.names)
      this.#asked.set(name, (this.#asked.get(name) ?? 0) + 1);
    this.#stream?.receive(request);
    this.#stream?.run();
    return true;
  }

  /** One response reaches the client. */
  stepClient(): boolean {
    const response = this.toClient.shift();
    if (response === undefined) return false;
    this.envoy.receive(response);
    return true;
  }

  /** Lets both talk until neither has anything to say. */
  settle(): void {
    for (let turns = 0; this.stepServer() || this.stepClient(); turns++)
      if (turns > 10_000) throw new Error(`they talk without end:\n${this.envoy.log.slice(-40).join("\n")}`);
  }

  /** Settles, also what waits for time to pass, until nothing is said any more. */
  settleAll(): void {
    for (let quiet = 0; quiet < 3; quiet++) {
      this.settle();
      if (this.clock.waiting() === 0) return;
      this.clock.advance(graceMs);
      if (this.toClient.length > 0) quiet = 0;
    }
  }

  /** What is under way to the client, in short. */
  pending(): string[] {
    return this.toClient.map(({ type, resources, removed }) =>
      [type, ...resources.map(({ name }) => name), ...removed.map((name) => `-${name}`)].join(" "),
    );
  }

  #deliver({ type, form, resources, removed }: Draft): string {
    for (const resource of resources) {
      if (!this.refusals.has(type, resource)) continue;
      // Who asks for a route table must have one, if only to refuse it: once, and by itself.
      const asked = this.#asked.get(resource.name) ?? 0;
      assert.ok(
        type === "route" && resources.length === 1 && asked > 0,
        `${resource.name} was sent after it was refused`,
      );
      this.#asked.set(resource.name, asked - 1);
    }
    const nonce = String(++this.#serial);
    const delta = form === "delta";
    this.toClient.push({
      type,
      nonce,
      version: delta ? "" : versionOf(resources),
      resources: resources.map(({ name, version, body }) => ({ name, version: delta ? version : "", body })),
      removed,
    });
    return nonce;
  }
}

const spell = (type: ResourceType, { name, version }: Resource): string => `${type} ${name} ${version}`;
