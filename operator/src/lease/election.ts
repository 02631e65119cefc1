import type { Lease } from "@gatewright/crd-types/coordination/v1";
import {
  apiFailure,
  type ApiRequest,
  type ApiResponse,
  type ApiServer,
  ApiUnreachableError,
  isSuccess,
  resourcePath,
} from "../kubernetes/index.ts";
import type { Clock, Logger } from "../lib/index.ts";
import { claimed, holderOf, released } from "./lease-spec.ts";

export type LeaderElectionOptions = {
  readonly api: ApiServer;
  readonly namespace: string;
  /** Of the Lease. All who have the same one elect among themselves. */
  readonly name: string;
  /** Of this process and no other, ever: two with the same would both lead. See `leaseIdentity`. */
  readonly identity: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The time of day: for people who read the Lease, nothing is decided by it. */
  readonly now: () => Date;
  /** Milliseconds that only rise. `performance.now` unless given. */
  readonly monotonicMs?: () => number;
  readonly random?: () => number;
  /** How long others wait for a holder of whom nothing is heard. 15,000 unless given. */
  readonly leaseDurationMs?: number;
  /** How long we lead after the last renewal was sent. 10,000 unless given; the rest of the lease is for requests under way. */
  readonly renewDeadlineMs?: number;
  /** 2,000 unless given. */
  readonly retryPeriodMs?: number;
};

/**
 * Who of several replicas writes: the one that holds a Lease, by the rules of client-go. Clocks of machines are never compared: a holder is
 * given up when its Lease has not changed for as long as it lasts, measured here.
 */
export type LeaderElection = {
  readonly start: () => void;
  /** Looks at the time when it is called: no more true at the deadline, whatever hangs. */
  readonly isLeader: () => boolean;
  /** Returns how to end it. */
  readonly onChange: (listener: (leads: boolean) => void) => () => void;
  readonly stats: () => LeaderElectionStats;
  /** Leads no more at once; resolves when the Lease is free for others, or could not be freed. */
  readonly stop: () => Promise<void>;
};

export type LeaderElectionStats = {
  readonly leads: boolean;
  /** Who holds the Lease as far as is known; empty: nobody. */
  readonly holder: string;
  /** How often the Lease has changed hands, as it says itself. */
  readonly leaseTransitions: number;
  /** How often we came to lead. */
  readonly acquired: number;
  /** Tries to get, take or renew the Lease that failed. To find it held is no failure. */
  readonly failures: number;
};

type Attempt =
  | { readonly kind: "held" }
  | { readonly kind: "taken"; readonly holder: string }
  /** Somebody wrote into the Lease meanwhile: who holds it shows next time. */
  | { readonly kind: "missed" }
  | { readonly kind: "failed"; readonly scope: string; readonly message: string };

/** So many times the retry period at most, so that replicas do not ask in step. */
const jitterFactor = 1.2;

export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { api, namespace, name, identity, clock } = options;
  const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2_000, random = Math.random } = options;
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  if (identity === "" || leaseDurationMs <= renewDeadlineMs || renewDeadlineMs <= retryPeriodMs * jitterFactor)
    throw new Error("a lease needs an identity, and must last longer than its renewal may take, and that than a retry");
  const lead = options.logger.child({ lease: `${namespace}/${name}` });
  const path = { group: "coordination.k8s.io", version: "v1", plural: "leases", namespace };
  const leasePath = resourcePath({ ...path, name });
  const listeners = new Set<(leads: boolean) => void>();
  /** The Lease as the server last told it. */
  let known: Lease | undefined;
  /** What the Lease said and since when, by our own watch. */
  let observed = { text: "", atMs: 0 };
  let leadsUntilMs = -Infinity;
  let toldToLead = false;
  let toldFailure = "";
  let toldHolder = "";
  let acquired = 0;
  let failures = 0;
  let isStopped = false;
  let attempt: Promise<void> | undefined;
  let cancelRetry: (() => void) | undefined;
  let cancelDeadline: (() => void) | undefined;

  const isLeader = (): boolean => monotonicMs() < leadsUntilMs;

  function run(): void {
    if (isStopped) return;
    const sentMs = monotonicMs();
    attempt = takeOrRenew()
      .catch(unreachable)
      .then((result) => conclude(result, sentMs))
      .catch((error: unknown) => lead.error({ err: error }, "a bug: the election threw"))
      .finally(() => {
        attempt = undefined;
        if (isStopped) return;
        const delayMs = isLeader() ? retryPeriodMs : retryPeriodMs * (1 + random() * jitterFactor);
        cancelRetry = clock.after(delayMs, run);
      });
  }

  function conclude(result: Attempt, sentMs: number): void {
    if (result.kind === "failed") {
      failures++;
      // Once, until it is something else or over.
      if (toldFailure !== result.scope)
        lead.warn({ err: result.message }, "the lease cannot be had or renewed; trying again");
      toldFailure = result.scope;
    } else {
      if (toldFailure !== "") lead.info({}, "the lease can be reached again");
      toldFailure = "";
    }
    // Others count from when they see a renewal, which is later than when it was sent.
    if (result.kind === "held" && !isStopped) leadsUntilMs = sentMs + renewDeadlineMs;
    if (result.kind === "taken") {
      leadsUntilMs = -Infinity;
      tellOfHolder(result.holder);
    }
    tell();
  }

  function tellOfHolder(holder: string): void {
    if (holder !== toldHolder) lead.info({ holder }, `${holder} leads`);
    toldHolder = holder;
  }

  /** Tells listeners where it has changed whether we lead, and looks again at the deadline. */
  function tell(): void {
    cancelDeadline?.();
    const leads = isLeader();
    if (leads) cancelDeadline = clock.after(Math.max(1, Math.ceil(leadsUntilMs - monotonicMs())), tell);
    if (leads === toldToLead) return;
    toldToLead = leads;
    toldHolder = leads ? identity : "";
    if (leads) acquired++;
    if (leads) lead.info({ identity }, "this replica leads: it writes from now on");
    else if (isStopped) lead.info({ identity }, "this replica leads no more: it ends");
    else lead.warn({ identity }, "this replica leads no more: its lease was not renewed in time, or taken");
    for (const listener of listeners) {
      try {
        listener(leads);
      } catch (error) {
        lead.error({ err: error }, "a bug: what follows from leading threw");
      }
    }
  }

  async function takeOrRenew(): Promise<Attempt> {
    // Whoever leads knows the Lease: it is renewed without asking. Anything unexpected is looked at below.
    if (known !== undefined && isLeader()) {
      const renewed = await put(known, claimed(known.spec, claim()));
      if (renewed.kind !== "missed") return renewed;
    }
    const response = await send({ method: "GET", path: leasePath });
    if (response.status === 404) return await create();
    if (!isSuccess(response)) return refusal("get", response);
    const lease = learn(response);
    const holder = holderOf(lease);
    const lastsMs = (lease.spec?.leaseDurationSeconds ?? leaseDurationMs / 1_000) * 1_000;
    const isHeld = holder !== "" && holder !== identity && monotonicMs() < observed.atMs + lastsMs;
    return isHeld ? { kind: "taken", holder } : await put(lease, claimed(lease.spec ?? {}, claim()));
  }

  async function create(): Promise<Attempt> {
    const spec = claimed(undefined, claim());
    const body: Lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace }, spec };
    const response = await send({ method: "POST", path: resourcePath(path), body });
    if (response.status === 409) return { kind: "missed" };
    if (response.status === 404)
      return { kind: "failed", scope: "namespace", message: `the namespace ${namespace} of the lease does not exist` };
    if (!isSuccess(response)) return refusal("create", response);
    learn(response);
    return { kind: "held" };
  }

  async function put(lease: Lease, spec: Lease["spec"]): Promise<Attempt> {
    const response = await send({ method: "PUT", path: leasePath, body: { ...lease, spec } });
    if (response.status === 409 || response.status === 404) return { kind: "missed" };
    if (!isSuccess(response)) return refusal("update", response);
    learn(response);
    return { kind: "held" };
  }

  const claim = () => ({ identity, leaseDurationMs, now: options.now() });

  /** Two tries fit into the time that we have. */
  const send = (request: ApiRequest): Promise<ApiResponse> =>
    api.request({ ...request, timeoutMs: renewDeadlineMs / 2 });

  /** Takes note of what the Lease says, and since when if it says something new. */
  function learn({ body }: ApiResponse): Lease {
    const lease = asLease(body);
    const text = JSON.stringify(lease.spec ?? {});
    if (text !== observed.text) observed = { text, atMs: monotonicMs() };
    known = lease;
    return lease;
  }

  function refusal(verb: "get" | "create" | "update", response: ApiResponse): Attempt {
    const message = apiFailure(response);
    const hint =
      response.status === 403
        ? `; a Role in the namespace ${namespace} must allow get, create and update on leases in coordination.k8s.io`
        : "";
    return { kind: "failed", scope: `${verb} ${response.status}`, message: `${verb}: ${message}${hint}` };
  }

  async function release(): Promise<void> {
    for (let tries = 0; tries < 2 && known !== undefined && holderOf(known) === identity; tries++) {
      const result = await put(known, released(known.spec, options.now())).catch(unreachable);
      if (result.kind === "failed")
        lead.warn({ err: result.message }, "the lease could not be freed: others wait until it ends");
      if (result.kind !== "missed") return;
      // It is not as we know it: a renewal whose answer was lost, or somebody else's.
      const response = await send({ method: "GET", path: leasePath }).catch(() => undefined);
      if (response === undefined || !isSuccess(response)) return;
      learn(response);
    }
  }

  return {
    start: run,
    isLeader,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stats: () => ({
      leads: isLeader(),
      holder: holderOf(known),
      leaseTransitions: known?.spec?.leaseTransitions ?? 0,
      acquired,
      failures,
    }),
    stop: async () => {
      isStopped = true;
      cancelRetry?.();
      leadsUntilMs = -Infinity;
      tell();
      await attempt;
      await release();
    },
  };
}

function unreachable(error: unknown): Attempt {
  if (!(error instanceof ApiUnreachableError)) throw error;
  return { kind: "failed", scope: "unreachable", message: error.message };
}

function asLease(body: unknown): Lease {
  if (typeof body !== "object" || body === null) throw new ApiUnreachableError("the API server answered with no Lease");
  const lease: Partial<Lease> = body;
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", ...lease, metadata: lease.metadata ?? {} };
}
