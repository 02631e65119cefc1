// The operator's eyes on a real API server. It needs a lab: see test/lab/lab.test.ts.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { kinds } from "@gatewright/crd-types";
import { isStoredKind, type StoredKind, storedKinds } from "../../operator/src/store/index.ts";
import { gatewayApiCrds } from "../lab/gateway-api.ts";
import { addresses, type Lab, openLab } from "../lab/index.ts";
import { until } from "../lab/testing/until.ts";
import type { Told } from "../support/cluster-observer.ts";

if (process.env["GATEWRIGHT_LAB"] === "1")
  describe("reading a cluster", function () {
    this.timeout(120_000);
    describeReading();
  });

/** An observer, and what it has told. */
type Observer = {
  readonly told: Told[];
  readonly objects: Map<string, string>;
  readonly process: ChildProcess;
  readonly end: () => Promise<void>;
};

function describeReading(): void {
  let lab: Lab;
  let folder: string;
  const observers: Observer[] = [];

  before(async function () {
    this.timeout(30 * 60_000);
    lab = openLab({ name: "reader" });
    folder = await mkdtemp(path.join(tmpdir(), "cluster-source-"));
    await lab.down();
    await lab.up();
  });
  afterEach(async () => {
    for (const observer of observers.splice(0)) await observer.end();
  });
  after(async () => {
    await lab.down();
    await rm(folder, { recursive: true });
  });

  const apply = (...objects: readonly object[]) =>
    lab.kubectl(
      ["apply", "--server-side", "--filename=-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }),
    );

  function observe(env: NodeJS.ProcessEnv = lab.environment): Observer {
    const script = path.resolve(import.meta.dirname, "../support/cluster-observer.ts");
    const [program = "", ...args] = lab.inside([process.execPath, "--conditions=source", script]);
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    const told: Told[] = [];
    const objects = new Map<string, string>();
    createInterface(child.stdout).on("line", (line) => {
      const one = JSON.parse(line) as Told;
      told.push(one);
      if (one.tell !== "object") return;
      const name = `${one.kind} ${one.key}`;
      if (one.version === undefined) objects.delete(name);
      else objects.set(name, one.version);
    });
    const observer: Observer = {
      told,
      objects,
      process: child,
      end: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill("SIGKILL");
        await once(child, "exit");
      },
    };
    observers.push(observer);
    return observer;
  }

  /** Its port may still be held for a moment by what was killed. */
  const startApiServer = () => until("the API server", () => lab.start("kube-apiserver").then(() => true));

  const last = <K extends Told["tell"]>({ told }: Observer, kind: K) =>
    told.findLast((one): one is Extract<Told, { tell: K }> => one.tell === kind);
  const isSynced = (observer: Observer) => until("synced", () => Promise.resolve(last(observer, "synced")));
  const logs = ({ told }: Observer) => told.flatMap((one) => (one.tell === "log" ? [one.line] : []));

  /** All objects of the stored kinds, by kubectl, with their resourceVersion. */
  async function truth(): Promise<ReadonlyMap<string, string>> {
    const served = new Set((await lab.kubectl(["api-resources", "--output=name"])).trim().split("\n"));
    const names = Object.keys(storedKinds)
      .filter(isStoredKind)
      .map((kind) => ({ kind, name: [kinds[kind].plural, kinds[kind].group].filter((part) => part !== "").join(".") }))
      .filter(({ name }) => served.has(name));
    const format =
      "{range .items[*]}{.kind} {.metadata.namespace}/{.metadata.name} {.metadata.resourceVersion}{'\\n'}{end}";
    const text = await lab.kubectl([
      "get",
      names.map(({ name }) => name).join(","),
      "--all-namespaces",
      `--output=jsonpath=${format}`,
    ]);
    return new Map(
      text
        .trim()
        .split("\n")
        .map((line) => line.split(" "))
        .map(([kind = "", key = "", version = ""]) => [`${kind} ${key.replace(/^\//, "")}`, version]),
    );
  }

  const agrees = (observer: Observer) =>
    until("the observer knows what kubectl knows", async () => {
      const there = await truth();
      const { objects } = observer;
      const differing = [...there].filter(([name, version]) => objects.get(name) !== version);
      if (differing.length > 0 || objects.size !== there.size)
        throw new Error(`${objects.size} of ${there.size}; ${JSON.stringify(differing.slice(0, 3))}`);
      return true;
    });

  const routeOf = (name: string, hostname = "a.example") => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name, namespace: "default" },
    spec: { hostnames: [hostname], rules: [{ backendRefs: [{ name: "s", port: 80 }] }] },
  });

  it("begins without the kinds of the Gateway API, and has them soon after they come", async () => {
    const observer = observe();
    await isSynced(observer);
    assert.match(last(observer, "reachable")?.version ?? "", /^v1\.37/);
    const core: readonly StoredKind[] = ["ConfigMap", "EndpointSlice", "Namespace", "Secret", "Service"];
    assert.deepEqual(Object.keys(last(observer, "served")?.kinds ?? {}).toSorted(), core);
    await agrees(observer);
    const crds = await gatewayApiCrds("experimental");
    await lab.kubectl(["apply", "--server-side", ...crds.map((file) => `--filename=${file}`)]);
    const own = path.resolve(import.meta.dirname, "../../crd-types/src/generated/crds/gatewright");
    await lab.kubectl(["apply", "--server-side", `--filename=${own}`]);
    const startedMs = performance.now();
    await until("all kinds", () =>
      Promise.resolve(
        Object.keys(last(observer, "served")?.kinds ?? {}).length === Object.keys(storedKinds).length || undefined,
      ),
    );
    // Of itself it would look every 30 seconds.
    assert.ok(performance.now() - startedMs < 15_000);
    await apply(routeOf("first"));
    await agrees(observer);
    assert.ok(observer.objects.has("HTTPRoute default/first"));
  });

  it("knows what kubectl knows, with many objects and edits", async () => {
    await apply(...Array.from({ length: 700 }, (_, i) => routeOf(`route-${i}`)));
    const observer = observe();
    await isSynced(observer);
    await agrees(observer);
    await apply(...Array.from({ length: 50 }, (_, i) => routeOf(`route-${i}`, "b.example")));
    await lab.kubectl(["delete", "httproute", ...Array.from({ length: 20 }, (_, i) => `route-${i * 3}`)]);
    await agrees(observer);
    assert.deepEqual(logs(observer), []);
  });

  it("finds what it missed while it slept and the API server forgot", async () => {
    const observer = observe();
    await isSynced(observer);
    await agrees(observer);
    const node = pidInside(observer);
    process.kill(node, "SIGSTOP");
    await lab.kubectl(["delete", "httproute", "route-101", "route-102"]);
    await apply(routeOf("route-103", "c.example"), routeOf("new"));
    await lab.stop("kube-apiserver", "SIGKILL");
    await startApiServer();
    await apply(routeOf("newer"));
    process.kill(node, "SIGCONT");
    await agrees(observer);
    // The new API server's memory begins after what was missed: this was no watch that went on.
    process.kill(node, "SIGUSR2");
    const { lists } = await until("lists", () => Promise.resolve(last(observer, "lists")));
    assert.equal(lists["HTTPRoute"], 2);
  });

  it("goes on after the API server was away, and says so once", async () => {
    const observer = observe();
    await isSynced(observer);
    await lab.stop("kube-apiserver", "SIGKILL");
    await until("said", () =>
      Promise.resolve(logs(observer).some((line) => line.includes("cannot be reached")) || undefined),
    );
    await startApiServer();
    await apply(routeOf("after"));
    await lab.kubectl(["delete", "httproute", "route-110"]);
    await agrees(observer);
    assert.equal(logs(observer).filter((line) => line.includes("cannot be reached")).length, 1);
    assert.equal(logs(observer).filter((line) => line.includes("answers again")).length, 1);
    assert.equal(Object.keys(last(observer, "served")?.kinds ?? {}).length, Object.keys(storedKinds).length);
  });

  it("runs in a pod's stead, without what it may not read, and gains and loses rights while it runs", async () => {
    const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "reader", namespace: "default" } };
    const rights = (...rules: readonly object[]) => ({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "reader" },
      rules: rules.map((rule) => ({ ...rule, verbs: ["get", "list", "watch"] })),
    });
    const common = [
      { apiGroups: [""], resources: ["configmaps", "namespaces", "services"] },
      { apiGroups: ["discovery.k8s.io", "gateway.networking.k8s.io", "config.aether.io"], resources: ["*"] },
    ];
    const secrets = { apiGroups: [""], resources: ["secrets"] };
    const binding = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
    };
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "cert", namespace: "default" },
      stringData: { a: "b" },
    };
    await apply(account, rights(...common), binding, secret);
    const at = path.join(folder, "account");
    await mkdir(at);
    await writeFile(path.join(at, "token"), await lab.kubectl(["create", "token", "reader"]));
    const authority = ["get", "configmap", "kube-root-ca.crt", "--output=jsonpath={.data.ca\\.crt}"];
    await until("the cluster's authority", async () => (await lab.kubectl(authority)) || undefined);
    await writeFile(path.join(at, "ca.crt"), await lab.kubectl(authority));
    await writeFile(path.join(at, "namespace"), "default");
    const observer = observe({
      PATH: process.env["PATH"],
      KUBERNETES_SERVICE_HOST: addresses.apiServerService,
      KUBERNETES_SERVICE_PORT: "443",
      SERVICE_ACCOUNT_FOLDER: at,
    });
    await until("rights for Secrets are missed", () =>
      Promise.resolve(
        logs(observer).some((line) => /Secret cannot be read: 403 Forbidden: secrets is forbidden/.test(line)) ||
          undefined,
      ),
    );
    assert.equal(last(observer, "reachable")?.namespace, "default");
    assert.equal(last(observer, "synced"), undefined);
    await apply(rights(...common, secrets));
    await isSynced(observer);
    await agrees(observer);
    assert.ok(observer.objects.has("Secret default/cert"));
    await apply(rights(secrets));
    await lab.stop("kube-apiserver", "SIGKILL");
    await startApiServer();
    await until("rights are missed", () =>
      Promise.resolve(logs(observer).some((line) => line.includes("HTTPRoute cannot be read: 403")) || undefined),
    );
    const { size } = observer.objects;
    await apply({ ...secret, metadata: { name: "other", namespace: "default" } });
    await until("others go on", () => Promise.resolve(observer.objects.has("Secret default/other") || undefined));
    assert.equal(observer.objects.size, size + 1);
    await apply(rights(...common, secrets));
    await agrees(observer);
  });

  it("says what is wrong with its credentials", async () => {
    const config = JSON.parse(await lab.kubectl(["config", "view", "--raw", "--output=json"])) as {
      users: { user: object }[];
    };
    const file = path.join(folder, "wrong");
    await writeFile(
      file,
      JSON.stringify({ ...config, users: config.users.map((one) => ({ ...one, user: { token: "wrong" } })) }),
    );
    const observer = observe({ ...lab.environment, KUBECONFIG: file });
    const problem = await until("a problem", () => Promise.resolve(last(observer, "problem")));
    assert.match(problem.message, /answered 401 Unauthorized/);
  });

  it("lets go of a kind whose definition is removed", async () => {
    const route = {
      ...routeOf("tcp"),
      kind: "TCPRoute",
      spec: { rules: [{ backendRefs: [{ name: "s", port: 80 }] }] },
    };
    await apply(route);
    const observer = observe();
    await isSynced(observer);
    assert.ok(observer.objects.has("TCPRoute default/tcp"));
    await lab.kubectl(["delete", "crd", "tcproutes.gateway.networking.k8s.io"]);
    await until("it is gone", () =>
      Promise.resolve("TCPRoute" in (last(observer, "served")?.kinds ?? {}) ? undefined : true),
    );
    assert.ok(!observer.objects.has("TCPRoute default/tcp"));
    await agrees(observer);
  });

  /** `nsenter` becomes the program that it starts: the number is the same. */
  function pidInside({ process: { pid } }: Observer): number {
    assert.ok(pid !== undefined);
    return pid;
  }
}
