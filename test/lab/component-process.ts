import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { LabError } from "./lab-error.ts";
import {
  childrenOf,
  hasEndedWithin,
  identify,
  pidOnHost,
  type ProcessIdentity,
  signalProcess,
} from "./process-identity.ts";
import { mustRun } from "./run-command.ts";

export type StartOptions = {
  /** The first process of the lab's namespaces. */
  readonly init: ProcessIdentity;
  readonly command: readonly string[];
  /** Whether it has a process namespace of its own, so that all that it starts ends with it. */
  readonly ownNamespace: boolean;
  readonly logFile: string;
};

// In a session of its own, as a child of the lab's first process: nothing of it is left on the host, and no terminal reaches it.
const detach = 'log=$1; shift; setsid "$@" >>"$log" 2>&1 </dev/null & echo $!';

/** Starts a program in the namespaces of a lab. It outlives this process; what it prints is appended to the log. */
export async function startInLab({ init, command, ownNamespace, logFile }: StartOptions): Promise<ProcessIdentity> {
  const namespaces = ["nsenter", "--target", String(init.pid), "--net", "--pid", "--mount", "--"];
  const own = ownNamespace ? ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--"] : [];
  const printed = await mustRun([...namespaces, "bash", "-c", detach, "bash", logFile, ...own, ...command]);
  const pid = await pidOnHost(Number(printed.trim()), init.pid);
  const started = pid === undefined ? undefined : ownNamespace ? await firstChild(pid) : await identify(pid);
  if (started === undefined) throw new LabError(`${command[0]} has ended at once:\n${await tail(logFile)}`);
  return started;
}

/** What a process has started, as soon as it has; nothing if it ends without. */
async function firstChild(pid: number): Promise<ProcessIdentity | undefined> {
  const parent = await identify(pid);
  if (parent === undefined) return undefined;
  while (!(await hasEndedWithin(parent, 0))) {
    const [child] = await childrenOf(pid);
    const identity = child === undefined ? undefined : await identify(child);
    if (identity !== undefined) return identity;
    await sleep(10);
  }
  return undefined;
}

/** Ends a component; `patienceMs` after it was asked to, whether it wants to or not. */
export async function endInLab(component: ProcessIdentity, patienceMs: number): Promise<void> {
  await signalProcess(component, "SIGTERM");
  // One that was made to hang hears it only now.
  await signalProcess(component, "SIGCONT");
  if (!(await hasEndedWithin(component, patienceMs))) await killInLab(component);
}

export async function killInLab(component: ProcessIdentity): Promise<void> {
  await signalProcess(component, "SIGKILL");
  if (!(await hasEndedWithin(component, 10_000))) throw new LabError(`process ${component.pid} does not end`);
}

/** The last lines of a log. */
export async function tail(file: string, lines = 15): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-lines).join("\n");
}
