import { join } from "node:path";
import { createAdsServer } from "../ads/index.ts";
import type { Settings } from "../gatewayapi/index.ts";
import type { Logger } from "../lib/index.ts";
import { listenersOf, type RowContext } from "../overview/index.ts";
import { createReconciler, type Reconciler } from "../reconcile/index.ts";
import { buildBootstrap, checkExtension } from "../xds/index.ts";
import { type AdminPorts, createAdminPorts } from "./admin-ports.ts";
import { type Board, createBoard } from "./board.ts";
import { createBoardFeed } from "./board-feed.ts";
import type { Display } from "./display.ts";
import { createFleet, type Fleet } from "./fleet.ts";
import type { Guard } from "./guard.ts";
import { inspectHost } from "./host.ts";
import type { Want } from "./placement.ts";

export type SessionOptions = {
  readonly settings: Settings;
  /** Path of the binary. */
  readonly envoy: string;
  /** For sockets; only this user can enter it. */
  readonly folder: string;
  readonly guard: Guard;
  /** File descriptor of Envoys' standard output. */
  readonly stdout?: number;
  readonly concurrency: number;
  readonly verbose: boolean;
  readonly drainMs: number;
  readonly bindAddress: string;
  readonly adminPort?: number;
  readonly logger: Logger;
  readonly display: (board: Board) => Display;
  /** `file:line` of an object. */
  readonly place: RowContext["place"];
};

/** The product between objects and Envoys: what comes in by `reconciler.apply` is served. */
export type Session = {
  readonly reconciler: Reconciler;
  readonly board: Board;
  readonly display: Display;
  /** Gateways that have a place, and their Envoys. */
  readonly members: Fleet["members"];
  /** Objects stand elsewhere in their files: where they have problems, those are shown anew. */
  readonly refreshPlaces: () => void;
  /** Resolves when all that was applied is served, or cannot be. */
  readonly settled: () => Promise<void>;
  /** Drains and ends all. */
  readonly close: () => Promise<void>;
  /** Ends all at once. */
  readonly kill: () => void;
};

export async function startSession(options: SessionOptions): Promise<Session> {
  const { logger, folder, settings } = options;
  const ads = createAdsServer({ logger: quietly(logger) });
  const adsPath = join(folder, "ads.sock");
  await ads.listen(`unix:${adsPath}`);
  const reconciler = createReconciler({ logger, settings, checkExtension, publisher: ads });
  const board = createBoard(rowContext(reconciler, () => fleet, options.place));
  const display = options.display(board);
  const feed = createBoardFeed({ board, statusOf: reconciler.statuses.get, show: display.show });
  const adminPorts = options.adminPort === undefined ? undefined : createAdminPorts(options.adminPort, logger);
  const waiting = new Set<() => void>();

  const fleet: Fleet = createFleet({
    wants: () => wantsOf(reconciler),
    place: reconciler.place,
    report: reconciler.report,
    host: await inspectHost(),
    bindAddress: options.bindAddress,
    envoy: {
      binary: options.envoy,
      concurrency: options.concurrency,
      verbose: options.verbose,
      guard: options.guard,
      ...(options.stdout === undefined ? {} : { stdout: options.stdout }),
      bootstrap: (proxy, adminPath) =>
        JSON.stringify(
          buildBootstrap({ nodeId: proxy, nodeCluster: proxy, ads: { path: adsPath }, admin: { path: adminPath } }),
        ),
    },
    folder,
    drainMs: options.drainMs,
    logger,
    onChange: () => {
      updateAdminPorts(adminPorts, fleet);
      display.show(board.refreshGateways());
      for (const wake of waiting) wake();
    },
  });

  const stopRounds = reconciler.onRound(({ statuses }) => {
    fleet.refresh();
    feed.push(statuses);
  });

  /** An Envoy that starts is waited for; one that has ended by itself is not. */
  const isBusy = () =>
    [...fleet.members().values()].some(
      ({ spot, state, restarts }) => spot.kind === "placed" && state.kind === "pending" && restarts === 0,
    );

  async function settled(): Promise<void> {
    await reconciler.settled();
    await fleet.planned();
    while (isBusy()) await new Promise<void>((resolve) => waiting.add(resolve)).finally(() => waiting.clear());
    await reconciler.settled();
    await feed.settled();
  }

  return {
    reconciler,
    board,
    display,
    members: fleet.members,
    refreshPlaces: () => feed.push(board.troubled()),
    settled,
    close: async () => {
      stopRounds();
      adminPorts?.close();
      await fleet.close();
      await reconciler.close();
      await ads.close(0);
      display.close();
    },
    kill: fleet.kill,
  };
}

function wantsOf({ ir, store }: Reconciler): readonly Want[] {
  return [...ir.proxies.keys()].map((key) => ({
    key,
    ports: [...new Set(ir.proxies.get(key)?.ports.map(({ port }) => port))],
    requested: store.objects.Gateway.get(key)?.spec.addresses ?? [],
  }));
}

function rowContext({ store }: Reconciler, fleet: () => Fleet, place: RowContext["place"]): RowContext {
  return {
    member: (gateway) => fleet().members().get(gateway),
    listeners: listenersOf(store),
    hostnames: (kind, key) =>
      kind === "HTTPRoute" || kind === "GRPCRoute" || kind === "TLSRoute"
        ? (store.objects[kind].get(key)?.spec.hostnames ?? [])
        : [],
    place,
  };
}

function updateAdminPorts(ports: AdminPorts | undefined, fleet: Fleet): void {
  const paths = [...fleet.members()].flatMap(([key, { adminSocketPath }]): [string, string][] =>
    adminSocketPath === undefined ? [] : [[key, adminSocketPath]],
  );
  ports?.update(new Map(paths));
}

/** Envoys that connect and leave are no news here: the table shows how they are. */
const quietly = (logger: Logger): Logger => ({
  debug: (fields, message) => logger.debug(fields, message),
  info: (fields, message) => logger.debug(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
  child: (fields) => quietly(logger.child(fields)),
});
