import { type Clock, type Logger, systemClock } from "../lib/index.ts";
import { type Admission, type Connection, createConnection } from "./connection.ts";
import { type AdsCounters, createCounters } from "./counters.ts";
import {
  type Call,
  type CallHandlers,
  createGrpcServer,
  type Peer,
  status,
  type TlsCredentials,
} from "./grpc/index.ts";
import { Outflow } from "./outflow.ts";
import { nameAndVersion, Proxy } from "./proxy.ts";
import { refusalMessage } from "./refusal-message.ts";
import type { Node } from "./request-decoding.ts";
import type { ResourceChange, Verdict } from "./resource.ts";
import { Searches } from "./searches.ts";
import type { ResourceType } from "./resource-types.ts";
import { methodPaths } from "./service.ts";
import { type Protocol, Stream } from "./stream.ts";
import type { Draft } from "./type-session.ts";
import { Turns } from "./turns.ts";
import { removeStaleSocket } from "./unix-socket.ts";

export type AuthorizeRequest = { readonly nodeId: string; readonly nodeCluster: string; readonly peer: Peer };

export type Authorization =
  | { readonly kind: "proxy"; readonly key: string }
  | { readonly kind: "refused"; readonly message: string };

export type AdsServerOptions = {
  readonly logger: Logger;
  /** Which proxy a client is, by what it says and proves. Its `node.cluster` unless given. */
  readonly authorize?: (request: AuthorizeRequest) => Authorization;
  readonly clock?: Clock;
  /** The longest that a step of a rollout waits for a client. 10,000 unless given: clusters may take a while to become warm. */
  readonly stepTimeoutMs?: number;
  /** How long a cluster stays after the routes to it are gone. 5,000 unless given. */
  readonly graceMs?: number;
  /** How often an idle connection is probed; it counts as broken if no answer comes in the same time. 30,000 unless given. */
  readonly keepaliveMs?: number;
  readonly limits?: Partial<AdsLimits>;
};

export type AdsLimits = {
  /** Bytes under way to clients that read: more are sent when some have arrived. 32 MiB. */
  readonly maxBytesUnderWay: number;
  /** A client that takes nothing of what it is sent for so long holds up nobody any more. 1,000. */
  readonly slowMs: number;
  /** A client that takes nothing of what it is sent for so long is sent away. 120,000. */
  readonly stuckMs: number;
};

const defaultLimits: AdsLimits = {
  maxBytesUnderWay: 32 * 1024 * 1024,
  slowMs: 1_000,
  stuckMs: 120_000,
};

export type ConnectionEvent = {
  readonly kind: "connected" | "disconnected";
  readonly proxy: string;
  readonly nodeId: string;
  readonly protocol: Protocol;
  /** How many streams the proxy has now. */
  readonly streams: number;
};

export type AdsServer = {
  /** Hands over what has changed for a proxy. What goes over the wire when is decided for each client. */
  readonly publish: (proxy: string, changes: readonly ResourceChange[]) => void;
  /** The proxy is gone for good: its clients are sent away. */
  readonly remove: (proxy: string) => void;
  /** Sends content again that was refused: for causes outside of it, as a port in use. */
  readonly retry: (proxy: string, type: ResourceType, name: string) => void;
  /** Calls `listener` for every answer of a client, not within the call that led to it; returns how to stop it. */
  readonly onVerdict: (listener: (verdict: Verdict) => void) => () => void;
  readonly onConnection: (listener: (event: ConnectionEvent) => void) => () => void;
  /** `unix:/path` or `host:port`, without encryption unless credentials are given. Resolves to the port, 0 for a Unix socket. */
  readonly listen: (address: string, credentials?: TlsCredentials) => Promise<number>;
  /** Ends all streams and resolves when connections are closed, or were cut after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
  readonly counters: AdsCounters;
  /** What is held in memory for clients and proxies: for tests against leaks. */
  readonly held: () => {
    readonly proxies: number;
    readonly streams: number;
    /** Clients that hardly read. */
    readonly slow: number;
  };
};

/** An Envoy that has everything says so on reconnect: 640 kB for 10,000 clusters, far beyond gRPC's usual 4 MiB for ten times that. */
const maxReceiveBytes = 64 * 1024 * 1024;

/** Serves snapshots to Envoys by ADS, delta and state of the world. */
export function createAdsServer(options: AdsServerOptions): AdsServer {
  const { logger, clock = systemClock, stepTimeoutMs = 10_000 } = options;
  const authorize = options.authorize ?? (({ nodeCluster }): Authorization => ({ kind: "proxy", key: nodeCluster }));
  const proxies = new Map<string, Proxy>();
  const connections = new Map<Stream, Connection>();
  const counters = createCounters();
  const verdictListeners = new Set<(verdict: Verdict) => void>();
  const connectionListeners = new Set<(event: ConnectionEvent) => void>();
  const limits = { ...defaultLimits, ...options.limits };
  const outflow = new Outflow({
    clock,
    ...limits,
    maxBytes: limits.maxBytesUnderWay,
    onRoom: () => turns.resume(),
  });
  const turns = new Turns<Connection>(
    (connection) => connection.serve(),
    () => outflow.hasRoom,
  );
  let serial = 0;

  function takeTurns(proxy: Proxy): void {
    turns.take([...proxy.streams].flatMap((stream) => connections.get(stream) ?? []));
  }

  function proxyOf(key: string): Proxy {
    const known = proxies.get(key);
    if (known !== undefined) return known;
    const proxy = new Proxy(
      key,
      () => ++serial,
      (own) => new Searches(clock, stepTimeoutMs, () => queueMicrotask(() => takeTurns(own))),
    );
    proxies.set(key, proxy);
    return proxy;
  }

  /** Listeners run on their own turn: they may publish, which must not happen in the middle of a stream's work. */
  function tell<T>(listeners: ReadonlySet<(event: T) => void>, event: T): void {
    if (listeners.size === 0) return;
    queueMicrotask(() => {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          logger.error({ err: error }, "a listener failed");
        }
      }
    });
  }

  function openStream(proxy: Proxy, connection: Connection, protocol: Protocol, own: Logger): Stream {
    let lastSerial = 0;
    const deliver = (draft: Draft): string => {
      const encoded = proxy.fanout.encode(draft, lastSerial);
      lastSerial = encoded.serial;
      const count = counters.types[draft.type];
      count.responses++;
      count.bytes += encoded.framed.length;
      count.resources += draft.resources.length;
      count.removals += draft.removed.length;
      connection.send(encoded.framed);
      return encoded.nonce;
    };
    return new Stream({
      protocol,
      snapshot: proxy.snapshot,
      refusals: proxy.refusals,
      searches: proxy.searches,
      publications: proxy.publications.open(),
      clock,
      logger: own,
      stepTimeoutMs,
      graceMs: options.graceMs ?? 5_000,
      deliver,
      onAccepted: (type, resources, news) => {
        counters.types[type].acks++;
        // What a thousand clients take is said once, or each would cost as much as a translation.
        const told = new Set([...news, ...proxy.accept(type, resources)]);
        if (told.size === 0) return;
        tell(verdictListeners, {
          kind: "accepted",
          proxy: proxy.key,
          type,
          resources: [...told].map(nameAndVersion),
          message: "",
        });
      },
      onRejected: (type, message) => {
        counters.types[type].nacks++;
        own.debug({ type, envoy: refusalMessage(message) }, "a response was refused");
      },
      onRefused: (type, resource, words) => {
        const message = refusalMessage(words);
        const verdict = proxy.refuse(type, resource, message);
        if (verdict === undefined) return;
        counters.types[type].refused++;
        own.warn(
          { type, resource: resource.name, version: resource.version, envoy: message },
          "refused by the client; it is not sent again until it changes",
        );
        tell(verdictListeners, verdict);
        // Its siblings may wait for a word on it. Not now: this is in the middle of a stream's work.
        queueMicrotask(() => takeTurns(proxy));
      },
    });
  }

  function accept(call: Call, protocol: Protocol): CallHandlers {
    let node: Node | undefined;
    let proxy: Proxy | undefined;

    function admit(from: Node, peer: Peer): Admission {
      const authorization = authorize({ nodeId: from.id, nodeCluster: from.cluster, peer });
      if (authorization.kind === "refused") {
        counters.streams.refused++;
        logger.warn({ node: from.id, peer: peer.address, reason: authorization.message }, "a client was sent away");
        return authorization;
      }
      node = from;
      proxy = proxyOf(authorization.key);
      const own = logger.child({ proxy: proxy.key, node: from.id });
      const stream = openStream(proxy, connection, protocol, own);
      proxy.streams.add(stream);
      connections.set(stream, connection);
      counters.streams.open++;
      counters.streams.total++;
      own.info({ protocol, peer: peer.address }, "a client connected");
      tellConnection("connected", proxy, from, protocol);
      return { kind: "admitted", stream, logger: own };
    }

    function onEnd(stream: Stream | undefined, reason: string): void {
      turns.drop(connection);
      if (stream === undefined) return;
      connections.delete(stream);
      counters.streams.open--;
      if (proxy === undefined || node === undefined) return;
      proxy.streams.delete(stream);
      // A key under which nothing was published lives only as long as somebody waits for it.
      if (proxy.streams.size === 0 && !proxy.snapshot.published) drop(proxy);
      logger.info({ proxy: proxy.key, node: node.id, reason }, "a client disconnected");
      tellConnection("disconnected", proxy, node, protocol);
    }

    function onStuck(unreadBytes: number): void {
      counters.streams.stuck++;
      logger.warn(
        { proxy: proxy?.key, node: node?.id, unreadBytes },
        "a client does not read what it is sent; it is sent away",
      );
      connection.cut("it does not read");
    }

    const connection = createConnection(
      { call, protocol, logger, admit, onEnd, onRequest: () => turns.take([connection]) },
      outflow.open(onStuck),
    );
    return connection.handlers;
  }

  function tellConnection(kind: ConnectionEvent["kind"], proxy: Proxy, node: Node, protocol: Protocol): void {
    tell(connectionListeners, { kind, proxy: proxy.key, nodeId: node.id, protocol, streams: proxy.streams.size });
  }

  function drop(proxy: Proxy): void {
    if (proxies.get(proxy.key) === proxy) proxies.delete(proxy.key);
  }

  const server = createGrpcServer({
    methods: {
      [methodPaths.delta]: (call) => accept(call, "delta"),
      [methodPaths.sotw]: (call) => accept(call, "sotw"),
    },
    maxReceiveBytes,
    keepaliveMs: options.keepaliveMs ?? 30_000,
  });

  return {
    publish: (key, changes) => {
      const proxy = proxyOf(key);
      const known = proxy.apply(changes);
      if (known === undefined) return logger.debug({ proxy: key }, "nothing is sent: the publication changes nothing");
      takeTurns(proxy);
      for (const verdict of known) tell(verdictListeners, verdict);
    },
    remove: (key) => {
      const proxy = proxies.get(key);
      if (proxy === undefined) return;
      proxies.delete(key);
      for (const stream of proxy.streams)
        connections.get(stream)?.end(status.unavailable, "this proxy is not served any more");
    },
    retry: (key, type, name) => {
      const proxy = proxies.get(key);
      if (proxy === undefined) return;
      proxy.retry(type, name);
      takeTurns(proxy);
    },
    onVerdict: (listener) => subscribe(verdictListeners, listener),
    onConnection: (listener) => subscribe(connectionListeners, listener),
    listen: async (address, credentials) => {
      if (address.startsWith("unix:")) await removeStaleSocket(address.slice("unix:".length));
      return server.listen(address, credentials);
    },
    close: async (graceMs) => {
      for (const connection of connections.values()) connection.end(status.unavailable, "the server is going away");
      await server.close(graceMs);
    },
    counters,
    held: () => ({ proxies: proxies.size, streams: connections.size, slow: outflow.slow }),
  };
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
