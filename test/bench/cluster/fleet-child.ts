// Programs that do what their parent says, one thing after the other.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

export type Child<Calls extends CallTable> = {
  readonly pid: number;
  readonly call: <Name extends keyof Calls & string>(name: Name, input: Calls[Name][0]) => Promise<Calls[Name][1]>;
  readonly stop: () => Promise<void>;
};

/** What goes in and what comes out, by name. */
export type CallTable = { readonly [name: string]: readonly [input: unknown, output: unknown] };

export type Handlers<Calls extends CallTable> = {
  readonly [Name in keyof Calls]: (input: Calls[Name][0]) => Promise<Calls[Name][1]> | Calls[Name][1];
};

type Question = { readonly id: number; readonly name: string; readonly input: unknown };
type Answer = { readonly id: number; readonly output?: unknown; readonly error?: string };

export function startChild<Calls extends CallTable>(file: string, nodeFlags: readonly string[] = []): Child<Calls> {
  const child: ChildProcess = fork(file, {
    execArgv: ["--conditions=source", ...nodeFlags],
    serialization: "advanced",
  });
  process.once("exit", () => child.kill("SIGKILL"));
  const waiting = new Map<number, (answer: Answer) => void>();
  let serial = 0;
  child.on("message", (answer: Answer) => waiting.get(answer.id)?.(answer));
  child.on("exit", () => {
    for (const [id, settle] of waiting) settle({ id, error: `${file} has ended` });
  });
  return {
    pid: child.pid ?? 0,
    call: (name, input) =>
      new Promise((resolve, reject) => {
        const id = ++serial;
        waiting.set(id, ({ output, error }) => {
          waiting.delete(id);
          if (error === undefined) resolve(output);
          else reject(new Error(`${name}: ${error}`));
        });
        child.send({ id, name, input } satisfies Question);
      }),
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** The child's side. */
export function serveParent<Calls extends CallTable>(handlers: Handlers<Calls>): void {
  process.on("message", (question: Question) => {
    void answer(question).then((result) => process.send?.({ id: question.id, ...result } satisfies Answer));
  });
  process.on("disconnect", () => process.exit(0));
  // With what a profiler has.
  process.on("SIGTERM", () => process.exit(0));

  async function answer({ name, input }: Question): Promise<Omit<Answer, "id">> {
    const handler = handlers[name];
    if (handler === undefined) return { error: "there is no such call" };
    try {
      return { output: await handler(input) };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }
}
