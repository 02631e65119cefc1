import {
  createSecureServer,
  createServer,
  type Http2SecureServer,
  type Http2Server,
  type ServerHttp2Session,
} from "node:http2";
import { createServer as createSocketServer, type Server as SocketServer } from "node:net";
import { type Call, type CallHandlers, createCall, refuseCall } from "./call.ts";
import type { TlsCredentials } from "./credentials.ts";
import { Pacer } from "./pacer.ts";
import { status } from "./status.ts";

export type GrpcServerOptions = {
  /** By path, as `/package.Service/Method`. All stream both ways. */
  readonly methods: Readonly<Record<string, (call: Call) => CallHandlers>>;
  readonly maxReceiveBytes: number;
  /** How often a connection is probed; it is closed if no answer comes in the same time. */
  readonly keepaliveMs: number;
};

export type GrpcServer = {
  /** `unix:/path` or `host:port`, without encryption unless credentials are given. Resolves to the port, 0 for a Unix socket. */
  readonly listen: (address: string, credentials?: TlsCredentials) => Promise<number>;
  /** Takes no more connections; resolves when all are closed, or were cut after `graceMs`. */
  readonly close: (graceMs: number) => Promise<void>;
};

/** A client has one call for all it wants. */
const settings = { enablePush: false, maxConcurrentStreams: 100 };

/**
 * The server's side of gRPC, as much of it as streams in bytes need: framing, statuses, probes, on Node's HTTP/2.
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export function createGrpcServer({ methods, maxReceiveBytes, keepaliveMs }: GrpcServerOptions): GrpcServer {
  const sessions = new Set<ServerHttp2Session>();
  const closers: (() => void)[] = [];
  let onEmpty: (() => void) | undefined;

  function createHttpServer(credentials: TlsCredentials | undefined): Http2Server | Http2SecureServer {
    if (credentials === undefined) return createServer({ settings });
    const context = () => {
      const { certificate, privateKey, authorities } = credentials.material();
      return { cert: certificate, key: privateKey.reveal(), ca: authorities };
    };
    const server = createSecureServer({
      ...context(),
      settings,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: "TLSv1.2",
    });
    closers.push(credentials.onChange(() => server.setSecureContext(context())));
    return server;
  }

  function serveOn(server: Http2Server | Http2SecureServer): void {
    server.on("session", (session) => {
      sessions.add(session);
      const stopProbing = probe(session, keepaliveMs);
      session.on("error", () => undefined);
      session.on("close", () => {
        stopProbing();
        sessions.delete(session);
        if (sessions.size === 0) onEmpty?.();
      });
    });
    server.on("stream", (stream, headers) => {
      const path = headers[":path"] ?? "";
      const open = Object.hasOwn(methods, path) ? methods[path] : undefined;
      if (open === undefined) refuseCall(stream, status.unimplemented, `there is no method ${path}`);
      else createCall(stream, headers, maxReceiveBytes, open);
    });
    // A handshake that fails is the client's affair.
    server.on("sessionError", () => undefined);
    server.on("tlsClientError", () => undefined);
  }

  return {
    listen: (address, credentials) => {
      const server = createHttpServer(credentials);
      serveOn(server);
      const pacer = new Pacer((socket) => server.emit("connection", socket));
      const listener = createSocketServer({ pauseOnConnect: true, noDelay: true }, (socket) => pacer.add(socket));
      closers.push(() => {
        listener.close();
        pacer.close();
      });
      return listen(listener, address);
    },
    close: (graceMs) =>
      new Promise((done) => {
        for (const close of closers.splice(0)) close();
        if (sessions.size === 0) return done();
        const cut = setTimeout(() => {
          for (const session of sessions) session.destroy();
        }, graceMs);
        onEmpty = () => {
          clearTimeout(cut);
          done();
        };
        for (const session of sessions) session.close();
      }),
  };
}

/** Connections that the system keeps until they are taken, as far as it lets: more than that may come at once after an outage. */
const backlog = 4096;

function listen(server: SocketServer, address: string): Promise<number> {
  const at = address.lastIndexOf(":");
  const where = address.startsWith("unix:")
    ? { path: address.slice("unix:".length) }
    : { host: address.slice(0, at).replace(/^\[(.*)\]$/, "$1"), port: Number(address.slice(at + 1)) };
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...where, backlog }, () => {
      server.off("error", reject);
      const bound = server.address();
      resolve(typeof bound === "object" && bound !== null ? bound.port : 0);
    });
  });
}

/** Asks now and then whether the other side is still there, and cuts the connection if it does not say so. Returns how to stop. */
function probe(session: ServerHttp2Session, everyMs: number): () => void {
  let deadline: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (deadline !== undefined || session.destroyed || session.closed) return;
    deadline = setTimeout(() => session.destroy(), everyMs);
    deadline.unref();
    session.ping((error) => {
      if (error !== null) return;
      clearTimeout(deadline);
      deadline = undefined;
    });
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    clearTimeout(deadline);
  };
}
