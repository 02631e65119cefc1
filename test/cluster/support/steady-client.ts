// A program that asks a Gateway for some 50 answers a second, by HTTP and HTTPS, over connections that it keeps, over some that it hardly uses,
// and over new ones. It runs where the Gateway can be reached. For each line of its input it tells, as one JSON object, what came of all
// that it asked since.
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { Agent as TlsAgent, request as httpsRequest } from "node:https";
import { createInterface } from "node:readline";

export type SteadyOptions = {
  readonly address: string;
  readonly host: string;
  /** A file with the certificate that the Gateway must show. */
  readonly authority: string;
};

/** What came of it. */
export type SteadyResult = {
  readonly answered: number;
  /** Each with its time, in milliseconds since 1970. */
  readonly failures: readonly string[];
};

const intervalMs = 20;
/** On connections that are idle in between: they may be closed meanwhile, and never while something is asked. */
const rareIntervalMs = 2_500;
const timeoutMs = 15_000;

type Way = { readonly name: string; readonly request: typeof httpRequest; readonly more: object };

function main({ address, host, authority }: SteadyOptions): void {
  const tls = { ca: readFileSync(authority), servername: host };
  const kept = { keepAlive: true, maxSockets: 2 };
  const ways: readonly Way[] = [
    { name: "HTTP, kept", request: httpRequest, more: { port: 80, agent: new Agent(kept) } },
    { name: "HTTP, new", request: httpRequest, more: { port: 80, agent: false } },
    { name: "HTTPS, kept", request: httpsRequest, more: { port: 443, agent: new TlsAgent(kept), ...tls } },
    // An agent of node keeps TLS sessions: each new connection is to shake hands as a stranger.
    { name: "HTTPS, new", request: httpsRequest, more: { port: 443, agent: false, ...tls } },
  ];
  let failures: string[] = [];
  let answered = 0;
  const running = new Set<Promise<void>>();

  const ask = ({ name, request, more }: Way): Promise<void> =>
    new Promise((resolve) => {
      const startedMs = Date.now();
      const fail = (what: string) => {
        failures.push(`${startedMs} ${name}: ${what} after ${Date.now() - startedMs} ms`);
        resolve();
      };
      const asked = request({ host: address, headers: { host }, timeout: timeoutMs, ...more }, (response) => {
        response.resume();
        response.on("error", (error) => fail(`body: ${error.message}`));
        response.on("end", () => {
          if (response.statusCode !== 200) return fail(`status ${response.statusCode}`);
          answered++;
          resolve();
        });
      });
      asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
      asked.on("error", (error) =>
        fail(`${error.message}${asked.reusedSocket ? " (connection was used before)" : ""}`),
      );
      asked.end();
    });

  const start = (way: Way): void => {
    const work = ask(way).finally(() => running.delete(work));
    running.add(work);
  };
  let turn = 0;
  setInterval(() => {
    const way = ways[turn++ % ways.length];
    if (way !== undefined) start(way);
  }, intervalMs);
  const idle: readonly Way[] = [
    { name: "HTTP, idle", request: httpRequest, more: { port: 80, agent: new Agent(kept) } },
    { name: "HTTPS, idle", request: httpsRequest, more: { port: 443, agent: new TlsAgent(kept), ...tls } },
  ];
  setInterval(() => idle.forEach(start), rareIntervalMs);
  const input = createInterface(process.stdin);
  input.on("line", () => {
    void Promise.all(running).then(() => {
      const result: SteadyResult = { answered, failures };
      [answered, failures] = [0, []];
      process.stdout.write(`${JSON.stringify(result)}\n`);
    });
  });
  input.on("close", () => process.exit(0));
}

main(JSON.parse(process.argv[2] ?? "{}") as SteadyOptions);
