// A program in the lab's network that answers each line of its input with a line of its output.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Lab } from "../../lab/index.ts";

export type AskedProgram<Order, Report> = {
  readonly ask: (order: Order) => Promise<Report>;
  readonly close: () => Promise<void>;
};

/** `announces`: it says a line of its own once it is ready. */
export async function startAskedProgram<Order, Report>(
  lab: Lab,
  script: string,
  options: object,
  announces = false,
): Promise<AskedProgram<Order, Report>> {
  const [program = "", ...args] = lab.inside([
    process.execPath,
    "--conditions=source",
    script,
    JSON.stringify(options),
  ]);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting: PromiseWithResolvers<string>[] = [];
  const next = () => {
    const one = Promise.withResolvers<string>();
    waiting.push(one);
    return one.promise;
  };
  const ready = announces ? next() : undefined;
  createInterface(child.stdout).on("line", (line) => waiting.shift()?.resolve(line));
  child.once("exit", (code) => {
    for (const one of waiting.splice(0)) one.reject(new Error(`${script} ended with ${code}`));
  });
  await ready;
  return {
    ask: async (order) => {
      if (hasEnded(child)) throw new Error(`${script} has ended`);
      const answer = next();
      child.stdin.write(`${JSON.stringify(order)}\n`);
      return JSON.parse(await answer) as Report;
    },
    close: async () => {
      if (hasEnded(child)) return;
      const exit = once(child, "exit");
      child.stdin.end();
      await exit;
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
