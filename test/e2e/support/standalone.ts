// The `gatewright standalone` command as a user runs it: a process of its own, a folder of YAML, a real Envoy.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { envoyBinary } from "../../support/envoy.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export type Standalone = {
  readonly directory: string;
  /** Writes a file as an editor does, by rename, so that nobody reads half of it. */
  readonly write: (name: string, yaml: string) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  /** The status that the product wrote last for an object, or undefined. */
  readonly status: (kind: string, namespace: string, name: string) => Promise<StatusFile | undefined>;
  /** Waits until the status satisfies `accept`. */
  readonly statusWhen: (
    kind: string,
    namespace: string,
    name: string,
    accept: (status: StatusFile) => boolean,
  ) => Promise<StatusFile>;
  /** Waits until what was printed so far satisfies `accept`. */
  readonly outputWhen: (accept: (text: string) => boolean) => Promise<void>;
  /** All that the process printed so far. */
  readonly output: () => string;
  readonly process: ChildProcess;
  /** Ends the process with a signal and waits for it; its folder stays. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
  /** Starts it again on the same folder. */
  readonly start: () => Promise<void>;
  /** Ends it and removes its folder. */
  readonly close: () => Promise<void>;
};

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
};
export type StatusFile = {
  readonly metadata: { readonly generation?: number };
  readonly status: {
    readonly addresses?: readonly { readonly value: string }[];
    readonly conditions?: readonly Condition[];
    readonly attachedListenerSets?: number;
    readonly listeners?: readonly {
      readonly name: string;
      readonly attachedRoutes: number;
      readonly conditions: readonly Condition[];
    }[];
    readonly parents?: readonly { readonly controllerName: string; readonly conditions: readonly Condition[] }[];
    readonly ancestors?: readonly { readonly controllerName: string; readonly conditions: readonly Condition[] }[];
  };
};

export type StandaloneOptions = {
  readonly files: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Beside the manifests unless given. */
  readonly statusDirectory?: string;
};

export async function startStandalone({ files, args = [], ...options }: StandaloneOptions): Promise<Standalone> {
  const base = await mkdtemp(join(tmpdir(), "gatewright-e2e-"));
  const directory = join(base, "manifests");
  const statusDirectory = options.statusDirectory ?? join(base, "status");
  await mkdir(directory);
  const envoy = await envoyBinary();
  let child: ChildProcess;
  let output = "";

  const write = async (name: string, yaml: string) => {
    const temporary = join(base, `.${name}.tmp`);
    await writeFile(temporary, yaml);
    await rename(temporary, join(directory, name));
  };

  const start = async () => {
    child = spawn(
      process.execPath,
      [
        "--conditions=source",
        join(root, "operator/src/main.ts"),
        "standalone",
        directory,
        "--status-dir",
        statusDirectory,
        "--envoy",
        envoy,
        "--concurrency",
        "2",
        ...args,
      ],
      { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
    );
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  };

  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };

  const status = async (kind: string, namespace: string, name: string): Promise<StatusFile | undefined> => {
    try {
      return parse(await readFile(join(statusDirectory, kind, namespace, `${name}.yaml`), "utf8")) as StatusFile;
    } catch {
      return undefined;
    }
  };

  const statusWhen: Standalone["statusWhen"] = async (kind, namespace, name, accept) => {
    const deadline = Date.now() + 20_000;
    let last: StatusFile | undefined;
    while (Date.now() < deadline) {
      last = await status(kind, namespace, name);
      if (last !== undefined && accept(last)) return last;
      if (child.exitCode !== null) break;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(
      `${kind} ${namespace}/${name}: status not as expected: ${JSON.stringify(last?.status, undefined, 1)}\n${output.slice(-4000)}`,
    );
  };

  const outputWhen = async (accept: (text: string) => boolean) => {
    const deadline = Date.now() + 20_000;
    while (!accept(output)) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error(`not printed: ${output.slice(-4000)}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  for (const [name, yaml] of Object.entries(files)) await write(name, yaml);
  await start();
  return {
    directory,
    write,
    remove: (name) => rm(join(directory, name)),
    status,
    statusWhen,
    outputWhen,
    output: () => output,
    get process() {
      return child;
    },
    stop,
    start,
    close: async () => {
      await stop();
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** Whether a condition of that type has that status, and that reason where one is given. */
export const hasCondition = (
  conditions: readonly Condition[] | undefined,
  type: string,
  status: string,
  reason?: string,
): boolean =>
  conditions?.some(
    (condition) =>
      condition.type === type && condition.status === status && (reason === undefined || condition.reason === reason),
  ) ?? false;
