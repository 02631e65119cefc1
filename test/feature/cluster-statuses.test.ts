// What the operator writes into a real API server: statuses, events, and the Lease that says who writes. It needs a lab: see
// test/lab/lab.test.ts.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { gatewayApiCrds } from "../lab/gateway-api.ts";
import { type Lab, openLab } from "../lab/index.ts";
import { until } from "../lab/testing/until.ts";
import type { WriterTold } from "../support/cluster-writer.ts";

if (process.env["GATEWRIGHT_LAB"] === "1")
  describe("writing into a cluster", function () {
    this.timeout(120_000);
    describeWriting();
  });

const ours = "gatewright.dev/gateway-controller";
const theirs = "example.com/other";
const routesPath = "/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes";

type Program = { readonly told: WriterTold[]; readonly process: ChildProcess };
type Condition = { readonly type: string; readonly status: string; readonly observedGeneration?: number };
type Entry = { readonly controllerName: string; readonly conditions: readonly Condition[] };
type Route = {
  readonly metadata: { readonly name: string; readonly generation: number; readonly resourceVersion: string };
  readonly status?: { readonly parents: readonly Entry[] };
};

function describeWriting(): void {
  let lab: Lab;
  const programs: Program[] = [];

  before(async function () {
    this.timeout(30 * 60_000);
    lab = openLab({ name: "test-writer" });
    await lab.down();
    await lab.up();
    const own = path.resolve(import.meta.dirname, "../../crd-types/src/generated/crds/gatewright");
    const files = [...(await gatewayApiCrds("experimental")), own];
    await lab.kubectl(["apply", "--server-side", ...files.map((file) => `--filename=${file}`)]);
    await lab.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    await lab.kubectl(["create", "namespace", "gatewright-system"]);
    await apply(
      object("GatewayClass", "gatewright", { controllerName: ours }),
      object("Gateway", "gw", {
        gatewayClassName: "gatewright",
        listeners: [{ name: "web", port: 80, protocol: "HTTP" }],
      }),
      ...Array.from({ length: 200 }, (_, i) => routeOf(`r${i}`)),
    );
  });
  afterEach(async () => {
    for (const program of programs.splice(0)) await end(program, "SIGKILL");
    await lab.kubectl(["delete", "lease", "gatewright", "--ignore-not-found"]);
  });
  after(() => lab.down());

  const object = (kind: string, name: string, spec: object) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind,
    metadata: { name, ...(kind !== "GatewayClass" && { namespace: "default" }) },
    spec,
  });
  const routeOf = (name: string, hostname = `${name}.example`) =>
    object("HTTPRoute", name, {
      parentRefs: [{ name: "gw" }],
      hostnames: [hostname],
      rules: [{ filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https" } }] }],
    });
  const apply = (...items: readonly object[]) =>
    lab.kubectl(
      ["apply", "--server-side", "--force-conflicts", "--filename=-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );

  function run(name: string, ...args: readonly string[]): Program {
    const script = path.resolve(import.meta.dirname, "../support/cluster-writer.ts");
    const [program = "", ...rest] = lab.inside([process.execPath, "--conditions=source", script, ...args]);
    const env = { ...lab.environment, POD_NAME: name };
    const child = spawn(program, rest, { env, stdio: ["ignore", "pipe", "inherit"] });
    const told: WriterTold[] = [];
    createInterface(child.stdout).on("line", (line) => told.push(JSON.parse(line) as WriterTold));
    const running = { told, process: child };
    programs.push(running);
    return running;
  }
  async function end({ process: child }: Program, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  const list = async (): Promise<readonly Route[]> =>
    (JSON.parse(await lab.kubectl(["get", "--raw", routesPath])) as { items: Route[] }).items;
  const route = async (name: string) =>
    JSON.parse(await lab.kubectl(["get", "--raw", `${routesPath}/${name}`])) as Route;
  const isCurrent = ({ metadata, status }: Route, of = ours) =>
    status?.parents.some(
      ({ controllerName, conditions }) =>
        controllerName === of &&
        conditions.every(({ observedGeneration }) => observedGeneration === metadata.generation),
    ) === true;
  const leads = (program: Program) =>
    until("it leads", () => Promise.resolve(program.told.some(({ tell }) => tell === "leads") || undefined));
  const stands = () =>
    until("all statuses stand", async () => {
      const open = (await list()).filter((one) => !isCurrent(one));
      if (open.length > 0) throw new Error(`${open.length} do not`);
      return true;
    });
  const written = ({ told }: Program) => told.filter(({ tell }) => tell === "written").length;
  const lastStats = ({ told }: Program) => told.findLast((one) => one.tell === "stats");
  const outcomes = (program: Program) =>
    Object.fromEntries(
      [...Map.groupBy(lastStats(program)?.statuses.writes ?? [], ({ outcome }) => outcome)].map(([outcome, counts]) => [
        outcome,
        counts.reduce((sum, { count }) => sum + count, 0),
      ]),
    );
  const logs = ({ told }: Program) => told.flatMap((one) => (one.tell === "log" ? [one.line] : []));

  it("brings all statuses to what they should be, each by one write that the API server takes", async () => {
    const writer = run("a");
    await stands();
    await until("at rest", () => Promise.resolve(lastStats(writer)?.statuses.queued === 0 || undefined));
    assert.deepEqual(Object.keys(outcomes(writer)), ["done"], logs(writer).join("\n"));
    const perObject = Map.groupBy(
      writer.told.flatMap((one) => (one.tell === "written" ? [one.object] : [])),
      (name) => name,
    );
    for (const [name, writes] of perObject) if (name.startsWith("HTTPRoute")) assert.equal(writes.length, 1, name);
    const gateway = await lab.kubectl(["get", "gateway", "gw", "--output=json"]);
    const { status } = JSON.parse(gateway) as { status: { listeners: { attachedRoutes: number }[] } };
    assert.equal(status.listeners[0]?.attachedRoutes, 200);
  });

  it("writes nothing after a restart, and nothing when idle", async () => {
    const versions = async () => (await list()).map(({ metadata }) => metadata.resourceVersion);
    const before_ = await versions();
    const writer = run("a");
    await leads(writer);
    await until("something to count", () => Promise.resolve(lastStats(writer)));
    // A write of another would come after all of a restart: it is seen, and answered.
    await apply(routeOf("r7", "other.example"));
    await stands();
    assert.deepEqual(
      writer.told.flatMap((one) => (one.tell === "written" ? [one.object] : [])),
      ["HTTPRoute default/r7"],
    );
    assert.equal((await versions()).filter((version, i) => version !== before_[i]).length, 1);
  });

  for (const what of ["annotations", "status"] as const)
    it(`gets through a storm of 50 updates a second of the same object's ${what}, again and again`, async () => {
      const writer = run("a");
      await leads(writer);
      const storm = run("storm", "storm", `${routesPath}/r3`, "50", what);
      await until("the storm", async () =>
        JSON.stringify(await route("r3")).includes(what === "status" ? theirs : '"storm"') ? true : undefined,
      );
      for (let edit = 0; edit < 8; edit++) {
        await apply(routeOf("r3", `storm${edit}.${what}.example`));
        await until(
          "the status of the edit, while the storm goes on",
          async () => isCurrent(await route("r3")) || undefined,
        );
      }
      await end(storm, "SIGTERM");
      const weather = storm.told.find((one) => one.tell === "storm");
      assert.ok(weather !== undefined && weather.updates > 50, `no storm: ${JSON.stringify(weather)}`);
      await stands();
      if (what === "status") {
        const others = (await route("r3")).status?.parents.filter(({ controllerName }) => controllerName === theirs);
        assert.equal(others?.length, 1);
      }
      const { done = 0, conflict = 0 } = outcomes(writer);
      assert.ok(done + conflict < weather.updates, `as many writes as the storm: ${JSON.stringify(outcomes(writer))}`);
      assert.deepEqual(
        logs(writer).filter((line) => /WARN|ERROR/.test(line)),
        [],
      );
      if (process.env["GATEWRIGHT_REPORT"] !== undefined)
        process.stderr.write(`      ${JSON.stringify({ ...weather, ...outcomes(writer) })}\n`);
    });

  it("passes writing on: at once when one ends, and in time when one is killed", async () => {
    const first = run("a");
    await leads(first);
    const second = run("b");
    await until("the second waits", () =>
      Promise.resolve(logs(second).some((line) => /a_\S+ leads/.test(line)) || undefined),
    );
    let startedMs = performance.now();
    await end(first, "SIGTERM");
    await leads(second);
    const gentleMs = performance.now() - startedMs;
    assert.ok(gentleMs < 8_000, `${gentleMs} ms`);
    const third = run("c");
    await until("the third waits", () =>
      Promise.resolve(logs(third).some((line) => /b_\S+ leads/.test(line)) || undefined),
    );
    startedMs = performance.now();
    await end(second, "SIGKILL");
    await apply(routeOf("r9", "passed-on.example"));
    await leads(third);
    const hardMs = performance.now() - startedMs;
    assert.ok(hardMs > 10_000 && hardMs < 25_000, `${hardMs} ms`);
    await stands();
    assert.equal(written(third), 1);
    const lease = await lab.kubectl(["get", "lease", "gatewright", "--output=json"]);
    const { spec } = JSON.parse(lease) as { spec: Record<string, unknown> };
    assert.deepEqual([spec["leaseTransitions"], spec["leaseDurationSeconds"]], [2, 15]);
    assert.match(String(spec["holderIdentity"]), /^c_/);
  });

  it("leads no more while the API server hangs, and goes on after it", async () => {
    const writer = run("a");
    await leads(writer);
    await lab.signal("kube-apiserver", "SIGSTOP");
    await until("it leads no more", () =>
      Promise.resolve(writer.told.some((one) => one.tell === "leads" && !one.leads) || undefined),
    );
    await lab.signal("kube-apiserver", "SIGCONT");
    await apply(routeOf("r11", "after-the-pause.example"));
    await stands();
    assert.equal(written(writer), 1);
  });

  it("keeps to what others leave it of a policy's 16 ancestors", async () => {
    const name = "crowded";
    await apply(
      object("BackendTLSPolicy", name, {
        targetRefs: [{ group: "", kind: "Service", name: "kubernetes" }],
        validation: { hostname: "a.example", wellKnownCACertificates: "System" },
      }),
      object("HTTPRoute", "to-service", {
        parentRefs: [{ name: "gw" }],
        rules: [{ backendRefs: [{ name: "kubernetes", port: 443 }] }],
      }),
    );
    const condition = { type: "Accepted", status: "True", reason: "Accepted", message: "", observedGeneration: 1 };
    const ancestors = Array.from({ length: 16 }, (_, i) => ({
      ancestorRef: { name: `g${i}` },
      controllerName: theirs,
      conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }],
    }));
    const patch = (list_: readonly object[]) =>
      lab.kubectl([
        "patch",
        "backendtlspolicy",
        name,
        "--subresource=status",
        "--type=merge",
        `--patch=${JSON.stringify({ status: { ancestors: list_ } })}`,
      ]);
    await patch(ancestors);
    const writer = run("a");
    await leads(writer);
    await stands();
    // Once there is room, ours is there.
    await patch(ancestors.slice(1));
    const entries = await until("our entry", async () => {
      const text = await lab.kubectl(["get", "backendtlspolicy", name, "--output=json"]);
      const { status } = JSON.parse(text) as { status: { ancestors: Entry[] } };
      return status.ancestors.some(({ controllerName }) => controllerName === ours) ? status.ancestors : undefined;
    });
    assert.equal(entries.length, 16);
    assert.equal(outcomes(writer)["refused"], undefined);
    await lab.kubectl(["delete", "backendtlspolicy,httproute", name, "to-service", "--ignore-not-found"]);
  });

  it("tells of a trouble and of its end by events that kubectl shows", async () => {
    const writer = run("a");
    await leads(writer);
    const broken = object("HTTPRoute", "r1", {
      parentRefs: [{ name: "gw" }],
      rules: [{ backendRefs: [{ name: "nobody", port: 80 }] }],
    });
    await apply(broken);
    const events = async () => {
      const text = await lab.kubectl(["get", "events.v1.events.k8s.io", "--output=json"]);
      type Event = { type: string; reason: string; regarding: { name: string }; reportingController: string };
      return (JSON.parse(text) as { items: Event[] }).items
        .filter(({ reportingController }) => reportingController === ours)
        .map(({ type, reason, regarding }) => `${type} ${reason} ${regarding.name}`);
    };
    await until("a warning", async () => (await events()).includes("Warning BackendNotFound r1") || undefined);
    assert.match(await lab.kubectl(["describe", "httproute", "r1"]), /Warning\s+BackendNotFound/);
    await lab.kubectl(["delete", "httproute", "r1"]);
    await apply({ ...broken, spec: routeOf("r1").spec });
    await apply(broken);
    await until("it is bad again", async () => isCurrent(await route("r1")) || undefined);
    await apply({ ...broken, spec: routeOf("r1").spec });
    await until("its end", async () => (await events()).includes("Normal ResolvedRefs r1") || undefined);
    // What the recorder writes for a series is taken.
    const name = await lab.kubectl([
      "get",
      "events.v1.events.k8s.io",
      "--field-selector=regarding.name=r1,type=Warning",
      "--output=jsonpath={.items[0].metadata.name}",
    ]);
    const series = { count: 7, lastObservedTime: "2026-01-01T00:00:00.000000Z" };
    await lab.kubectl([
      "patch",
      "events.v1.events.k8s.io",
      name,
      "--type=merge",
      `--patch=${JSON.stringify({ series })}`,
    ]);
    assert.deepEqual(
      logs(writer).filter((line) => /events cannot/.test(line)),
      [],
    );
  });
}
