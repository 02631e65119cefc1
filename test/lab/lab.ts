import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withLock } from "../../codegen/src/run/lock.ts";
import { envoyBinary } from "../support/envoy.ts";
import { buildPrograms, touchPrograms } from "./build.ts";
import { endInLab, killInLab, startInLab, tail } from "./component-process.ts";
import { commandOf, type ComponentName, componentNames, hasOwnNamespace, nodeName } from "./components.ts";
import { addImage, type Image, writeImages } from "./images.ts";
import { allowWatchers } from "./inotify.ts";
import { LabError } from "./lab-error.ts";
import { createNetwork, deleteNetwork, inNetwork, networkExists, proxyRulesExist, startInit } from "./network.ts";
import { makePki } from "./pki.ts";
import { formatProblems, preflight } from "./preflight.ts";
import { hasEndedWithin, isAlive, type ProcessIdentity, signalProcess } from "./process-identity.ts";
import { labPrograms } from "./programs.ts";
import { type CommandOptions, type CommandResult, mustRun, runCommand } from "./run-command.ts";
import { type LabState, readState, writeState } from "./state.ts";

export type LabOptions = {
  /** Labs with different names run side by side. */
  readonly name?: string;
  readonly report?: (line: string) => void;
};

export type UpOptions = {
  /** Whether the API server has ClusterTrustBundles. A running lab is switched. Left out: as it is, and a new lab has them. */
  readonly clusterTrustBundle?: boolean;
  /** Bounds the time that pods may take to end. Left out: as long as they ask for. Of a running lab it is not changed. */
  readonly maxGraceSeconds?: number;
};

export type LabStatus =
  | { readonly kind: "down" }
  | {
      readonly kind: "up";
      readonly startedMs: number;
      readonly clusterTrustBundle: boolean;
      /** The number of its process, or nothing if it has ended. */
      readonly components: Readonly<Record<ComponentName, number | undefined>>;
      /** Of all namespaces; nothing if the API server does not answer. */
      readonly pods: { readonly all: number; readonly ready: number } | undefined;
    };

/** How to speak to a lab, whether it runs or not. */
export type Lab = {
  readonly name: string;
  readonly kubeconfig: string;
  /** Where logs and all else of the lab are. */
  readonly folder: string;
  /** Brings the lab to what is asked for: starts it, or what of it has ended, or switches it. */
  readonly up: (options?: UpOptions) => Promise<void>;
  /** Ends every process of the lab, and removes all that is left of it. */
  readonly down: () => Promise<void>;
  readonly status: () => Promise<LabStatus>;
  /** Starts a component unless it runs. With the API server, its clients in the lab start anew (the node and its pods do not). */
  readonly start: (component: ComponentName) => Promise<void>;
  /** Asks a component to end, and ends it if it does not; with SIGKILL, at once. */
  readonly stop: (component: ComponentName, signal?: "SIGTERM" | "SIGKILL") => Promise<void>;
  /** Sends a signal: SIGSTOP makes a component hang, SIGCONT lets it go on. */
  readonly signal: (component: ComponentName, signal: NodeJS.Signals) => Promise<void>;
  readonly logFile: (component: ComponentName) => string;
  /** The command that runs another in the lab's network. */
  readonly inside: (command: readonly string[]) => readonly string[];
  /** An environment in which programs find the API server. */
  readonly environment: NodeJS.ProcessEnv;
  /** Runs a command in the lab's network. */
  readonly run: (command: readonly string[], options?: CommandOptions) => Promise<CommandResult>;
  readonly kubectlCommand: (args: readonly string[]) => Promise<readonly string[]>;
  /** Runs kubectl, which must succeed, and gives what it printed. */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<string>;
  /** Says what stands for an image from now on. */
  readonly addImage: (image: Image) => Promise<void>;
};

/**
 * After some restarts of the API server within two minutes, these would look for it only twice a minute:
 * https://github.com/kubernetes/client-go/blob/v0.37.2/tools/cache/reflector.go#L60
 */
const clients: readonly ComponentName[] = ["kube-controller-manager", "kube-scheduler", "kube-proxy"];

const runFolder = "/run/gatewright-lab";
const startTimeoutMs = 120_000;
// All end within a fraction of that, but the API server, which waits for watches to end by themselves.
const stopPatienceMs = 2_000;

export function openLab({ name = "lab", report = () => undefined }: LabOptions = {}): Lab {
  // It becomes the name of a folder and of a network.
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name)) throw new LabError(`"${name}" is no name for a lab: a-z, 0-9 and -`);
  const folder = path.join(runFolder, name);
  const network = `gatewright-${name}`;
  const stateFile = path.join(folder, "state.json");
  const kubeconfig = path.join(folder, "kubeconfig");
  const imagesFile = path.join(folder, "images.json");
  const environment = { ...process.env, KUBECONFIG: kubeconfig };
  const logFile = (component: ComponentName) => path.join(folder, "log", `${component}.log`);
  const inside = (command: readonly string[]) => inNetwork(network, command);
  const exclusively = <T>(work: () => Promise<T>): Promise<T> =>
    withLock(`${folder}.lock`, (pid) => report(`waiting for process ${pid}, which changes this lab`), work);

  /** The state of a lab that runs. */
  const running = async (): Promise<LabState | undefined> => {
    const state = await readState(stateFile);
    return state !== undefined && (await isAlive(state.init)) ? state : undefined;
  };
  const mustBeUp = async (): Promise<LabState> => {
    const state = await running();
    if (state === undefined) throw new LabError(`the lab "${name}" is not up: npm run lab -- up`);
    return state;
  };
  const liveProcess = async (component: ComponentName): Promise<ProcessIdentity | undefined> => {
    const process = (await mustBeUp()).components[component];
    return process !== undefined && (await isAlive(process)) ? process : undefined;
  };
  const run = (command: readonly string[], options: CommandOptions = {}) =>
    runCommand(inside(command), { env: environment, ...options });
  const kubectlCommand = async (args: readonly string[]) => inside([(await mustBeUp()).programs.kubectl, ...args]);
  const kubectl = async (args: readonly string[], input = "") =>
    mustRun(await kubectlCommand(args), { env: environment, input });

  /** Waits for something of a component that runs, and tells how long it took. */
  const waitFor = async (component: ComponentName, what: string, isSo: () => Promise<boolean>): Promise<void> => {
    const startedMs = performance.now();
    for (;;) {
      if (await isSo()) break;
      const why = (await liveProcess(component)) === undefined ? `${component} has ended` : undefined;
      const late = performance.now() - startedMs > startTimeoutMs ? `waited ${startTimeoutMs / 1000} s` : undefined;
      if (why !== undefined || late !== undefined)
        throw new LabError(
          `${what}: not so, ${why ?? late}. The end of ${logFile(component)}:\n${await tail(logFile(component))}`,
        );
      await sleep(100);
    }
    report(`${what} (${seconds(startedMs)})`);
  };
  const answers = async (args: readonly string[], pattern: RegExp) => {
    const { stdout } = await runCommand(await kubectlCommand(args), { env: environment });
    return pattern.test(stdout);
  };
  const readiness: Readonly<Partial<Record<ComponentName, () => Promise<void>>>> = {
    "kube-apiserver": () =>
      waitFor("kube-apiserver", "the API server is ready", () => answers(["get", "--raw=/readyz"], /^ok$/)),
    node: () => {
      const ready = "jsonpath={.status.conditions[?(@.type=='Ready')].status}";
      return waitFor("node", "the node is ready", () => answers(["get", "node", nodeName, `-o=${ready}`], /^True$/));
    },
    "kube-proxy": () => waitFor("kube-proxy", "kube-proxy has written its rules", () => proxyRulesExist(network)),
  };

  /** Starts a component that does not run, and waits until it does its work. */
  const startComponent = async (component: ComponentName): Promise<void> => {
    if ((await liveProcess(component)) !== undefined) return;
    const state = await mustBeUp();
    const command = commandOf(component, { ...state, folder, kubeconfig, imagesFile });
    const started = await startInLab({
      init: state.init,
      command,
      ownNamespace: hasOwnNamespace(component),
      logFile: logFile(component),
    });
    await writeState(stateFile, { ...state, components: { ...state.components, [component]: started } });
    await readiness[component]?.();
    if (component === "kube-apiserver") for (const client of clients) await restartIfAlive(client);
  };
  const restartIfAlive = async (component: ComponentName): Promise<void> => {
    if ((await liveProcess(component)) === undefined) return;
    await stopComponent(component, "SIGTERM");
    await startComponent(component);
  };
  const stopComponent = async (component: ComponentName, signal: "SIGTERM" | "SIGKILL"): Promise<void> => {
    const process = await liveProcess(component);
    if (process === undefined) return;
    if (signal === "SIGKILL") await killInLab(process);
    else await endInLab(process, stopPatienceMs);
  };

  const create = async (options: UpOptions): Promise<void> => {
    const problems = await preflight();
    if (problems.length > 0) throw new LabError(formatProblems(problems));
    await allowWatchers(report);
    const programs = await buildPrograms(labPrograms, { report });
    await touchPrograms(Object.values(programs));
    const envoy = await envoyBinary();
    const startedMs = performance.now();
    await remove();
    for (const part of ["log", "pods"]) await mkdir(path.join(folder, part), { recursive: true, mode: 0o755 });
    await makePki(path.join(folder, "pki"), kubeconfig);
    await writeImages(imagesFile, { ...programs, envoy });
    await createNetwork(network);
    const init = await startInit(network);
    await writeState(stateFile, {
      init,
      startedMs: Date.now(),
      programs,
      clusterTrustBundle: options.clusterTrustBundle ?? true,
      ...(options.maxGraceSeconds !== undefined && { maxGraceSeconds: options.maxGraceSeconds }),
      components: {},
    });
    report(`the lab has a network of its own, ${network} (${seconds(startedMs)})`);
  };

  /** ClusterTrustBundles come and go with flags of the API server and of those who write some. */
  const switchTrustBundles = async (wanted: boolean): Promise<void> => {
    const state = await mustBeUp();
    if (state.clusterTrustBundle === wanted) return;
    report(`starting the API server anew ${wanted ? "with" : "without"} ClusterTrustBundles`);
    await stopComponent("kube-apiserver", "SIGTERM");
    await writeState(stateFile, { ...state, clusterTrustBundle: wanted });
  };

  /** Ends what runs and removes what is there. */
  const remove = async (): Promise<void> => {
    const state = await running();
    if (state !== undefined) {
      await signalProcess(state.init, "SIGKILL");
      // The kernel ends all others of its namespace before it is gone.
      if (!(await hasEndedWithin(state.init, 30_000))) throw new LabError(`process ${state.init.pid} does not end`);
    }
    await deleteNetwork(network);
    await rm(folder, { recursive: true, force: true });
  };

  return {
    name,
    kubeconfig,
    folder,
    environment,
    logFile,
    inside,
    run,
    kubectlCommand,
    kubectl,
    up: (options = {}) =>
      exclusively(async () => {
        const startedMs = performance.now();
        if ((await running()) === undefined) await create(options);
        else if (options.clusterTrustBundle !== undefined) await switchTrustBundles(options.clusterTrustBundle);
        for (const component of componentNames) await startComponent(component);
        report(`the lab "${name}" is up (${seconds(startedMs)})`);
      }),
    down: () =>
      exclusively(async () => {
        if (!existsSync(folder) && !(await networkExists(network))) {
          report(`the lab "${name}" is not up`);
          return;
        }
        const startedMs = performance.now();
        await remove();
        report(`the lab "${name}" is gone (${seconds(startedMs)})`);
      }),
    start: (component) => exclusively(() => startComponent(component)),
    stop: (component, signal = "SIGTERM") => exclusively(() => stopComponent(component, signal)),
    signal: async (component, signal) => {
      const process = await liveProcess(component);
      if (process === undefined) throw new LabError(`${component} has ended`);
      await signalProcess(process, signal);
    },
    addImage: async (image) => {
      await mustBeUp();
      await addImage(imagesFile, image);
    },
    status: async () => {
      const state = await running();
      if (state === undefined) return { kind: "down" };
      const pidOf = async (component: ComponentName) => (await liveProcess(component))?.pid;
      return {
        kind: "up",
        startedMs: state.startedMs,
        clusterTrustBundle: state.clusterTrustBundle,
        components: {
          etcd: await pidOf("etcd"),
          "kube-apiserver": await pidOf("kube-apiserver"),
          "kube-controller-manager": await pidOf("kube-controller-manager"),
          "kube-scheduler": await pidOf("kube-scheduler"),
          node: await pidOf("node"),
          "kube-proxy": await pidOf("kube-proxy"),
        },
        pods: await countPods(
          await kubectlCommand(["get", "pods", "--all-namespaces", "--output=json", "--request-timeout=5s"]),
        ),
      };
    },
  };

  async function countPods(command: readonly string[]): Promise<{ all: number; ready: number } | undefined> {
    const { code, stdout } = await runCommand(command, { env: environment });
    if (code !== 0) return undefined;
    type Pod = { status?: { conditions?: readonly { type: string; status: string }[] } };
    const { items } = JSON.parse(stdout) as { items: readonly Pod[] };
    const isReady = ({ status }: Pod) =>
      status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") === true;
    return { all: items.length, ready: items.filter(isReady).length };
  }
}

const seconds = (startedMs: number): string => `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
