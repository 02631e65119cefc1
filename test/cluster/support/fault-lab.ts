// A cluster with Gatewright from its image and charts, a fault proxy between it and the API server, and a Gateway that is asked all the time.
import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { installGatewright } from "../../conformance/installation.ts";
import { addresses, type Lab, openLab } from "../../lab/index.ts";
import { pkiFiles } from "../../lab/pki.ts";
import { until } from "../../lab/testing/until.ts";
import { type Certificate, makeCertificate } from "../../support/certificates.ts";
import { type AskedProgram, startAskedProgram } from "./asked-program.ts";
import type { FaultOrder, FaultReport } from "./fault-proxy.ts";
import {
  backend,
  gateway,
  gatewayClass,
  httpListener,
  httpsListener,
  meshConfig,
  route,
  secret,
  systemNamespace,
} from "./manifests.ts";
import type { RivalOptions, RivalReport } from "./rival.ts";
import type { SteadyResult } from "./steady-client.ts";

const namespace = "faults";
const proxyPort = 7443;
/** Asked for without end. */
const steadyHost = "steady.example";

type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
};
type WithStatus = {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly parents?: readonly { readonly controllerName: string; readonly conditions: readonly Condition[] }[];
    readonly listeners?: readonly { readonly name: string; readonly conditions: readonly Condition[] }[];
  };
};

export type FaultLab = {
  readonly lab: Lab;
  /** Where the Gateway that is asked all the time is. */
  readonly address: string;
  /** Of the Gateway's second host, `spare.example`. */
  readonly spareCertificate: Certificate;
  /** Tells the fault proxy what to do, and learns what it has seen. */
  readonly order: (order?: FaultOrder) => Promise<FaultReport>;
  /** Asks all the time while something is done, and long enough after: every answer must be 200. */
  readonly steadily: (work: () => Promise<unknown>) => Promise<void>;
  readonly applyTo: (namespace: string, ...items: readonly object[]) => Promise<string>;
  readonly apply: (...items: readonly object[]) => Promise<string>;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  /** A field of an object, by JSONPath without braces. */
  readonly field: (what: string, jsonpath: string) => Promise<string>;
  readonly remove: (...what: readonly string[]) => Promise<string>;
  /** The status that a host of the Gateway answers with; 000: none. */
  readonly ask: (host: string, options?: AskOptions) => Promise<string>;
  readonly answers: (host: string, status: string, options?: AskOptions) => Promise<true>;
  /** Waits until an object's conditions say what is expected of its latest generation. */
  readonly says: (what: string, conditions: Readonly<Record<string, string>>) => Promise<true>;
  /** A new route is served and reported, and is gone when it is deleted. */
  readonly takesChanges: (name: string) => Promise<void>;
  /** Where the API server does not answer: those that were there last. */
  readonly operators: () => Promise<readonly Operator[]>;
  readonly leader: () => Promise<string>;
  /** The sum of a metric over all operators, of those samples whose labels match. */
  readonly metric: (name: string, labels?: RegExp) => Promise<number>;
  /** What all operators that run have logged. */
  readonly log: () => Promise<string>;
  /** Of the container that runs now. */
  readonly logOf: (pod: string) => Promise<string>;
  /** Waits until a metric, summed over all operators, is as it should be. */
  readonly counts: (name: string, labels: RegExp, isSo: (sum: number) => boolean) => Promise<true>;
  /** Waits until a field of an object is so. */
  readonly becomes: (what: string, jsonpath: string, wanted: RegExp) => Promise<true>;
  /** Has another controller write to objects while something is done. */
  readonly against: (
    options: Omit<RivalOptions, "kubeconfig">,
    work: (rival: () => Promise<RivalReport>) => Promise<unknown>,
  ) => Promise<void>;
  /** Ends all processes of a pod at once, as a kernel short of memory does. */
  readonly killProcesses: (pod: string) => Promise<void>;
  readonly isRunning: (pod: string) => Promise<boolean>;
  /** To all processes of a pod. */
  readonly signalProcesses: (pod: string, signal: NodeJS.Signals) => Promise<void>;
  readonly rollout: (what: string, where?: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type Operator = { readonly pod: string; readonly ip: string };

export type AskOptions = { readonly address?: string; readonly tls?: boolean };

export async function openFaultLab(name: string): Promise<FaultLab> {
  const lab = openLab({ name });
  const folder = await mkdtemp(path.join(tmpdir(), "faults-"));
  await lab.down();
  try {
    return await openIn(lab, folder);
  } catch (error) {
    await lab.down();
    throw error;
  }
}

async function openIn(lab: Lab, folder: string): Promise<FaultLab> {
  await lab.up();
  const { signal } = new AbortController();
  await installGatewright(lab, { folder, report: () => undefined, signal, replicas: 2, version: "test" });
  const proxy = await putProxyBetween(lab);

  const kubectl = (...args: readonly string[]) => lab.kubectl([...args, `--namespace=${namespace}`]);
  const applyTo = (where: string, ...items: readonly object[]) =>
    lab.kubectl(
      ["apply", "--server-side", "--force-conflicts", `--namespace=${where}`, "--filename=-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
  const apply = (...items: readonly object[]) => applyTo(namespace, ...items);
  const field = (what: string, jsonpath: string) => kubectl("get", what, `--output=jsonpath={${jsonpath}}`);
  const read = async (what: string) => JSON.parse(await kubectl("get", what, "--output=json")) as WithStatus;

  await lab.kubectl(["create", "namespace", namespace]);
  const [certificate, spareCertificate] = [steadyHost, "spare.example"].map((host) =>
    makeCertificate({ dnsNames: [host] }),
  );
  assert.ok(certificate && spareCertificate);
  await apply(
    ...backend("echo"),
    meshConfig(),
    secret("steady", certificate),
    secret("spare", spareCertificate),
    gateway("steady", [httpListener, httpsListener(steadyHost, "steady"), httpsListener("spare.example", "spare")]),
    route("steady", { gateway: "steady" }),
    route("spare", { gateway: "steady" }),
  );
  const rollout = async (what: string, where = namespace) => {
    await lab.kubectl(["rollout", "status", what, `--namespace=${where}`, "--timeout=240s"]);
  };
  await rollout("deployment/echo");
  await kubectl("wait", "--for=condition=Programmed", "gateway/steady", "--timeout=240s");
  await rollout("deployment/steady-gatewright");
  const address = await field("gateway/steady", ".status.addresses[0].value");

  const ask = async (host: string, options: AskOptions = {}): Promise<string> => {
    const [scheme, port] = options.tls === true ? ["https", 443] : ["http", 80];
    const { stdout } = await lab.run([
      "curl",
      "--silent",
      "--insecure",
      "--output",
      "/dev/null",
      "--write-out",
      "%{http_code}",
      "--max-time",
      "10",
      "--resolve",
      `${host}:${port}:${options.address ?? address}`,
      `${scheme}://${host}/`,
    ]);
    return stdout;
  };
  const answers = (host: string, status: string, options?: AskOptions) =>
    until(
      `${status} from ${host}`,
      async () => {
        const found = await ask(host, options);
        if (found !== status) throw new Error(`it is ${found}`);
        return true as const;
      },
      patienceMs,
    );
  const says = (what: string, expected: Readonly<Record<string, string>>) =>
    until(
      `${what} says ${JSON.stringify(expected)}`,
      async () => {
        const { metadata, status } = await read(what);
        const all = [...(status?.conditions ?? []), ...(status?.parents ?? []).flatMap((each) => each.conditions)];
        for (const [type, wanted] of Object.entries(expected)) {
          const found = all.find((each) => each.type === type);
          const isSo = found?.status === wanted && found.observedGeneration === metadata.generation;
          if (!isSo) throw new Error(`of generation ${metadata.generation} it says ${JSON.stringify(all)}`);
        }
        return true as const;
      },
      patienceMs,
    );

  const authority = path.join(folder, "steady.crt");
  await writeFile(authority, certificate.certificate);
  const script = path.join(import.meta.dirname, "steady-client.ts");
  const client = await startAskedProgram<object, SteadyResult>(lab, script, { address, host: steadyHost, authority });
  await answers(steadyHost, "200");
  await answers(steadyHost, "200", { tls: true });

  let known: readonly Operator[] = [];
  const operators = async (): Promise<readonly Operator[]> => {
    const text = await lab
      .kubectl([
        "get",
        "pods",
        `--namespace=${systemNamespace}`,
        "--field-selector=status.phase=Running",
        '--output=jsonpath={range .items[*]}{.metadata.name} {.status.podIP}{"\\n"}{end}',
      ])
      // Those that were there last.
      .catch(() => undefined);
    if (text === undefined) return known;
    known = text.split("\n").flatMap((line) => {
      const [pod, ip] = line.split(" ");
      return pod && ip ? [{ pod, ip }] : [];
    });
    return known;
  };

  const logOf = (pod: string) => lab.kubectl(["logs", pod, `--namespace=${systemNamespace}`]);
  const metric = async (metricName: string, labels = /^/): Promise<number> => {
    let sum = 0;
    for (const { ip } of await operators())
      for (const line of (await metricsOf(lab, ip)).split("\n")) {
        const [, found, of = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
        if (found === metricName && labels.test(of)) sum += Number(value);
      }
    return sum;
  };

  return {
    lab,
    address,
    spareCertificate,
    order: (order = {}) => proxy.ask(order),
    apply,
    applyTo,
    kubectl,
    field,
    ask,
    answers,
    says,
    operators,
    rollout,
    remove: (...what) => kubectl("delete", "--ignore-not-found", "--timeout=120s", ...what),
    steadily: async (work) => {
      // What failed before concerns nobody.
      await client.ask({});
      let isDone = false;
      try {
        await work();
        isDone = true;
      } finally {
        const { answered, failures } = await client.ask({});
        if (isDone || failures.length > 0) assert.deepEqual(failures, []);
        if (isDone) assert.ok(answered > 0, "nobody asked");
      }
    },
    takesChanges: async (routeName) => {
      await apply(route(routeName, { gateway: "steady" }));
      await answers(`${routeName}.example`, "200");
      await says(`httproute/${routeName}`, { Accepted: "True", ResolvedRefs: "True" });
      await says("gateway/steady", { Accepted: "True", Programmed: "True" });
      await kubectl("delete", "httproute", routeName);
      await answers(`${routeName}.example`, "404");
    },
    leader: () =>
      until(
        "a leader that runs",
        async () => {
          const holder = await lab.kubectl([
            "get",
            "lease",
            "gatewright",
            `--namespace=${systemNamespace}`,
            "--output=jsonpath={.spec.holderIdentity}",
          ]);
          return (await operators()).find(({ pod }) => holder.startsWith(pod))?.pod;
        },
        patienceMs,
      ),
    metric,
    counts: (metricName, labels, isSo) =>
      until(
        `${metricName} ${labels.source}`,
        async () => {
          const sum = await metric(metricName, labels);
          if (!isSo(sum)) throw new Error(`it is ${sum}`);
          return true as const;
        },
        patienceMs,
      ),
    becomes: (what, jsonpath, wanted) =>
      until(
        `${what} ${jsonpath} ${wanted.source}`,
        async () => {
          const found = await field(what, jsonpath);
          if (!wanted.test(found)) throw new Error(`it is ${found}`);
          return true as const;
        },
        patienceMs,
      ),
    against: async (options, work) => {
      const program = path.join(import.meta.dirname, "rival.ts");
      const rival = await startAskedProgram<object, RivalReport>(lab, program, {
        kubeconfig: lab.kubeconfig,
        ...options,
      });
      try {
        await work(() => rival.ask({}));
      } finally {
        await rival.close();
      }
    },
    logOf,
    log: async () => {
      const logs = (await operators()).map(({ pod }) => logOf(pod));
      return (await Promise.all(logs)).join("");
    },
    killProcesses: (pod) => signalProcesses(pod, "SIGKILL"),
    signalProcesses,
    isRunning: async (pod) => (await processesOf(pod)).length > 0,
    close: async () => {
      await client.close();
      await proxy.close();
      await lab.down();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The machine may have much else to do. */
const patienceMs = 120_000;

/** From now on operators reach the API server through the proxy. Its name is one that the server's certificate has. */
async function putProxyBetween(lab: Lab): Promise<AskedProgram<FaultOrder, FaultReport>> {
  const pki = pkiFiles(path.join(lab.folder, "pki"));
  const script = path.join(import.meta.dirname, "fault-proxy.ts");
  const options = { port: proxyPort, certificate: pki.server, key: pki.serverKey, authority: pki.authority };
  const proxy = await startAskedProgram<FaultOrder, FaultReport>(lab, script, options, true);
  await lab.kubectl([
    "set",
    "env",
    "deployment/gatewright",
    `--namespace=${systemNamespace}`,
    `KUBERNETES_SERVICE_HOST=${addresses.node}`,
    `KUBERNETES_SERVICE_PORT=${proxyPort}`,
  ]);
  const status = ["rollout", "status", "deployment/gatewright", `--namespace=${systemNamespace}`, "--timeout=240s"];
  await lab.kubectl(status);
  await lab.kubectl(["wait", "--for=condition=Accepted", `gatewayclass/${gatewayClass}`, "--timeout=120s"]);
  return proxy;
}

async function metricsOf(lab: Lab, ip: string): Promise<string> {
  const { stdout } = await lab.run(["curl", "--silent", "--max-time", "10", `http://${ip}:9090/metrics`]);
  return stdout;
}

async function signalProcesses(pod: string, signal: NodeJS.Signals): Promise<void> {
  const pids = await processesOf(pod);
  assert.ok(pids.length > 0, `no process of ${pod}`);
  for (const pid of pids) process.kill(pid, signal);
}

/** Every container knows the name of its pod. */
async function processesOf(pod: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environment = await readFile(`/proc/${name}/environ`, "utf8").catch(() => "");
    if (environment.split("\0").includes(`HOSTNAME=${pod}`)) found.push(Number(name));
  }
  return found;
}
