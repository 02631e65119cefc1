import { join } from "node:path";
import type { Placement, ProxyState } from "../gatewayapi/index.ts";
import type { ProxyKey } from "../ir/index.ts";
import { deepEqual, type Logger } from "../lib/index.ts";
import { type EnvoyProcess, type EnvoyProcessOptions, startEnvoyProcess } from "./envoy-process.ts";
import { type Host, probePort, type PortState } from "./host.ts";
import { placementOf, planPlacements, socketKey, type Spot, type Want } from "./placement.ts";

export type FleetOptions = {
  /** Gateways that are to be served now. */
  readonly wants: () => readonly Want[];
  readonly place: (proxy: ProxyKey, placement: Placement | undefined) => void;
  readonly report: (proxy: ProxyKey, state: ProxyState | undefined) => void;
  readonly host: Host;
  readonly bindAddress: string;
  readonly envoy: Pick<EnvoyProcessOptions, "binary" | "concurrency" | "verbose" | "guard" | "backoff" | "stdout"> & {
    readonly bootstrap: (proxy: ProxyKey, adminSocketPath: string) => string;
  };
  /** Each Envoy gets a folder in it. */
  readonly folder: string;
  /** How long requests in flight may take when a Gateway goes. */
  readonly drainMs: number;
  readonly logger: Logger;
  /** Something that `members` tells has changed. */
  readonly onChange: () => void;
  /** Tries whether a socket can be bound. */
  readonly probe?: (address: string, port: number) => Promise<PortState>;
  /** How long a port that another process has is left alone before it is tried again. */
  readonly retryMs?: number;
};

/** A Gateway on this host. */
export type Member = {
  readonly spot: Spot;
  readonly state: ProxyState;
  readonly pid: number | undefined;
  readonly adminSocketPath: string | undefined;
  /** How often its Envoy has ended by itself. */
  readonly restarts: number;
};

/** The Envoys of this host: one a Gateway, where the plan puts it. */
export type Fleet = {
  /** Compares what is wanted with what stands. To be called whenever `wants` may have changed. */
  readonly refresh: () => void;
  readonly members: () => ReadonlyMap<ProxyKey, Member>;
  /** Resolves when what was wanted at the call has a place. */
  readonly planned: () => Promise<void>;
  /** Drains and ends all. */
  readonly close: () => Promise<void>;
  /** Ends all at once. */
  readonly kill: () => void;
};

export function createFleet(options: FleetOptions): Fleet {
  const { host, bindAddress, logger, place, report, onChange } = options;
  const probe = options.probe ?? probePort;
  const retryMs = options.retryMs ?? 1_000;
  const envoys = new Map<ProxyKey, EnvoyProcess>();
  const states = new Map<ProxyKey, ProxyState>();
  /** Envoys of Gateways that are gone, still draining. */
  const leaving = new Map<ProxyKey, Promise<void>>();
  let spots: ReadonlyMap<ProxyKey, Spot> = new Map();
  let planned: readonly Want[] = [];
  let busy = new Map<string, string>();
  let retry: NodeJS.Timeout | undefined;
  let started = 0;
  let isClosed = false;
  // One plan at a time: planning asks the system, which takes a moment.
  let work = Promise.resolve();

  function refresh(): void {
    const wants = options.wants();
    if (isClosed || deepEqual(wants, planned)) return;
    planned = wants;
    replan();
  }

  function replan(): void {
    work = work
      .then(plan)
      .catch((error: unknown) => logger.error({ err: error }, "Gateways could not be placed on this host"));
  }

  async function plan(): Promise<void> {
    if (isClosed) return;
    const wants = planned;
    const next = await findPlaces(wants);
    if (isClosed) return;
    const before = spots;
    spots = next;
    for (const key of before.keys()) if (!next.has(key)) leave(key);
    for (const [key, spot] of next) if (!deepEqual(before.get(key), spot)) settle(key, spot, before.get(key));
    clearTimeout(retry);
    if (busy.size > 0)
      retry = setTimeout(() => {
        busy = new Map();
        replan();
      }, retryMs).unref();
    onChange();
  }

  /** Plans, tries what is new, and plans again around what cannot be had. */
  async function findPlaces(wants: readonly Want[]): Promise<ReadonlyMap<ProxyKey, Spot>> {
    const held = new Set([...spots.values()].flatMap(socketsOf));
    for (;;) {
      const next = planPlacements({ wants, previous: spots, host, bindAddress, busy });
      let isNews = false;
      for (const [address, port] of [...next.values()].flatMap(addressesOf)) {
        const socket = socketKey(address, port);
        if (held.has(socket)) continue;
        const state = await probe(address, port);
        if (state === "free") {
          held.add(socket);
          continue;
        }
        busy.set(socket, explain(state, address, port));
        isNews = true;
      }
      if (!isNews) return next;
    }
  }

  function settle(key: ProxyKey, spot: Spot, before: Spot | undefined): void {
    // Statuses say it; whoever runs this without them finds it here.
    for (const problem of problemsOf(spot)) {
      if (before === undefined || !problemsOf(before).includes(problem)) logger.debug({ gateway: key }, problem);
    }
    place(key, placementOf(spot, host));
    if (spot.kind === "unplaced") leaveProcess(key);
    else if (!envoys.has(key)) start(key);
  }

  function start(key: ProxyKey): void {
    const { bootstrap, ...common } = options.envoy;
    const launch = () => {
      if (isClosed || spots.get(key)?.kind !== "placed" || envoys.has(key)) return;
      const envoy = startEnvoyProcess({
        ...common,
        folder: join(options.folder, `envoy-${started++}`),
        bootstrap: (adminSocketPath) => bootstrap(key, adminSocketPath),
        logger: logger.child({ gateway: key }),
        onState: (state) => {
          if (envoys.get(key) === envoy) setState(key, state);
        },
      });
      envoys.set(key, envoy);
      setState(key, { kind: "pending", message: "Envoy is starting" });
    };
    // A Gateway that comes back at once: its old Envoy still has the sockets.
    const old = leaving.get(key);
    if (old === undefined) launch();
    else void old.then(launch);
  }

  function setState(key: ProxyKey, state: ProxyState): void {
    states.set(key, state);
    report(key, state);
    onChange();
  }

  function leave(key: ProxyKey): void {
    place(key, undefined);
    leaveProcess(key);
  }

  function leaveProcess(key: ProxyKey): void {
    const envoy = envoys.get(key);
    envoys.delete(key);
    states.delete(key);
    report(key, undefined);
    if (envoy === undefined) return;
    logger.info({ gateway: key }, "Gateway is gone; its Envoy drains");
    const left = envoy
      .stop(options.drainMs)
      .catch((error: unknown) => logger.error({ gateway: key, err: error }, "Envoy could not be ended"))
      .finally(() => leaving.delete(key));
    leaving.set(key, left);
  }

  return {
    refresh,
    planned: () => work,
    members: () =>
      new Map(
        [...spots].map(([key, spot]): [ProxyKey, Member] => {
          const envoy = envoys.get(key);
          const state = states.get(key) ?? { kind: "pending", message: "Envoy is not started" };
          const restarts = envoy?.restarts() ?? 0;
          return [key, { spot, state, pid: envoy?.pid(), adminSocketPath: envoy?.admin.socketPath, restarts }];
        }),
      ),
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      await work;
      const running = [...envoys.values()];
      await Promise.all([...running.map((envoy) => envoy.stop(options.drainMs)), ...leaving.values()]);
    },
    kill: () => {
      isClosed = true;
      for (const envoy of envoys.values()) envoy.kill();
    },
  };
}

const addressesOf = (spot: Spot): [string, number][] =>
  spot.kind === "unplaced"
    ? []
    : [...spot.ports.values()].flatMap((at): [string, number][] =>
        at.kind === "bound" ? [[spot.address, at.port]] : [],
      );

const socketsOf = (spot: Spot): string[] => addressesOf(spot).map(([address, port]) => socketKey(address, port));

/** What a person should know of a Gateway's place. */
export const problemsOf = (spot: Spot): readonly string[] =>
  spot.kind === "unplaced"
    ? [spot.reason]
    : [...spot.ports.values()].flatMap((at) => (at.kind === "unavailable" ? [at.reason] : []));

function explain(state: Exclude<PortState, "free">, address: string, port: number): string {
  if (state === "noAddress") return `${address} is no address of this host`;
  const why = state === "busy" ? "is in use by another process" : "may not be bound by this user";
  return `port ${port} of ${address} ${why}`;
}
