// The proxies of a fleet, in a process of their own: its CPU and memory are not the control plane's.
import { type ResourceType, resourceTypes } from "../../../operator/src/ads/index.ts";
import { serveParent } from "./fleet-child.ts";
import { type Counts, FleetProxy, type FleetTarget, type Manner } from "./fleet-proxy.ts";

export type FleetTotals = {
  readonly connected: number;
  readonly types: Readonly<Record<ResourceType, Counts>>;
};

export type Settled = {
  /** When the last of them was through; milliseconds since 1970. */
  readonly lastAtMs: number;
  readonly firstAtMs: number;
};

export type ClientCalls = {
  /** Proxies of this manner come up to this number, all at once. */
  connect: readonly [{ target: FleetTarget; count: number; manner: Manner; prefix: string; refused?: string }, void];
  /** Resolves when every good proxy has so many virtual hosts, and all that those refer to. */
  complete: readonly [{ hosts: number; withinMs: number }, Settled];
  /** From now on answers to virtual hosts and route tables count. */
  arm: readonly [undefined, void];
  /** Resolves when every good proxy has answered to a route table or virtual host since. */
  answered: readonly [{ withinMs: number }, Settled];
  totals: readonly [undefined, FleetTotals];
  /** What is referred to and lacking, of all good proxies; a few of them. */
  missing: readonly [undefined, readonly string[]];
  ends: readonly [undefined, readonly string[]];
  /** Connections break; what the proxies have, they have. */
  disconnect: readonly [undefined, void];
  reconnect: readonly [{ target: FleetTarget }, void];
  /** How often each content that was refused was sent to each proxy that refused it: the most, and to how many. */
  refusals: readonly [undefined, { readonly most: number; readonly proxies: number; readonly total: number }];
};

const proxies: FleetProxy[] = [];
const good = new Set<FleetProxy>();
const ends: string[] = [];
let armed = new Map<FleetProxy, number>();
let isArmed = false;
const refusedSends = new Map<string, number>();

const now = () => performance.timeOrigin + performance.now();

/** What is due is looked for now and then; how late that is says nothing of when it came. */
async function until(isSo: () => boolean, withinMs: number, state: () => string): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`not so within ${withinMs} ms: ${state()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

serveParent<ClientCalls>({
  connect: ({ target, count, manner, prefix, refused }) => {
    for (let index = 0; index < count; index++) {
      const id = `${prefix}-${index}`;
      const proxy: FleetProxy = new FleetProxy({
        id,
        manner,
        ...(refused !== undefined && {
          refuses: (_type, { resources }) => {
            const bad = resources.filter(({ body }) => Buffer.from(body).includes(refused));
            for (const { name, version } of bad) {
              const key = `${id} ${name} ${version}`;
              refusedSends.set(key, (refusedSends.get(key) ?? 0) + 1);
            }
            return bad.length === 0 ? undefined : "it holds what this proxy refuses";
          },
        }),
        onAnswer: (type, _response, atMs) => {
          last.set(proxy, atMs);
          if (isArmed && (type === "virtualHost" || type === "route") && !armed.has(proxy)) armed.set(proxy, atMs);
        },
        onEnd: (reason) => ends.push(`${id}: ${reason}`),
      });
      proxies.push(proxy);
      if (manner === "good") good.add(proxy);
      proxy.connect(target);
    }
  },
  complete: async ({ hosts, withinMs }) => {
    const pending = new Set(good);
    const isSo = () => {
      for (const proxy of pending) if (proxy.hosts() >= hosts && proxy.missing().length === 0) pending.delete(proxy);
      return pending.size === 0;
    };
    await until(isSo, withinMs, () => `${pending.size} proxies are not complete; ${[...pending][0]?.hosts()} hosts`);
    const times = [...good].map((proxy) => last.get(proxy) ?? now());
    return { lastAtMs: Math.max(...times), firstAtMs: Math.min(...times) };
  },
  arm: () => {
    armed = new Map();
    isArmed = true;
  },
  answered: async ({ withinMs }) => {
    await until(
      () => armed.size >= good.size,
      withinMs,
      () => `${armed.size} of ${good.size} have answered`,
    );
    isArmed = false;
    const times = [...armed.values()];
    return { lastAtMs: Math.max(...times), firstAtMs: Math.min(...times) };
  },
  totals: () => {
    const sum = (type: ResourceType): Counts => {
      const total = { bytes: 0, messages: 0, resources: 0, refused: 0 };
      for (const proxy of proxies) {
        const counts = proxy.counts.get(type);
        if (counts === undefined) continue;
        total.bytes += counts.bytes;
        total.messages += counts.messages;
        total.resources += counts.resources;
        total.refused += counts.refused;
      }
      return total;
    };
    const types = Object.fromEntries(resourceTypes.map((type) => [type, sum(type)]));
    return {
      connected: proxies.filter(({ isConnected }) => isConnected).length,
      types: types as FleetTotals["types"],
    };
  },
  missing: () => [...good].flatMap((proxy) => proxy.missing().slice(0, 1)).slice(0, 10),
  ends: () => ends,
  disconnect: () => {
    for (const proxy of proxies) proxy.close();
  },
  reconnect: ({ target }) => {
    for (const proxy of proxies) proxy.connect(target);
  },
  refusals: () => ({
    most: Math.max(0, ...refusedSends.values()),
    proxies: refusedSends.size,
    total: [...refusedSends.values()].reduce((sum, count) => sum + count, 0),
  }),
});

/** When each proxy answered last. */
const last = new Map<FleetProxy, number>();
