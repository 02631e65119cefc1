import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type HealthCheck, healthOf } from "./health.ts";
import type { Metrics } from "./metrics.ts";

/** What a path answers. */
type Answer = { readonly status: number; readonly contentType: string; readonly body: string };
type Endpoint = () => Answer | Promise<Answer>;

export type Endpoints = {
  /** Where it really listens: the port asked for, or the one that was free for 0. */
  readonly port: number;
  readonly close: () => Promise<void>;
};

const plain = "text/plain; charset=utf-8";

/** `/healthz`: the process answers. `/readyz`: all of `checks` are so, 503 otherwise with the lines that say why. */
export function serveHealth(port: number, checks: readonly HealthCheck[]): Promise<Endpoints> {
  const ready = (): Answer => {
    const { healthy, text } = healthOf(checks);
    return { status: healthy ? 200 : 503, contentType: plain, body: text };
  };
  return serve(port, { "/healthz": () => ({ status: 200, contentType: plain, body: "ok\n" }), "/readyz": ready });
}

/** `/metrics`, for Prometheus. */
export const serveMetrics = (port: number, metrics: Metrics): Promise<Endpoints> =>
  serve(port, {
    "/metrics": async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.text() }),
  });

/** Rejects where the port cannot be bound. */
async function serve(port: number, endpoints: Readonly<Record<string, Endpoint>>): Promise<Endpoints> {
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
    if (endpoint === undefined) return finish(response, { status: 404, contentType: plain, body: "not found\n" });
    if (request.method !== "GET" && request.method !== "HEAD")
      return finish(response, { status: 405, contentType: plain, body: "only GET\n" });
    void ask(endpoint).then((answer) => finish(response, answer));
  });
  await listen(server, port);
  return {
    port: portOf(server),
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function ask(endpoint: Endpoint): Promise<Answer> {
  try {
    return await endpoint();
  } catch (error) {
    return { status: 500, contentType: plain, body: `${String(error)}\n` };
  }
}

function finish(response: ServerResponse, { status, contentType, body }: Answer): void {
  response.writeHead(status, { "content-type": contentType }).end(body);
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, () => {
      server.off("error", fail);
      done();
    });
  });

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}
