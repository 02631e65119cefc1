// The proxies of Gateways in a cluster, from the image and the charts to the last request. It needs a lab: see test/lab/lab.test.ts.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { installGatewright } from "../conformance/installation.ts";
import { type Lab, openLab } from "../lab/index.ts";
import { until } from "../lab/testing/until.ts";
import type { LoadResult } from "../support/request-load.ts";

if (process.env["GATEWRIGHT_LAB"] === "1")
  describe("proxies in a cluster", function () {
    this.timeout(180_000);
    describeProxies();
  });

const name = "web-gatewright";

const gateway = (more = {}) => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  metadata: { name: "web" },
  spec: { gatewayClassName: "gatewright", listeners: [{ name: "http", port: 80, protocol: "HTTP" }], ...more },
});
const parameters = (parameterName: string) => ({
  infrastructure: { parametersRef: { group: "config.aether.io", kind: "MeshConfig", name: parameterName } },
});
const meshConfig = (proxy: object) => ({
  apiVersion: "config.aether.io/v1",
  kind: "MeshConfig",
  metadata: { name: "proxies" },
  spec: { proxy },
});
const backend = [
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "echo" },
    spec: {
      selector: { matchLabels: { app: "echo" } },
      template: {
        metadata: { labels: { app: "echo" } },
        spec: {
          securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: "echo",
              image: "gateway-api/conformance/echo-basic:v1",
              env: [
                { name: "POD_NAME", value: "echo" },
                { name: "NAMESPACE", value: "shop" },
              ],
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            },
          ],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "echo" },
    spec: { selector: { app: "echo" }, ports: [{ port: 8080, targetPort: 3000 }] },
  },
  {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { name: "web" },
    spec: { parentRefs: [{ name: "web" }], rules: [{ backendRefs: [{ name: "echo", port: 8080 }] }] },
  },
];

function describeProxies(): void {
  let lab: Lab;
  let folder: string;

  before(async function () {
    this.timeout(30 * 60_000);
    lab = openLab({ name: "proxies" });
    folder = await mkdtemp(path.join(tmpdir(), "cluster-proxies-"));
    await lab.down();
    await lab.up();
    const { signal } = new AbortController();
    await installGatewright(lab, { folder, report: () => undefined, signal, replicas: 2, version: "test" });
  });
  after(async () => {
    await lab.down();
    await rm(folder, { recursive: true });
  });

  const apply = (namespace: string, ...items: readonly object[]) =>
    lab.kubectl(
      ["apply", "--server-side", `--namespace=${namespace}`, "--filename=-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
  const show = (namespace: string, what: string, format: string) =>
    lab.kubectl(["get", what, `--namespace=${namespace}`, `--output=jsonpath=${format}`]);
  const waitFor = (namespace: string, what: string, condition: string) =>
    lab.kubectl(["wait", `--for=${condition}`, what, `--namespace=${namespace}`, "--timeout=90s"]);
  const rollout = async (namespace: string, deployment: string) => {
    await lab.kubectl(["rollout", "restart", `deployment/${deployment}`, `--namespace=${namespace}`]);
    await lab.kubectl(["rollout", "status", `deployment/${deployment}`, `--namespace=${namespace}`, "--timeout=120s"]);
  };
  const messageOf = (namespace: string, wanted: RegExp) =>
    until(`a message like ${wanted}`, async () => {
      const message = await show(namespace, "gateway/web", "{.status.conditions[?(@.type=='Programmed')].message}");
      return wanted.test(message) ? message : undefined;
    });

  /** A namespace in which nothing runs that could do harm. */
  const makeNamespace = (namespace: string) =>
    apply("default", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels: { "pod-security.kubernetes.io/enforce": "restricted" } },
    });

  async function serve(namespace: string, proxy: object): Promise<string> {
    await makeNamespace(namespace);
    await apply(namespace, ...backend, meshConfig(proxy), gateway(parameters("proxies")));
    await waitFor(namespace, "gateway/web", "condition=Programmed");
    await waitFor(namespace, "deployment/echo", "condition=Available");
    return await show(namespace, "gateway/web", "{.status.addresses[0].value}");
  }

  /** Asks the address all the time while something is done. */
  async function loadWhile(address: string, work: () => Promise<unknown>): Promise<LoadResult> {
    const script = path.resolve(import.meta.dirname, "../support/request-load.ts");
    const [program = "", ...args] = lab.inside([process.execPath, "--conditions=source", script, address]);
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    const exit = once(child, "exit");
    try {
      await work();
    } finally {
      child.stdin.end();
    }
    const output = await text(child.stdout);
    await exit;
    return JSON.parse(output) as LoadResult;
  }

  /** Of all that was made in a namespace. */
  const versions = (namespace: string) =>
    lab.kubectl([
      "get",
      "deployments,services,secrets,configmaps,serviceaccounts,poddisruptionbudgets",
      `--namespace=${namespace}`,
      "--selector=app.kubernetes.io/managed-by=gatewright",
      "--output=jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.resourceVersion}{'\\n'}{end}",
    ]);

  it("fail no request when they are replaced, all of them or one", async () => {
    const address = await serve("rolling", { replicas: 2, drainSeconds: 5 });
    const pods = () =>
      show("rolling", "pods", "{.items[?(@.metadata.labels.app\\.kubernetes\\.io/component=='proxy')].metadata.name}");
    const { answered, failures } = await loadWhile(address, async () => {
      await rollout("rolling", name);
      await until("the old ones are gone", async () => ((await pods()).split(" ").length === 2 ? true : undefined));
      const [first = ""] = (await pods()).split(" ");
      // Waits until it is gone.
      await lab.kubectl(["delete", "pod", first, "--namespace=rolling"]);
    });
    assert.deepEqual(failures, []);
    assert.ok(answered > 100, `${answered} answers`);
  });

  it("are left alone by an operator that starts anew and finds nothing to do", async () => {
    const address = await serve("quiet", { replicas: 2 });
    const before = await until("peace", async () => {
      const first = await versions("quiet");
      await lab.kubectl(["rollout", "status", `deployment/${name}`, "--namespace=quiet", "--timeout=60s"]);
      return first === (await versions("quiet")) ? first : undefined;
    });
    assert.equal(before.trim().split("\n").length, 6, before);
    const { answered, failures } = await loadWhile(address, () => rollout("gatewright-system", "gatewright"));
    // A write of the new leader to another object: by then it has looked at all of them.
    await apply("quiet", { ...gateway(parameters("proxies")), metadata: { name: "later" } });
    await waitFor("quiet", "gateway/later", "condition=Programmed");
    const later = (await versions("quiet")).split("\n").filter((line) => !line.includes("later-"));
    assert.equal(later.join("\n"), before);
    assert.deepEqual(failures, []);
    assert.ok(answered > 100, `${answered} answers`);
  });

  it("are set right when somebody changes or deletes what they need", async () => {
    await serve("mended", { replicas: 2 });
    await lab.kubectl(["scale", `deployment/${name}`, "--replicas=5", "--namespace=mended"]);
    await until("two are wanted again", async () =>
      (await show("mended", `deployment/${name}`, "{.spec.replicas}")) === "2" ? true : undefined,
    );
    const uid = await show("mended", `service/${name}`, "{.metadata.uid}");
    await lab.kubectl(["delete", "service", name, "--namespace=mended"]);
    await until("there is another Service", async () =>
      (await show("mended", `service/${name}`, "{.metadata.uid}")) === uid ? undefined : true,
    );
  });

  it("keep address and pods while their Gateway has a mistake, and go when it goes", async () => {
    const address = await serve("mistaken", {});
    await apply("mistaken", gateway(parameters("missing")));
    await messageOf("mistaken", /MeshConfig mistaken\/missing does not exist/);
    await apply("mistaken", gateway(parameters("proxies")));
    await waitFor("mistaken", "gateway/web", "condition=Programmed");
    assert.equal(await show("mistaken", "gateway/web", "{.status.addresses[0].value}"), address);
    await lab.kubectl(["delete", "gateway", "web", "--namespace=mistaken"]);
    await until("nothing is left", async () => ((await versions("mistaken")) === "" ? true : undefined));
  });

  it("say in the Gateway's status what is in their way", async () => {
    for (const namespace of ["limited", "taken", "imageless"]) await makeNamespace(namespace);
    await apply("limited", {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "none" },
      spec: { hard: { "services.loadbalancers": "0" } },
    });
    await apply("taken", { apiVersion: "v1", kind: "Service", metadata: { name }, spec: { ports: [{ port: 1 }] } });
    await apply("imageless", meshConfig({ image: "example.com/no-such-image" }), gateway(parameters("proxies")));
    for (const namespace of ["limited", "taken"]) await apply(namespace, gateway());
    await messageOf("limited", /Service limited\/web-gatewright cannot be applied: 403 Forbidden: .*exceeded quota/);
    await messageOf("taken", /Service taken\/web-gatewright exists already, and Gatewright has not made it/);
    await messageOf("imageless", /^0 of 1 proxies are ready: (ErrImagePull|ImagePullBackOff)/);
    assert.equal(await show("taken", `service/${name}`, "{.spec.ports[0].port}"), "1");
  });

  it("are all that the operator may touch", async () => {
    await makeNamespace("guarded");
    await apply("guarded", { apiVersion: "v1", kind: "Secret", metadata: { name: "theirs" }, data: { key: "eA==" } });
    const asOperator = (...args: readonly string[]) =>
      lab.kubectl([...args, "--namespace=guarded", "--as=system:serviceaccount:gatewright-system:gatewright"]);
    const refused = /denied request: Gatewright may only/;
    await assert.rejects(asOperator("delete", "secret", "theirs"), refused);
    const marked = JSON.stringify({ metadata: { labels: { "app.kubernetes.io/managed-by": "gatewright" } } });
    await assert.rejects(asOperator("patch", "secret", "theirs", "--type=merge", `--patch=${marked}`), refused);
    await assert.rejects(asOperator("create", "secret", "generic", "unmarked"), refused);
    await assert.rejects(asOperator("create", "clusterrole", "more", "--verb=get", "--resource=pods"), /cannot create/);
  });
}
