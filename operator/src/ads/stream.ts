import type { Clock, Logger } from "../lib/index.ts";
import { subscribeDelta } from "./delta-subscription.ts";
import { HostDiscovery } from "./host-discovery.ts";
import type { PublicationReader } from "./publications.ts";
import type { Refusals } from "./refusals.ts";
import type { DeltaRequest, SotwRequest } from "./request.ts";
import type { AppliedChange, Resource } from "./resource.ts";
import { perType, resourceTypes, type ResourceType, traits, typeOfUrl } from "./resource-types.ts";
import { Rollouts } from "./rollout.ts";
import type { Searches } from "./searches.ts";
import type { Snapshot } from "./snapshot.ts";
import { subscribeSotw } from "./sotw-subscription.ts";
import type { StreamParts } from "./stream-parts.ts";
import { type Draft, type Form, TypeSession } from "./type-session.ts";
import { View } from "./view.ts";
import { Warming } from "./warming.ts";

export type Protocol = "delta" | "sotw";

export type StreamOptions = {
  readonly protocol: Protocol;
  readonly snapshot: Snapshot;
  readonly refusals: Refusals;
  readonly searches: Searches;
  /** What is published from now on, after it was applied to the snapshot. */
  readonly publications: PublicationReader;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly stepTimeoutMs: number;
  readonly graceMs: number;
  /** Sends a response and returns its nonce. */
  readonly deliver: (draft: Draft) => string;
  /** `news` are those of the resources that no client of the proxy is known to have taken before. */
  readonly onAccepted: (type: ResourceType, resources: readonly Resource[], news: readonly Resource[]) => void;
  /** The response under way was refused; which of its resources is to blame may not be known yet. */
  readonly onRejected: (type: ResourceType, message: string) => void;
  /** This resource is what the client refuses. */
  readonly onRefused: (type: ResourceType, resource: Resource, message: string) => void;
};

type Request = DeltaRequest | SotwRequest;

/** What a client may send before there is anything to answer: far more than its types. */
const maxBacklog = 1000;

/**
 * One client's stream, as a state machine: requests, publications and the clock in, responses out. Knows no network.
 */
export class Stream {
  readonly #options: StreamOptions;
  readonly #parts: StreamParts;
  /** Requests that came before the first publication. */
  #backlog: Request[] = [];
  /** Types that a request or a publication was about, and how many responses of them there were before. */
  readonly #concerned = new Map<ResourceType, number>();
  #started = false;
  #closed = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    const { snapshot, refusals, logger } = options;
    const clock = this.#punctual(options.clock);
    const view = new View(snapshot, refusals);
    const sessions = perType((type) => this.#session(type, view));
    const warming = new Warming(view, sessions.endpoint);
    const rollouts = new Rollouts(
      {
        contentOf: (type, name) => snapshot.get(type, name),
        reveal: (type, name, content) => this.#reveal(type, name, content),
        isNew: (type, name) => view.isHidden(type, name) && view.hidden(type, name) === undefined,
        retire: (clusters) => this.#retire(clusters),
        pump: () => this.#pump(),
        tail: (type) => sessions[type].tail(),
        passed: (type, number) => sessions[type].passed(number),
        warming: warming.names,
      },
      { clock, logger, stepTimeoutMs: options.stepTimeoutMs, graceMs: options.graceMs },
    );
    const hosts = new HostDiscovery(snapshot, view, sessions.route, sessions.virtualHost);
    this.#parts = { snapshot, view, sessions, hosts, warming, rollouts };
  }

  /** Nothing is done before all that was published is taken in. */
  #punctual(clock: Clock): Clock {
    return {
      after: (delayMs, action) =>
        clock.after(delayMs, () => {
          this.#catchUp();
          action();
        }),
    };
  }

  #session(type: ResourceType, view: View): TypeSession {
    const { snapshot, refusals, searches, protocol } = this.#options;
    return new TypeSession({
      type,
      form: formOf(protocol, type),
      desired: (name, have) =>
        type === "virtualHost" ? this.#parts.hosts.desired(name, have) : view.desired(type, name, have),
      names: () => view.names(type),
      contentOf: (name, version) => view.contentOf(type, name, version),
      isProven: (resource) => snapshot.isProven(type, resource),
      isRefused: (resource) => refusals.has(type, resource),
      onRefused: (resource, message) => this.#refused(type, resource, message),
      searches,
    });
  }

  // ------------------------------------------------------------ what comes in

  /** Takes a request in; `run` is to follow. False: it is of no use here. */
  receive(request: Request): "taken" | "ignored" | "too many" {
    this.#catchUp();
    if (!this.#options.snapshot.published) {
      if (this.#backlog.length >= maxBacklog) return "too many";
      this.#backlog.push(request);
      this.#debug(typeOfUrl(request.typeUrl), "nothing is published for this proxy yet");
      return "taken";
    }
    const type = typeOfUrl(request.typeUrl);
    const { protocol } = this.#options;
    // Virtual hosts of their own exist in the delta protocol only.
    if (type === undefined || (protocol === "sotw" && type === "virtualHost")) return "ignored";
    this.#started = true;
    const session = this.#parts.sessions[type];
    const first = !session.asked;
    session.asked = true;
    const stale = protocol === "sotw" && !first && request.nonce !== session.nonce;
    if (stale) {
      this.#debug(type, "an answer to a response that is not the last one counts for nothing");
      return "taken";
    }
    const answers = session.awaited !== undefined && request.nonce === session.awaited;
    if (first || !answers || request.error !== undefined) this.#concern(type);
    if (answers) this.#answer(type, session, request.error);
    if ("subscribe" in request) {
      const held = subscribeDelta(this.#parts, type, request, first);
      if (held.length > 0) this.#accept(type, held);
    } else {
      subscribeSotw(this.#parts, type, request, first);
    }
    this.#parts.rollouts.asked(type);
    return "taken";
  }

  #catchUp(): void {
    for (const changes of this.#options.publications.take()) if (this.#started) this.#note(changes);
  }

  #note(changes: readonly AppliedChange[]): void {
    for (const { type } of changes) this.#concern(type);
    for (const change of changes) if (change.type === "cluster") this.#noteNow(change);
    for (const change of changes) {
      if (traits[change.type].step !== "make") this.#noteLater(change);
      else if (change.type !== "cluster") this.#noteNow(change);
    }
  }

  /**
   * What clients are to see of a name is about to change without a publication: its content is found to be refused, or is to be tried
   * again. `run` is to follow.
   */
  reconsider(type: ResourceType, name: string): void {
    this.#catchUp();
    if (!this.#started) return;
    const { view, sessions } = this.#parts;
    const shown = view.shown(type, name);
    sessions[type].touch(name, typeof shown === "string" ? undefined : shown);
  }

  /** Sends what is due. */
  run(): void {
    if (this.#closed) return;
    this.#catchUp();
    const backlog = this.#options.snapshot.published ? this.#backlog : [];
    if (backlog.length > 0) this.#backlog = [];
    for (const request of backlog) this.receive(request);
    if (!this.#started) return;
    this.#parts.rollouts.run();
    this.#explain();
  }

  close(): void {
    this.#closed = true;
    this.#backlog = [];
    this.#parts.rollouts.close();
    this.#options.publications.close();
    for (const type of resourceTypes) this.#parts.sessions[type].close();
  }

  // ------------------------------------------------------------ changes

  #noteLater({ type, name, before, good }: AppliedChange): void {
    const { view, rollouts } = this.#parts;
    if (!view.isHidden(type, name)) view.hide(type, name, view.given(type, before, good));
    rollouts.changed(type, name);
  }

  #noteNow({ type, name, before, good, after }: AppliedChange): void {
    const { view, sessions, rollouts, warming } = this.#parts;
    const session = sessions[type];
    const hidden = view.isHidden(type, name);
    const seen = hidden ? view.given(type, view.hidden(type, name)) : view.given(type, before, good);
    if (after !== undefined) {
      view.unhide(type, name);
      if (type === "cluster") rollouts.keep(name);
    } else if (type === "cluster" && (session.mayHave(name) || rollouts.step !== undefined)) {
      // A rollout under way may bring routes that need it, even if it was not sent yet.
      view.hide(type, name, seen);
      rollouts.retire(name);
      return;
    } else if (type === "endpoint" && view.isHidden("cluster", name)) {
      // As long as the client has the cluster it may ask for them.
      view.hide(type, name, seen);
      return;
    } else if (type !== "secret") {
      warming.done(name);
    }
    session.touch(name, seen);
  }

  #reveal(type: ResourceType, name: string, content: Resource | undefined): void {
    const { snapshot, view, sessions, hosts } = this.#parts;
    // Revealed with an earlier change that happened to be the same.
    if (!view.isHidden(type, name)) return;
    const seen = view.given(type, view.hidden(type, name));
    if (snapshot.get(type, name)?.version === content?.version) view.unhide(type, name);
    else view.hide(type, name, content);
    sessions[type].touch(name, type === "virtualHost" ? hosts.given(name, seen) : seen);
  }

  #retire(clusters: ReadonlySet<string>): void {
    const { view, sessions, warming, rollouts } = this.#parts;
    if (this.#holdsOnToOld()) {
      for (const name of clusters) rollouts.retire(name);
      return;
    }
    for (const name of clusters) {
      for (const type of ["cluster", "endpoint"] as const) {
        if (!view.isHidden(type, name)) continue;
        const seen = view.given(type, view.hidden(type, name));
        view.unhide(type, name);
        sessions[type].touch(name, seen);
      }
      warming.done(name);
    }
  }

  /** Whether the client runs with old content of something because it refused the new: that may need clusters that are gone. */
  #holdsOnToOld(): boolean {
    const { snapshot, refusals } = this.#options;
    for (const { type, name, version } of refusals.all())
      if (
        traits[type].step !== "make" &&
        snapshot.get(type, name)?.version === version &&
        snapshot.goodOf(type, name) !== undefined &&
        this.#parts.sessions[type].wants(name)
      )
        return true;
    return false;
  }

  // ------------------------------------------------------------ responses and answers

  #pump(): void {
    const { sessions, rollouts, warming } = this.#parts;
    for (const type of resourceTypes) {
      if (!rollouts.maySend(type)) continue;
      const sent = sessions[type].send(this.#options.deliver);
      if (sent !== undefined && type === "cluster") warming.sent(sent);
    }
  }

  #answer(type: ResourceType, session: TypeSession, error: string | undefined): void {
    if (error !== undefined) {
      this.#options.onRejected(type, error);
      // Some of them may come again, others never.
      if (type === "cluster") for (const name of session.underWay()) this.#parts.warming.done(name);
      session.refused(error);
      return;
    }
    const { hosts, warming } = this.#parts;
    const { resources, removed } = session.accepted();
    if (type === "endpoint") for (const name of [...resources.map((one) => one.name), ...removed]) warming.done(name);
    this.#accept(type, resources);
    if (type === "route")
      for (const { name } of resources) if (session.names.has(name) && !session.awaits(name)) hosts.delivered(name);
  }

  #accept(type: ResourceType, resources: readonly Resource[]): void {
    const news = resources.filter((resource) => this.#parts.snapshot.accepted(type, resource));
    this.#options.onAccepted(type, resources, news);
  }

  #refused(type: ResourceType, resource: Resource, message: string): void {
    // A cluster whose endpoints are refused does not wait for them any longer.
    if (type === "endpoint") this.#parts.warming.done(resource.name);
    this.#options.onRefused(type, resource, message);
  }

  #concern(type: ResourceType): void {
    if (!this.#concerned.has(type)) this.#concerned.set(type, this.#parts.sessions[type].sent);
  }

  /** Says why nothing is sent where something might be expected. */
  #explain(): void {
    for (const [type, sentBefore] of this.#concerned) {
      const session = this.#parts.sessions[type];
      if (session.sent !== sentBefore) continue;
      const { step } = this.#parts.rollouts;
      if (!session.asked) this.#debug(type, "nothing is sent: the client does not ask for this type");
      else if (session.awaited !== undefined)
        this.#debug(type, "nothing is sent yet: the last response is not answered");
      else if (step !== undefined && step !== traits[type].step)
        this.#debug(type, `nothing is sent yet: it is not the turn of this type, but of the step "${step}"`);
      else this.#debug(type, "nothing is sent: the client has all that it is to have, or refused it");
    }
    this.#concerned.clear();
  }

  #debug(type: ResourceType | undefined, message: string): void {
    this.#options.logger.debug({ type }, message);
  }
}

function formOf(protocol: Protocol, type: ResourceType): Form {
  if (protocol === "delta") return "delta";
  return traits[type].wildcard ? "whole" : "partial";
}
