// What the node gives to pods of the kind that Gatewright's are: each of it is asked for by the operator's or a proxy's Deployment.
import assert from "node:assert/strict";
import { type Lab, openLab } from "./lab.ts";
import { podOf, shellImage } from "./testing/pod.ts";
import { until } from "./testing/until.ts";

if (process.env["GATEWRIGHT_LAB"] === "1")
  describe("the lab's node", function () {
    this.timeout(120_000);
    describeNode();
  });

const echoImage = "gateway-api/conformance/echo-basic:v0";
const untilEnded = "trap 'exit 0' TERM; sleep infinity & wait";

function describeNode(): void {
  let lab: Lab;
  before(async function () {
    this.timeout(30 * 60_000);
    lab = openLab({ name: "test-pods", report: (line) => console.error(`      ${line}`) });
    await lab.down();
    await lab.up();
    await lab.addImage(shellImage);
  });
  after(() => lab.down());

  const apply = (manifest: unknown) =>
    lab.kubectl(["apply", "--filename=-"], typeof manifest === "string" ? manifest : JSON.stringify(manifest));
  const isReady = (name: string) => lab.kubectl(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s"]);
  const sh = async (name: string, script: string) =>
    (await lab.kubectl(["exec", name, "--", "/bin/bash", "-c", script])).trim();
  const field = (name: string, jsonpath: string) =>
    lab.kubectl(["get", "pod", name, `--output=jsonpath={${jsonpath}}`]);
  const logs = (name: string) => lab.kubectl(["logs", name]);
  const remove = (...args: readonly string[]) => lab.kubectl(["delete", ...args]);
  const map = (kind: "ConfigMap" | "Secret", name: string, content: Record<string, string>) =>
    apply({ apiVersion: "v1", kind, metadata: { name }, [kind === "Secret" ? "stringData" : "data"]: content });

  it("gives a container its environment, from wherever it is", async () => {
    await map("ConfigMap", "settings", { level: "debug" });
    await map("Secret", "keys", { token: "xyz" });
    const env = [
      ...["metadata.name", "metadata.namespace", "status.podIP", "spec.nodeName", "spec.serviceAccountName"].map(
        (fieldPath) => ({ name: fieldPath.split(".")[1], valueFrom: { fieldRef: { fieldPath } } }),
      ),
      { name: "team", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
      { name: "cpus", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
      { name: "mib", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      { name: "key", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
      { name: "both", value: "$(team)/$(key)" },
    ];
    const container = {
      env,
      envFrom: [{ configMapRef: { name: "settings" }, prefix: "from_" }],
      resources: { limits: { cpu: "500m", memory: "64Mi" }, requests: { cpu: "10m", memory: "16Mi" } },
    };
    await apply(podOf({ name: "env", script: untilEnded, container }));
    await isReady("env");
    const said = await sh(
      "env",
      'echo "$name $namespace $nodeName $serviceAccountName $team $cpus $mib $both $from_level"',
    );
    assert.equal(said, "env default node default env 1 64 env/xyz debug");
    assert.equal(await sh("env", 'echo "$podIP"'), await field("env", ".status.podIP"));
    await remove("pod/env");
  });

  it("shows ConfigMaps, Secrets, tokens and itself as files, with changes, to a user who is nobody else", async () => {
    await map("ConfigMap", "files", { "a.yaml": "one" });
    await map("Secret", "secret", { "tls.key": "key" });
    const mounts = ["config", "secret", "all", "part", "work"];
    const projected = {
      defaultMode: 0o440,
      sources: [
        { serviceAccountToken: { path: "token", audience: "gatewright.dev", expirationSeconds: 3600 } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "certs/ca.crt" }] } },
        { secret: { name: "secret" } },
        { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
      ],
    };
    await apply(
      podOf({
        name: "files",
        script: untilEnded,
        container: {
          volumeMounts: mounts.map((name) =>
            name === "part"
              ? { name: "config", mountPath: "/mnt/part.yaml", subPath: "a.yaml", readOnly: true }
              : { name, mountPath: `/mnt/${name}`, readOnly: name !== "work" },
          ),
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          },
        },
        spec: {
          securityContext: { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532, fsGroup: 65532 },
          volumes: [
            { name: "config", configMap: { name: "files" } },
            { name: "secret", secret: { secretName: "secret", defaultMode: 0o440 } },
            { name: "all", projected },
            { name: "work", emptyDir: {} },
          ],
        },
      }),
    );
    await isReady("files");
    assert.equal(await sh("files", "id -u; id -g"), "65532\n65532");
    assert.equal(
      await sh("files", "cat /mnt/config/a.yaml /mnt/part.yaml /mnt/secret/tls.key /mnt/all/tls.key"),
      "oneonekeykey",
    );
    assert.equal(await sh("files", "stat -Lc '%a %g' /mnt/secret/tls.key"), "440 65532");
    assert.equal(await sh("files", "cat /mnt/all/labels"), 'app="files"');
    assert.match(await sh("files", "cat /mnt/all/certs/ca.crt"), /BEGIN CERTIFICATE/);
    const refused =
      "touch /x 2>/dev/null || echo no; touch /mnt/config/x 2>/dev/null || echo no; touch /mnt/work/x && echo yes";
    assert.equal(await sh("files", refused), "no\nno\nyes");
    const claims = (token: string) =>
      JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { aud: string[]; sub: string };
    const token = claims(await sh("files", "cat /mnt/all/token"));
    assert.deepEqual([token.aud, token.sub], [["gatewright.dev"], "system:serviceaccount:default:default"]);
    // The one for the API server works there.
    const ask =
      'd=/var/run/secrets/kubernetes.io/serviceaccount; curl -sS --cacert $d/ca.crt -H "authorization: Bearer $(cat $d/token)" https://$KUBERNETES_SERVICE_HOST/apis/authentication.k8s.io/v1 -o /dev/null -w %{http_code}';
    assert.equal(await sh("files", ask), "200");

    await map("ConfigMap", "files", { "a.yaml": "two", "b.yaml": "new" });
    await map("Secret", "secret", { "tls.key": "renewed" });
    await until("the change", async () => {
      const now = await sh(
        "files",
        "cat /mnt/config/a.yaml /mnt/config/b.yaml /mnt/secret/tls.key /mnt/all/tls.key; true",
      );
      return now === "twonewrenewedrenewed" ? true : undefined;
    });
    // As with a kubelet, a part of a volume stays as it was when the container started.
    assert.equal(await sh("files", "cat /mnt/part.yaml"), "one");
    await remove("pod/files");
  });

  it("says of a pod what it waits for", async () => {
    const volumes = [{ name: "later", configMap: { name: "later" } }];
    const container = { volumeMounts: [{ name: "later", mountPath: "/mnt" }] };
    await apply(podOf({ name: "waits", script: untilEnded, container, spec: { volumes } }));
    await until("the reason", async () =>
      (await field("waits", ".status.containerStatuses[0].state.waiting.message")).includes('"later" not found')
        ? true
        : undefined,
    );
    await map("ConfigMap", "later", { a: "1" });
    await isReady("waits");
    await remove("pod/waits");
  });

  it("asks by HTTP whether a container has started, is ready and is alive, and lets a slow one start", async () => {
    const httpGet = (path: string) => ({ httpGet: { path, port: "web" } });
    await apply(
      podOf({
        name: "asked",
        image: echoImage,
        container: {
          ports: [{ name: "web", containerPort: 3000 }],
          startupProbe: { ...httpGet("/started"), periodSeconds: 1 },
          readinessProbe: { ...httpGet("/ready"), periodSeconds: 1 },
          livenessProbe: { ...httpGet("/alive"), periodSeconds: 1 },
        },
      }),
    );
    await isReady("asked");
    await until("all three", async () => {
      const text = await logs("asked");
      return ["started", "ready", "alive"].every((path) => text.includes(`/${path}`)) ? true : undefined;
    });
    await remove("pod/asked");

    // Not alive for its first three seconds: three failures by the probe's own pace would be ten.
    const script = `sleep 3; touch /tmp/alive; ${untilEnded}`;
    const exec = { exec: { command: ["test", "-e", "/tmp/alive"] } };
    const livenessProbe = { ...exec, periodSeconds: 4, failureThreshold: 2 };
    await apply(
      podOf({ name: "slow", script, container: { livenessProbe, readinessProbe: { ...exec, periodSeconds: 1 } } }),
    );
    await isReady("slow");
    assert.equal(await field("slow", ".status.containerStatuses[0].restartCount"), "0");
    // One that is never ready is never said to be.
    const never = { exec: { command: ["/bin/bash", "-c", "touch /tmp/asked; exit 1"] }, periodSeconds: 1 };
    await apply(podOf({ name: "unready", script: untilEnded, container: { readinessProbe: never } }));
    await until("it is asked", async () => ((await sh("unready", "ls /tmp")) === "asked" ? true : undefined));
    assert.equal(await field("unready", ".status.containerStatuses[0].ready"), "false");
    await remove("pod/slow", "pod/unready");
  });

  it("tells a container that it is about to end, waits as long as it asks for, and no longer", async () => {
    await apply(podOf({ name: "witness", image: echoImage }));
    await isReady("witness");
    const host = await field("witness", ".status.podIP");
    const lifecycle = { preStop: { httpGet: { path: "/about-to-end", port: 3000, host } } };
    await apply(podOf({ name: "told", script: untilEnded, container: { lifecycle } }));
    const sleep = { preStop: { sleep: { seconds: 2 } } };
    const spec = (terminationGracePeriodSeconds: number) => ({ spec: { terminationGracePeriodSeconds } });
    await apply(podOf({ name: "sleeps", script: untilEnded, container: { lifecycle: sleep }, ...spec(10) }));
    await apply(podOf({ name: "deaf", script: "trap '' TERM; while :; do sleep 1; done", ...spec(3) }));
    for (const name of ["told", "sleeps", "deaf"]) await isReady(name);
    const ended = async (name: string) => {
      const startedMs = performance.now();
      await remove(`pod/${name}`);
      return (performance.now() - startedMs) / 1000;
    };
    const [, sleeps, deaf] = await Promise.all(["told", "sleeps", "deaf"].map(ended));
    assert.match(await logs("witness"), /about-to-end/);
    // The lower bounds are what was asked for; the upper ones are far from the next that would be wrong (10 s, 30 s).
    assert.ok(sleeps !== undefined && sleeps >= 2 && sleeps < 9, `slept for ${sleeps} s`);
    assert.ok(deaf !== undefined && deaf >= 3 && deaf < 25, `took ${deaf} s`);
    await remove("pod/witness");
  });
}
