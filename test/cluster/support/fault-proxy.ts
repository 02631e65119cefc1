// A program that stands between the operator and the API server, and is as slow, forgetful or unreliable as its input says, a JSON object
// a line. It answers each line with what it has seen, as one JSON object.
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";
import { addresses } from "../../lab/index.ts";

export type ProxyOptions = {
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
};

export type FaultOrder = {
  /** All answers come so much later. */
  readonly delayMs?: number;
  /** Of the next event of each watch that is open only a half arrives, and the connection breaks. */
  readonly cutWatches?: boolean;
  /** No watch gets an answer until this is false. Those that are open end at once. */
  readonly holdWatches?: boolean;
  /** The next watch of each path learns that its version is too old. */
  readonly expireWatches?: boolean;
  /** Watches that are open end at once. */
  readonly endWatches?: boolean;
};

export type FaultReport = {
  /** Requests by method, and by status. */
  readonly methods: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** What was asked for in vain, for want of rights. */
  readonly forbidden: readonly string[];
  readonly cuts: number;
  readonly expired: number;
  readonly watches: number;
};

function main({ port, certificate, key, authority }: ProxyOptions): void {
  const agent = new Agent({ keepAlive: true, ca: readFileSync(authority) });
  const methods: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  const forbidden: string[] = [];
  const open = new Set<Watch>();
  const held: (() => void)[] = [];
  const expiredPaths = new Set<string>();
  let isExpiring = false;
  let isHolding = false;
  let delayMs = 0;
  let cuts = 0;
  let expired = 0;
  type Watch = { isToBeCut: boolean; readonly end: () => void };

  const count = (counts: Record<string, number>, what: string) => (counts[what] = (counts[what] ?? 0) + 1);

  function take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method = "GET", url = "/" } = incoming;
    const { pathname, searchParams } = new URL(url, "https://server");
    count(methods, method);
    if (!["true", "1"].includes(searchParams.get("watch") ?? "")) return later(() => forward(incoming, outgoing));
    const begin = () => {
      if (!isExpiring || expiredPaths.has(pathname)) return forward(incoming, outgoing, true);
      expiredPaths.add(pathname);
      expired++;
      expire(outgoing);
    };
    if (isHolding) held.push(begin);
    else later(begin);
  }

  const later = (work: () => void): void => {
    if (delayMs === 0) work();
    else setTimeout(work, delayMs);
  };

  function expire(outgoing: ServerResponse): void {
    const object = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Expired", code: 410 };
    outgoing.writeHead(200, { "content-type": "application/json" });
    outgoing.end(`${JSON.stringify({ type: "ERROR", object: { ...object, message: "too old resource version" } })}\n`);
  }

  function forward(incoming: IncomingMessage, outgoing: ServerResponse, isWatch = false): void {
    const { method, url, headers } = incoming;
    const target = { host: addresses.node, port: addresses.apiServerPort, agent, method, path: url, headers };
    const asked = httpsRequest(target, (answer) => {
      count(statuses, String(answer.statusCode));
      if (answer.statusCode === 403) forbidden.push(`${method} ${url}`);
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (isWatch) follow(answer, outgoing);
      else answer.pipe(outgoing);
      answer.on("error", () => outgoing.destroy());
    });
    asked.on("error", () => outgoing.destroy());
    outgoing.on("close", () => asked.destroy());
    incoming.pipe(asked);
  }

  function follow(answer: IncomingMessage, outgoing: ServerResponse): void {
    const watch: Watch = { isToBeCut: false, end: () => outgoing.destroy() };
    open.add(watch);
    outgoing.on("close", () => open.delete(watch));
    outgoing.flushHeaders();
    answer.on("data", (chunk: Buffer) => {
      if (!watch.isToBeCut) return void outgoing.write(chunk);
      cuts++;
      open.delete(watch);
      outgoing.write(chunk.subarray(0, Math.floor(chunk.length / 2)), () => outgoing.destroy());
    });
    answer.on("end", () => outgoing.end());
  }

  function obey(order: FaultOrder): void {
    delayMs = order.delayMs ?? delayMs;
    if (order.cutWatches === true) for (const watch of open) watch.isToBeCut = true;
    if (order.expireWatches !== undefined) {
      isExpiring = order.expireWatches;
      expiredPaths.clear();
    }
    if (order.holdWatches !== undefined) isHolding = order.holdWatches;
    if (order.holdWatches === true || order.endWatches === true) for (const watch of open) watch.end();
    if (!isHolding) for (const begin of held.splice(0)) begin();
  }

  const input = createInterface(process.stdin);
  input.on("line", (line) => {
    obey(JSON.parse(line) as FaultOrder);
    const report: FaultReport = { methods, statuses, forbidden, cuts, expired, watches: open.size };
    process.stdout.write(`${JSON.stringify(report)}\n`);
  });
  input.on("close", () => process.exit(0));
  const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, take);
  server.listen(port, addresses.node, () => process.stdout.write("{}\n"));
}

main(JSON.parse(process.argv[2] ?? "{}") as ProxyOptions);
