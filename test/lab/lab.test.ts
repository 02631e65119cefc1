// The lab itself. It needs root, and programs whose first build takes a quarter of an hour: so it runs where GATEWRIGHT_LAB=1 says so.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { makeCertificate } from "../support/certificates.ts";
import { componentNames } from "./components.ts";
import { gatewayApiCrds, gatewayApiFolder } from "./gateway-api.ts";
import { type Lab, openLab } from "./lab.ts";
import { networkExists } from "./network.ts";
import { mustRun } from "./run-command.ts";
import { podOf, shellImage } from "./testing/pod.ts";
import { until } from "./testing/until.ts";

if (process.env["GATEWRIGHT_LAB"] === "1")
  describe("the lab", function () {
    this.timeout(120_000);
    describeLab();
  });

function describeLab(): void {
  let lab: Lab;
  let folder: string;

  before(async function () {
    this.timeout(30 * 60_000);
    lab = openLab({ name: "test", report: (line) => console.error(`      ${line}`) });
    folder = await mkdtemp(path.join(tmpdir(), "lab-test-"));
    await lab.down();
    await lab.up({ clusterTrustBundle: false });
    await lab.addImage(shellImage);
  });
  after(async () => {
    await lab.down();
    await rm(folder, { recursive: true });
  });

  const apply = (manifest: string) => lab.kubectl(["apply", "--filename=-"], manifest);
  const field = (kind: string, name: string, jsonpath: string) =>
    lab.kubectl(["get", kind, name, `--output=jsonpath={${jsonpath}}`]);
  const isReady = (name: string) => lab.kubectl(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s"]);
  const logs = (name: string, ...more: readonly string[]) => lab.kubectl(["logs", name, ...more]);
  const remove = (...args: readonly string[]) => lab.kubectl(["delete", ...args]);

  it("runs all components, and kubectl", async () => {
    const status = await lab.status();
    assert.equal(status.kind, "up");
    for (const component of componentNames)
      assert.ok(status.kind === "up" && status.components[component] !== undefined, component);
    assert.equal(await field("node", "node", ".status.nodeInfo.containerRuntimeVersion"), "process://1");
    assert.match(await lab.kubectl(["version"]), /Server Version: v1\.37\.2/);
  });

  describe("with the conformance suite's own backends", () => {
    const infra = "gateway-conformance-infra";
    let base: string;
    before(async () => {
      const files = await gatewayApiCrds("experimental");
      await lab.kubectl(["apply", "--server-side", ...files.map((file) => `--filename=${file}`)]);
      await lab.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
      const suite = await gatewayApiFolder("sigs.k8s.io/gateway-api/conformance");
      base = path.join(suite, "base", "manifests.yaml");
      await lab.kubectl(["apply", `--filename=${base}`]);
      const { certificate, privateKey } = makeCertificate({ dnsNames: ["abc.example.com"] });
      const files_ = ["tls.crt", "tls.key"].map((name) => path.join(folder, name));
      for (const [i, content] of [certificate, privateKey].entries()) await writeFile(files_[i] ?? "", content);
      const secrets = [
        [infra, "tls-checks-certificate"],
        [infra, "tls-passthrough-checks-certificate"],
        ["gateway-conformance-app-backend", "tls-passthrough-checks-certificate"],
      ] as const;
      const [cert, key] = files_;
      for (const [namespace, name] of secrets)
        await lab.kubectl([
          "create",
          "secret",
          "tls",
          name,
          `--namespace=${namespace}`,
          `--cert=${cert}`,
          `--key=${key}`,
        ]);
      await lab.kubectl(["wait", "--for=condition=Ready", "pod", "--all-namespaces", "--all", "--timeout=120s"]);
    });
    after(() => lab.kubectl(["delete", `--filename=${base}`]));

    it("has all 23 pods ready", async () => {
      const status = await lab.status();
      assert.deepEqual(status.kind === "up" ? status.pods : undefined, { all: 23, ready: 23 });
    });

    it("reaches them by their Service", async () => {
      const address = await lab.kubectl([
        "get",
        "service",
        "infra-backend-v1",
        `--namespace=${infra}`,
        "--output=jsonpath={.spec.clusterIP}",
      ]);
      const { stdout } = await lab.run(["curl", "--silent", "--max-time", "10", `http://${address}:8080/hello`]);
      const answer = JSON.parse(stdout) as { path: string; namespace: string; pod: string };
      assert.equal(answer.path, "/hello");
      assert.equal(answer.namespace, infra);
      assert.match(answer.pod, /^infra-backend-v1-/);
    });

    it("keeps them running while the API server is started anew", async () => {
      const ids = () =>
        lab.kubectl([
          "get",
          "pods",
          "--all-namespaces",
          "--output=jsonpath={range .items[*]}{.status.containerStatuses[0].containerID} {end}",
        ]);
      const before_ = await ids();
      await lab.stop("kube-apiserver", "SIGKILL");
      await lab.start("kube-apiserver");
      assert.equal(await ids(), before_);
      await lab.kubectl(["create", "namespace", "after-restart"]);
      await remove("namespace", "after-restart");
    });

    it("starts all of them anew when the node is lost", async () => {
      const started = async () => {
        const at = "{range .items[*]}{.status.containerStatuses[0].state.running.startedAt} {end}";
        const text = await lab.kubectl(["get", "pods", "--all-namespaces", `--output=jsonpath=${at}`]);
        return text.trim().split(" ").toSorted();
      };
      const last = (await started()).at(-1) ?? "";
      await lab.stop("node", "SIGKILL");
      await lab.start("node");
      await until("all pods run again", async () => {
        const [first = "", ...others] = await started();
        return others.length === 22 && first > last ? true : undefined;
      });
      await until("all pods are ready again", async () => {
        const status = await lab.status();
        return status.kind === "up" && status.pods?.ready === 23 ? true : undefined;
      });
    });
  });

  it("gives a LoadBalancer an address that leads to its pods", async () => {
    await apply(podOf({ name: "web", image: "gateway-api/conformance/echo-basic:v0", container: portOf(3000) }));
    await lab.kubectl(["expose", "pod", "web", "--type=LoadBalancer", "--port=80", "--target-port=3000"]);
    await isReady("web");
    const address = await until("an address", async () => {
      return (await field("service", "web", ".status.loadBalancer.ingress[0].ip")) || undefined;
    });
    await until("an answer", async () => {
      const { code } = await lab.run(["curl", "--silent", "--fail", "--max-time", "5", `http://${address}/`]);
      return code === 0 ? true : undefined;
    });
    await remove("service/web");

    // Who asks for an address before anybody has it gets an answer, by the same connection, once somebody has.
    const early = lab.run(["curl", "--silent", "--fail", "--max-time", "60", "http://198.19.200.7/"]);
    await until("a packet that was refused", async () => {
      const { stdout } = await lab.run(["nft", "list", "chain", "inet", "gatewright-lab", "output"]);
      return /packets [1-9]/.test(stdout) ? true : undefined;
    });
    const fixed = { type: "LoadBalancer", loadBalancerIP: "198.19.200.7", selector: { app: "web" } };
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "late" } };
    await apply(JSON.stringify({ ...service, spec: { ...fixed, ports: [{ port: 80, targetPort: 3000 }] } }));
    assert.equal((await early).code, 0);
    await remove("service/late", "pod/web");
  });

  it("answers exec and logs as a kubelet does", async () => {
    await apply(podOf({ name: "shell", script: "echo one; echo two >&2; sleep infinity & trap 'exit 0' TERM; wait" }));
    await isReady("shell");
    await until("both lines", async () => ((await logs("shell")) === "one\ntwo\n" ? true : undefined));
    assert.equal(await logs("shell", "--tail=1"), "two\n");
    const exec = await lab.kubectlCommand(["exec", "-i", "shell", "--", "bash", "-c", "read x; echo got $x; exit 7"]);
    const result = await mustFail(exec, "hello\n");
    assert.equal(result.code, 7);
    assert.equal(result.stdout, "got hello\n");
    await remove("pod/shell");
  });

  it("resolves Services by name within pods", async () => {
    await apply(
      podOf({ name: "asker", script: "getent hosts kubernetes.default; getent hosts nobody.default || echo none" }),
    );
    await until("answers", async () => ((await logs("asker")).includes("none") ? true : undefined));
    const [known, unknown] = (await logs("asker")).trim().split("\n");
    assert.match(known ?? "", /^198\.19\.0\.1 +kubernetes\.default\.svc\.cluster\.local/);
    assert.equal(unknown, "none");
    await remove("pod/asker");
  });

  it("runs an image from a folder with its root file system, as its configuration and the pod say", async () => {
    const root = await makeShellRoot(path.join(folder, "rootfs"));
    const config = path.join(folder, "config.json");
    await writeFile(
      config,
      JSON.stringify({ config: { Entrypoint: ["/bin/sh"], Cmd: ["/run.sh"], User: "1000:1001", Env: ["FROM=image"] } }),
    );
    await lab.addImage({ match: "lab.test/own", root, config });
    await apply(
      podOf({
        name: "own",
        image: "lab.test/own:v1",
        container: {
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            runAsNonRoot: true,
            capabilities: { drop: ["ALL"] },
          },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
        spec: { volumes: [{ name: "data", emptyDir: {} }], restartPolicy: "Never" },
      }),
    );
    await lab.kubectl(["wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/own", "--timeout=60s"]);
    const lines = (await logs("own")).trim().split("\n");
    assert.deepEqual(lines, [
      "FROM=image",
      "Uid: 1000 1000 1000 1000",
      "Gid: 1001 1001 1001 1001",
      "CapBnd: 0000000000000000",
      "NoNewPrivs: 1",
      "root is read-only",
      "volume is writable",
      "usr is its own",
    ]);
    await remove("pod/own");
    // The layer over it was the container's own.
    assert.deepEqual((await readdir(root)).toSorted(), ["bin", "data", "lib", "lib64", "run.sh"].filter(exists(root)));
  });

  it("says what it has no files for", async () => {
    await apply(podOf({ name: "unknown", image: "example.com/unknown:v1" }));
    const waiting = ".status.containerStatuses[0].state.waiting";
    await until("ErrImagePull", async () =>
      (await field("pod", "unknown", `${waiting}.reason`)) === "ErrImagePull" ? true : undefined,
    );
    assert.match(await field("pod", "unknown", `${waiting}.message`), /matches image "example\.com\/unknown:v1"/);
    await remove("pod/unknown");
  });

  it("starts a container again that has ended or is not alive, and lets one end gently", async () => {
    const file = path.join(folder, "told");
    const script = `trap 'echo term >> ${file}; exit 0' TERM; touch /tmp/alive; echo started >> ${file}; sleep infinity & wait`;
    await apply(
      podOf({
        name: "gentle",
        script,
        container: {
          volumeMounts: [{ name: "told", mountPath: folder }],
          livenessProbe: { exec: { command: ["test", "-e", "/tmp/alive"] }, periodSeconds: 1, failureThreshold: 2 },
          lifecycle: { preStop: { exec: { command: ["/bin/bash", "-c", `echo preStop >> ${file}`] } } },
        },
        spec: { volumes: [{ name: "told", hostPath: { path: folder } }] },
      }),
    );
    await isReady("gentle");
    await lab.kubectl(["exec", "gentle", "--", "rm", "/tmp/alive"]);
    await until("a restart", async () =>
      (await field("pod", "gentle", ".status.containerStatuses[0].restartCount")) === "1" ? true : undefined,
    );
    await isReady("gentle");
    await remove("pod/gentle");
    const told = (await readFile(file, "utf8")).trim().split("\n");
    assert.deepEqual(told, ["started", "preStop", "term", "started", "preStop", "term"]);
  });

  it("ends sidecars after all others, and a Job when only they are left", async () => {
    const file = path.join(folder, "order");
    const volumeMounts = [{ name: "told", mountPath: folder }];
    const sidecar = {
      name: "side",
      image: shellImage.match,
      args: [`trap 'echo side >> ${file}; exit 0' TERM; sleep infinity & wait`],
      restartPolicy: "Always",
      volumeMounts,
    };
    const spec = {
      initContainers: [sidecar],
      volumes: [{ name: "told", hostPath: { path: folder } }],
      restartPolicy: "Never",
    };
    await apply(podOf({ name: "job", script: `echo main >> ${file}`, container: { volumeMounts }, spec }));
    await lab.kubectl(["wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/job", "--timeout=60s"]);
    assert.equal(await readFile(file, "utf8"), "main\nside\n");
    await remove("pod/job");
  });

  it("has ClusterTrustBundles or not, as it is told while it runs", async () => {
    const served = async () =>
      (await lab.kubectl(["api-resources", "--api-group=certificates.k8s.io"])).includes("clustertrustbundles");
    assert.equal(await served(), false);
    await lab.up({ clusterTrustBundle: true });
    assert.equal(await served(), true);
    const bundle = { apiVersion: "certificates.k8s.io/v1", kind: "ClusterTrustBundle", metadata: { name: "roots" } };
    const { certificate } = makeCertificate({ dnsNames: ["roots"], authority: true });
    await apply(JSON.stringify({ ...bundle, spec: { trustBundle: certificate } }));
    const projected = { sources: [{ clusterTrustBundle: { name: "roots", path: "roots.pem" } }] };
    await apply(
      podOf({
        name: "trusting",
        script: "cat /trust/roots.pem; sleep infinity",
        container: { volumeMounts: [{ name: "trust", mountPath: "/trust" }] },
        spec: { volumes: [{ name: "trust", projected }], terminationGracePeriodSeconds: 0 },
      }),
    );
    await until("the bundle in the pod", async () => ((await logs("trusting")) === certificate ? true : undefined));
    await remove("pod/trusting");
    // Asked for nothing, it stays as it is.
    await lab.up();
    assert.equal(await served(), true);
    await lab.up({ clusterTrustBundle: false });
    assert.equal(await served(), false);
  });

  it("runs beside another lab", async () => {
    const other = openLab({ name: "test-two" });
    try {
      await other.up();
      await other.kubectl(["create", "namespace", "only-here"]);
      assert.ok(!(await lab.kubectl(["get", "namespaces"])).includes("only-here"));
    } finally {
      await other.down();
    }
    assert.deepEqual(await other.status(), { kind: "down" });
    assert.equal((await lab.status()).kind, "up");
  });

  // Last: suites within come after the tests beside them.
  describe("at its end", () => {
    it("leaves nothing behind", async () => {
      await apply(podOf({ name: "left", script: "sleep infinity" }));
      await isReady("left");
      const status = await lab.status();
      assert.ok(status.kind === "up");
      const namespace = await readlink(`/proc/${status.components["kube-apiserver"]}/ns/pid`);
      assert.ok((await namespaces("pid")).includes(namespace));
      await lab.down();
      assert.ok(!(await namespaces("pid")).includes(namespace));
      assert.equal(await networkExists("gatewright-test"), false);
      assert.equal(existsSync(lab.folder), false);
      assert.ok(!(await readFile("/proc/mounts", "utf8")).includes(lab.folder));
      await assert.rejects(lab.kubectl(["get", "nodes"]), /the lab "test" is not up: npm run lab -- up/);
    });
  });

  async function mustFail(command: readonly string[], input: string) {
    const [nsenter, ...args] = command;
    const result = await lab.run([nsenter ?? "", ...args], { input });
    assert.notEqual(result.code, 0);
    return result;
  }
}

const portOf = (port: number) => ({ ports: [{ containerPort: port }], readinessProbe: { tcpSocket: { port } } });

const exists = (root: string) => (name: string) => existsSync(path.join(root, name));

/** The namespaces of a kind in which there are processes. */
async function namespaces(kind: string): Promise<readonly string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  return await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => "")));
}

/** A root file system with a shell, the libraries that it needs, and a script that tells what it may do. */
async function makeShellRoot(root: string): Promise<string> {
  const script = [
    "echo FROM=$FROM",
    "while read -r name rest; do case $name in Uid:|Gid:|NoNewPrivs:|CapBnd:) echo $name $rest;; esac; done < /proc/self/status",
    "echo x 2>/dev/null > /run.sh || echo root is read-only",
    "echo x > /data/x && echo volume is writable",
    "test -e /usr/bin/env || echo usr is its own",
  ];
  for (const name of ["bin", "data"]) await mkdir(path.join(root, name), { recursive: true });
  await writeFile(path.join(root, "run.sh"), `{ ${script.join("; ")}; } 2>/dev/null\n`);
  await copyFile("/bin/sh", path.join(root, "bin", "sh"));
  for (const [, library] of (await mustRun(["ldd", "/bin/sh"])).matchAll(/(\/\S+) \(/g)) {
    if (library === undefined) continue;
    await mkdir(path.join(root, path.dirname(library)), { recursive: true });
    await copyFile(library, path.join(root, library));
  }
  return root;
}
