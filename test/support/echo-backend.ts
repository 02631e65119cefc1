import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** What a backend saw of a request, as it answers it. */
export type Echo = {
  readonly backend: string;
  readonly method: string;
  readonly path: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
};

export type EchoBackend = {
  readonly name: string;
  readonly port: number;
  /** Requests seen so far. */
  readonly seen: () => number;
  readonly close: () => Promise<void>;
};

/**
 * An HTTP/1.1 server on loopback that answers with what it saw, as JSON. Query parameters steer it:
 * `status=503` answers with that status, `fail=2&id=x` answers the first two requests of that id with the status and then 200,
 * `delay=500` waits that many milliseconds first, `header=name:value` adds a response header.
 */
export async function startEchoBackend(name: string, port = 0, address = "127.0.0.1"): Promise<EchoBackend> {
  let seen = 0;
  const failures = new Map<string, number>();
  const server = createServer((request, response) => {
    seen++;
    const query = new URL(request.url ?? "/", "http://localhost").searchParams;
    const respond = () => {
      for (const header of query.getAll("header")) {
        const colon = header.indexOf(":");
        response.appendHeader(header.slice(0, colon), header.slice(colon + 1));
      }
      response.writeHead(statusOf(query, failures), { "content-type": "application/json" });
      response.end(JSON.stringify(echo(name, request)));
    };
    const delayMs = Number(query.get("delay") ?? 0);
    if (delayMs > 0) setTimeout(respond, delayMs);
    else respond();
  });
  server.keepAliveTimeout = 60_000;
  await listen(server, port, address);
  return {
    name,
    port: (server.address() as AddressInfo).port,
    seen: () => seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function statusOf(query: URLSearchParams, failures: Map<string, number>): number {
  const status = Number(query.get("status") ?? 200);
  const fail = query.get("fail");
  if (fail === null) return status;
  const id = query.get("id") ?? "";
  const failed = failures.get(id) ?? 0;
  failures.set(id, failed + 1);
  return failed < Number(fail) ? status : 200;
}

const echo = (backend: string, { method = "", url = "", headers }: IncomingMessage): Echo => ({
  backend,
  method,
  path: url,
  host: headers.host ?? "",
  headers: headers as Echo["headers"],
});

const listen = (server: Server, port: number, address: string) =>
  new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
