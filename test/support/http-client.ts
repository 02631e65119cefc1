import { Agent, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Echo } from "./echo-backend.ts";

export type Target = {
  readonly address?: string;
  readonly port: number;
  /** Sent as `Host`, and as SNI with TLS. */
  readonly host: string;
  readonly tls?: { readonly ca: string; readonly serverName?: string };
};

export type SendOptions = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly agent?: Agent;
  readonly timeoutMs?: number;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The body, where it is an echo backend's. */
  readonly echo: Echo | undefined;
};

/** Sends one request, on a connection of its own unless an agent is given. */
export function send(target: Target, path: string, options: SendOptions = {}): Promise<Answer> {
  const { address = "127.0.0.1", port, host, tls } = target;
  const common = {
    host: address,
    port,
    path,
    method: options.method ?? "GET",
    headers: { host, ...options.headers },
    agent: options.agent ?? false,
    timeout: options.timeoutMs ?? 10_000,
  } as const;
  return new Promise((resolve, reject) => {
    const request =
      tls === undefined
        ? httpRequest(common)
        : httpsRequest({ ...common, agent: false, ca: tls.ca, servername: tls.serverName ?? host });
    request.on("timeout", () =>
      request.destroy(new Error(`no answer from ${host}${path} within ${common.timeout} ms`)),
    );
    request.on("error", reject);
    request.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const body = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body,
          echo: parseEcho(response.headers["content-type"], body),
        });
      });
    });
    request.end(options.body);
  });
}

function parseEcho(contentType: string | undefined, body: string): Echo | undefined {
  return contentType === "application/json" && body.startsWith('{"backend"') ? (JSON.parse(body) as Echo) : undefined;
}

/** Sends until `accept` takes the answer; connection errors count as answers not taken. Throws the last one after `withinMs`. */
export async function eventually(
  target: Target,
  path: string,
  accept: (answer: Answer) => boolean,
  { withinMs = 10_000, ...options }: SendOptions & { readonly withinMs?: number } = {},
): Promise<Answer> {
  const deadline = Date.now() + withinMs;
  let last = "nothing came back";
  while (Date.now() < deadline) {
    try {
      const answer = await send(target, path, options);
      if (accept(answer)) return answer;
      last = `${answer.status} ${answer.body.slice(0, 300)}`;
    } catch (error) {
      last = String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${target.host}${path}: not as expected within ${withinMs} ms, last: ${last}`);
}

export type Load = {
  /** Ends the load and tells what came back, by status or error code, with how often. */
  readonly stop: () => Promise<ReadonlyMap<string, number>>;
  /** Answers so far. */
  readonly answers: () => number;
};

/** Requests over a few kept-alive connections, as fast as they are answered but for `pauseMs`, until stopped. */
export function startLoad(target: Target, path: string, { connections = 4, pauseMs = 2 } = {}): Load {
  const counts = new Map<string, number>();
  const stopped = new AbortController();
  let answers = 0;
  const worker = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopped.signal.aborted) {
      const outcome = await send(target, path, { agent }).then(
        ({ status }) => String(status),
        (error: NodeJS.ErrnoException) => error.code ?? error.message,
      );
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      answers++;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    agent.destroy();
  };
  const workers = Array.from({ length: connections }, worker);
  return {
    answers: () => answers,
    stop: async () => {
      stopped.abort();
      await Promise.all(workers);
      return counts;
    },
  };
}
