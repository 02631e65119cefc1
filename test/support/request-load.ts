// A program that asks a host again and again, over connections that it keeps and over new ones, until its input ends. Then it tells on its
// output, as one JSON object, how many answers it had, and what failed. It runs where the host can be reached.
import { Agent, get } from "node:http";

/** What came of it. */
export type LoadResult = { readonly answered: number; readonly failures: readonly string[] };

const [host = "", port = "80"] = process.argv.slice(2);
const failures: string[] = [];
let answered = 0;
const ended = new AbortController();
process.stdin.resume().on("end", () => ended.abort());

const ask = (agent: Agent | false): Promise<void> =>
  new Promise((resolve) => {
    const fail = (what: string) => {
      failures.push(what);
      resolve();
    };
    const asked = get({ host, port, agent, timeout: 10_000 }, (response) => {
      response.resume();
      response.on("error", (error) => fail(`body: ${error.message}`));
      response.on("end", () => {
        if (response.statusCode !== 200) return fail(`status ${response.statusCode}`);
        answered++;
        resolve();
      });
    });
    asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.on("error", (error) => fail(`${error.message}${asked.reusedSocket ? " (kept connection)" : ""}`));
  });

const clients = [...Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 })), false] as const;
await Promise.all(
  clients.map(async (agent) => {
    while (!ended.signal.aborted) await ask(agent);
  }),
);
const result: LoadResult = { answered, failures };
process.stdout.write(JSON.stringify(result));
process.exit(0);
