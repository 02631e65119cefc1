import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { setImmediate } from "node:timers/promises";
import { urlToHttpOptions } from "node:url";
import { deepEqual, type Logger, messageOf } from "../lib/index.ts";
import { type ApiRequest, type ApiResponse, type ApiServer, ApiUnreachableError } from "./api-server.ts";
import { type Access, type Credentials, type TlsSettings } from "./credentials.ts";
import { createReachability } from "./reachability.ts";
import { createLineSplitter } from "./split-lines.ts";
import { unreachable } from "./unreachable.ts";

export type HttpApiServerOptions = {
  /** With the prefix of all paths, if there is one. */
  readonly server: string;
  readonly credentials: Credentials;
  readonly logger: Logger;
};

const defaultTimeoutMs = 30_000;
/** Below what load balancers and API servers grant to idle connections. */
const idleMs = 30_000;
/** How long lines may be handed over without a turn for others. */
const sliceMs = 4;

type Call = {
  readonly controller: AbortController;
  /** Bytes came: what waits for the next begins anew. */
  readonly alive: () => void;
  /** Nobody waits for the answer any more. */
  readonly giveUp: (message: string) => void;
  readonly isGivenUp: () => boolean;
  readonly end: () => void;
};

/** Speaks HTTP/1.1 over kept connections, one for each request under way: a watch does not stand in the way of others. */
export function createHttpApiServer({ server, credentials, logger }: HttpApiServerOptions): ApiServer {
  const url = new URL(server);
  const address = server.replace(/\/+$/, "");
  const prefix = url.pathname.replace(/\/+$/, "");
  const protocol = url.protocol === "http:" ? http : https;
  const { hostname, port } = urlToHttpOptions(url);
  const calls = new Set<Call>();
  const reachability = createReachability(logger);
  let agent: http.Agent | undefined;
  let agentTls: TlsSettings | undefined;
  let isClosed = false;

  function agentFor(access: Access): http.Agent {
    if (access.agent !== undefined) return access.agent;
    // The former one is left alone: what is under way ends, and idle connections end by themselves.
    if (agent === undefined || !deepEqual(agentTls, access.tls)) {
      const options = { keepAlive: true, timeout: idleMs, scheduling: "lifo" as const };
      agent = url.protocol === "http:" ? new http.Agent(options) : new https.Agent({ ...options, ...access.tls });
      agentTls = access.tls;
    }
    return agent;
  }

  function begin({ signal, timeoutMs = defaultTimeoutMs }: ApiRequest, silence: boolean): Call {
    if (isClosed) throw new ApiUnreachableError(`the connection to ${address} is closed`);
    const controller = new AbortController();
    let isGivenUp = false;
    const timer = setTimeout(() => {
      const what = silence ? "it was silent" : "no whole answer came";
      controller.abort(unreachable(address, new Error(`${what} for ${timeoutMs / 1_000} s`)));
    }, timeoutMs);
    const giveUp = (message: string) => {
      isGivenUp = true;
      controller.abort(new ApiUnreachableError(message));
    };
    const onAbort = () => giveUp(`a request to ${address} was given up`);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    const call: Call = {
      controller,
      alive: () => {
        if (silence) timer.refresh();
      },
      giveUp,
      isGivenUp: () => isGivenUp,
      end: () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        calls.delete(call);
      },
    };
    calls.add(call);
    return call;
  }

  /** Runs one call to its end; whatever breaks it comes out as `ApiUnreachableError`. */
  async function run(
    request: ApiRequest,
    silence: boolean,
    consume: (response: IncomingMessage, call: Call) => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const call = begin(request, silence);
    try {
      const access = await credentials.current();
      const response = await send(request, access, call);
      if (response.statusCode !== 401) return await consume(response, call);
      // Tokens are exchanged while we run: perhaps this one was yesterday's.
      const refusal = await readWhole(response);
      const renewed = await credentials.current(access);
      if (deepEqual(renewed.headers, access.headers) && deepEqual(renewed.tls, access.tls)) return refusal;
      return await consume(await send(request, renewed, call), call);
    } catch (error) {
      if (error instanceof ConsumerFailure) throw error.cause;
      throw unreachable(address, call.controller.signal.aborted ? call.controller.signal.reason : error);
    } finally {
      call.end();
    }
  }

  async function send(request: ApiRequest, access: Access, { controller, isGivenUp }: Call): Promise<IncomingMessage> {
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const attempt = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const sent: ClientRequest = protocol.request({
          hostname,
          port,
          method: request.method,
          path: `${prefix}${request.path}${formatQuery(request.query)}`,
          agent: agentFor(access),
          signal: controller.signal,
          headers: {
            accept: request.accept ?? "application/json",
            "user-agent": "gatewright",
            ...(body !== undefined && {
              "content-type": request.contentType ?? "application/json",
              "content-length": Buffer.byteLength(body),
            }),
            ...access.headers,
          },
        });
        sent.on("response", resolve);
        sent.on("error", (error) => {
          const isStale = sent.reusedSocket && !controller.signal.aborted;
          reject(isStale ? new StaleConnection(error.message, { cause: error }) : error);
        });
        sent.end(body);
      });
    try {
      const response = await retryStale(attempt, request.method === "GET");
      reachability.answered();
      return response;
    } catch (error) {
      if (!isGivenUp()) reachability.failed(unreachable(address, controller.signal.reason ?? error).message);
      throw error;
    }
  }

  return {
    address,
    request: (request) => run(request, false, readWhole),
    stream: (request, onLine, onOpen) =>
      run(request, true, async (response, call) => {
        if (!isOk(response)) return await readWhole(response);
        onOpen?.();
        await readLines(response, call, onLine);
        return { status: response.statusCode ?? 0, body: undefined };
      }),
    close: () => {
      isClosed = true;
      for (const { giveUp } of calls) giveUp(`the connection to ${address} is closed`);
      agent?.destroy();
    },
  };
}

/** An error on a kept connection: the server may have ended it just when we wrote. */
class StaleConnection extends Error {}

/** What `onLine` threw, on its way past those who handle errors of connections. */
class ConsumerFailure extends Error {}

/** What only reads can be sent anew at once; whoever writes must look first what has become of it. */
async function retryStale<T>(attempt: () => Promise<T>, isRead: boolean): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      if (!isRead) throw error.cause;
    }
  }
}

const isOk = ({ statusCode = 0 }: IncomingMessage): boolean => statusCode >= 200 && statusCode < 300;

const bytesOf = (response: IncomingMessage): AsyncIterable<Buffer> => response;

async function readWhole(response: IncomingMessage): Promise<ApiResponse> {
  const chunks: Buffer[] = [];
  for await (const chunk of bytesOf(response)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const retryAfterMs = parseRetryAfter(response.headers["retry-after"]);
  return {
    status: response.statusCode ?? 0,
    body: parseBody(bytes.toString()),
    bytes: bytes.length,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

async function readLines(response: IncomingMessage, call: Call, onLine: (line: string) => void): Promise<void> {
  const split = createLineSplitter();
  let since = performance.now();
  for await (const chunk of bytesOf(response)) {
    call.alive();
    for (const line of split(chunk)) {
      try {
        onLine(line);
      } catch (error) {
        throw new ConsumerFailure(messageOf(error), { cause: error });
      }
      // A burst waits in the socket while others have their turn.
      if (performance.now() - since < sliceMs) continue;
      await setImmediate();
      call.controller.signal.throwIfAborted();
      since = performance.now();
    }
  }
}

function parseBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function formatQuery(query: ApiRequest["query"] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
