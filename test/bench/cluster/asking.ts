// How the benchmark asks Envoy, as a client of the Gateway does.
import { Agent } from "node:http";
import { type Answer, send } from "../../support/http-client.ts";
import { hostOf, httpPort } from "./objects.ts";
import { pause } from "./program.ts";

export type Asked = {
  /** Until the answer that was waited for. */
  readonly ms: number;
  /** Answers other than that one and 404. */
  readonly wrong: number;
};

/** What was changed has not taken effect in all the time that it had. */
export class NotSeen extends Error {}

const agent = new Agent({ keepAlive: true });

export const ask = (name: string, path = "/"): Promise<Answer> =>
  send({ port: httpPort, host: hostOf(name) }, path, { agent });

/** Asks every few milliseconds until the answer is accepted. Answers that are neither that nor `expected` count as wrong. */
export async function askUntil(
  name: string,
  accept: (answer: Answer) => boolean,
  expected: (answer: Answer) => boolean,
  { withinMs = 120_000, everyMs = 5, sinceMs = performance.now() } = {},
): Promise<Asked> {
  let wrong = 0;
  for (;;) {
    const answer = await ask(name).catch(() => undefined);
    if (answer !== undefined && accept(answer)) return { ms: performance.now() - sinceMs, wrong };
    if (answer === undefined || !expected(answer)) wrong++;
    if (performance.now() - sinceMs > withinMs)
      throw new NotSeen(`${name} answers ${answer?.status ?? "nothing"} after ${withinMs} ms`);
    await pause(everyMs);
  }
}

export const isOk = ({ status }: Answer): boolean => status === 200;
export const isNotFound = ({ status }: Answer): boolean => status === 404;
