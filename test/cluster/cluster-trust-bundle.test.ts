// ClusterTrustBundles in a real cluster, which has none, gets them and loses them while the operator runs. It needs a lab: see
// test/lab/lab.test.ts.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { installGatewright } from "../conformance/installation.ts";
import { type Lab, mustRun, openLab } from "../lab/index.ts";
import { until } from "../lab/testing/until.ts";
import { type Certificate, makeCertificate } from "../support/certificates.ts";
import {
  backend,
  gateway,
  httpListener,
  httpsListener,
  meshConfig,
  route,
  secret,
  systemNamespace,
} from "./support/manifests.ts";

describe("ClusterTrustBundles of a cluster", function () {
  this.timeout(600_000);
  if (process.env["GATEWRIGHT_LAB"] === "1") describeBundles();
  else it("need a cluster: GATEWRIGHT_LAB=1 starts one");
});

const namespace = "bundles";
const root = path.resolve(import.meta.dirname, "../..");
const signed = "example.com:internal-signer:v1";
const operatorName = `system:serviceaccount:${systemNamespace}:gatewright`;
const tlsHost = "clients.example";

type Conditions = readonly {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}[];
type WithStatus = {
  readonly status?: {
    readonly ancestors?: readonly { readonly conditions: Conditions }[];
    readonly listeners?: readonly { readonly name: string; readonly conditions: Conditions }[];
    readonly supportedFeatures?: readonly { readonly name: string }[];
  };
};
type AuditEvent = { readonly user: { readonly username: string }; readonly verb: string; readonly requestURI: string };

function describeBundles(): void {
  let lab: Lab;
  let folder: string;
  const authority = (name: string) => makeCertificate({ dnsNames: [name], authority: true });
  const [ours, clients] = [authority("ours"), authority("clients")];
  const client = makeCertificate({ dnsNames: ["client"], issuer: clients });

  const kubectl = (...args: readonly string[]) => lab.kubectl([...args, `--namespace=${namespace}`]);
  const apply = (...items: readonly object[]) =>
    lab.kubectl(
      ["apply", "--server-side", "--force-conflicts", `--namespace=${namespace}`, "--filename=-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
  const read = async (what: string) => JSON.parse(await kubectl("get", what, "--output=json")) as WithStatus;
  const charts = (...args: readonly string[]) =>
    mustRun([process.execPath, "--conditions=source", path.join(root, "charts/src/main.ts"), ...args]);

  const bundle = (name: string, { certificate }: Certificate) => ({
    apiVersion: "certificates.k8s.io/v1",
    kind: "ClusterTrustBundle",
    metadata: { name },
    spec: { ...(name === signed && { signerName: "example.com/internal-signer" }), trustBundle: certificate },
  });
  const policy = (name: string, trust: object) => ({
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "BackendTLSPolicy",
    metadata: { name },
    spec: {
      targetRefs: [{ group: "", kind: "Service", name }],
      validation: { hostname: "backend.example.com", ...trust },
    },
  });
  const bundleRef = (name: string) => ({
    caCertificateRefs: [{ group: "certificates.k8s.io", kind: "ClusterTrustBundle", name }],
  });
  const service = (name: string) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: { app: "echo" }, ports: [{ port: 8080, targetPort: 8443 }] },
  });
  const served = (name: string, trust: object) => [
    service(name),
    policy(name, trust),
    route(name, { gateway: "web", backend: name }),
  ];

  const address = async () => kubectl("get", "gateway/web", "--output=jsonpath={.status.addresses[0].value}");
  const ask = async (host: string, tls: readonly string[] = []): Promise<string> => {
    const [scheme, port] = tls.length > 0 ? ["https", 443] : ["http", 80];
    const { stdout } = await lab.run(
      `curl --silent --insecure --output /dev/null --write-out %{http_code} --max-time 10`
        .split(" ")
        .concat(["--resolve", `${host}:${port}:${await address()}`, ...tls, `${scheme}://${host}/`]),
    );
    return stdout;
  };
  const answers = (host: string, status: string, tls?: readonly string[]) =>
    until(`${status} from ${host}`, async () => {
      const found = await ask(host, tls);
      if (found !== status) throw new Error(`it is ${found}`);
      return true;
    });
  const withCertificate = () => ["--cert", path.join(folder, "client.crt"), "--key", path.join(folder, "client.key")];

  const expectConditions = (
    what: string,
    find: (status: WithStatus["status"]) => Conditions,
    ...wanted: readonly string[]
  ) =>
    until(`${what} says ${wanted.join(", ")}`, async () => {
      const found = find((await read(what)).status).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
      if (!wanted.every((one) => found.includes(one))) throw new Error(found.join(", "));
      return true;
    });
  const policySays = (name: string, ...wanted: readonly string[]) =>
    expectConditions(`backendtlspolicy/${name}`, (status) => status?.ancestors?.[0]?.conditions ?? [], ...wanted);
  const listenerSays = (...wanted: readonly string[]) =>
    expectConditions(
      "gateway/web",
      (status) => status?.listeners?.find(({ name }) => name === "server")?.conditions ?? [],
      ...wanted,
    );
  const featureIs = (isThere: boolean) =>
    until(`the feature is ${isThere ? "" : "not "}advertised`, async () => {
      const { status } = await read("gatewayclass/gatewright");
      const has = status?.supportedFeatures?.some(({ name }) => name === "ClusterTrustBundle");
      return has === isThere ? true : undefined;
    });

  /** What the operator has asked for since the last call: of ClusterTrustBundles, and of what there is. */
  let auditPosition = 0;
  const audited = async () => {
    const text = await readFile(path.join(lab.folder, "log/audit.log"), "utf8");
    const events = text
      .slice(auditPosition)
      .split("\n")
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line) as AuditEvent)
      .filter(({ user }) => user.username === operatorName);
    auditPosition = text.length;
    const isObjects = ({ requestURI }: AuditEvent) => requestURI.includes("/clustertrustbundles");
    return { objects: events.filter(isObjects), probes: events.filter((event) => !isObjects(event)).length };
  };
  const onlyProbes = async () => {
    await audited();
    let probes = 0;
    await until("the operator looks for kinds", async () => {
      const seen = await audited();
      assert.deepEqual(seen.objects, []);
      probes += seen.probes;
      return probes >= 6 ? true : undefined;
    });
  };
  const operatorIsWell = async () => {
    const restarts = await lab.kubectl([
      "get",
      "pods",
      `--namespace=${systemNamespace}`,
      "--output=jsonpath={.items[*].status.containerStatuses[*].restartCount} {.items[*].status.containerStatuses[*].ready}",
    ]);
    // One that is replaced may not be gone yet.
    assert.match(restarts, /^0( 0)* true( true)*$/);
  };
  const changeArguments = async (change: object) => {
    const deployment = ["deployment/gatewright", `--namespace=${systemNamespace}`];
    await lab.kubectl(["patch", ...deployment, "--type=json", `--patch=${JSON.stringify([change])}`]);
    await lab.kubectl(["rollout", "status", ...deployment, "--timeout=240s"]);
  };
  const argumentsPath = "/spec/template/spec/containers/0/args";
  const addArgument = (value: string) => changeArguments({ op: "add", path: `${argumentsPath}/1`, value });
  const restartOperator = async () => {
    await lab.kubectl(["rollout", "restart", "deployment/gatewright", `--namespace=${systemNamespace}`]);
    await lab.kubectl([
      "rollout",
      "status",
      "deployment/gatewright",
      `--namespace=${systemNamespace}`,
      "--timeout=240s",
    ]);
  };
  const restartEnvoys = async () => {
    await kubectl("delete", "pods", "--selector=app.kubernetes.io/component=proxy", "--timeout=120s");
    await kubectl("rollout", "status", "deployment/web-gatewright", "--timeout=240s");
  };

  before(async function () {
    this.timeout(30 * 60_000);
    lab = openLab({ name: process.env["GATEWRIGHT_LAB_NAME"] ?? "bundles" });
    folder = await mkdtemp(path.join(tmpdir(), "bundles-"));
    await lab.down();
    await lab.up({ clusterTrustBundle: false });
    const { signal } = new AbortController();
    await installGatewright(lab, { folder, report: () => undefined, signal, replicas: 1, version: "test" });
    // Often enough for a test.
    await addArgument("--discovery-seconds=2");
    await writeFile(path.join(folder, "client.crt"), client.certificate);
    await writeFile(path.join(folder, "client.key"), client.privateKey);
    await lab.kubectl(["create", "namespace", namespace]);
    const web = gateway("web", [httpListener, httpsListener(tlsHost, "server")]);
    await apply(
      meshConfig({ replicas: 1 }),
      secret("server", makeCertificate({ dnsNames: [tlsHost] })),
      secret("backend", makeCertificate({ dnsNames: ["backend.example.com"], issuer: ours })),
      ...backend("echo", 1, { tlsSecret: "backend" }),
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "ours" }, data: { "ca.crt": ours.certificate } },
      { ...web, spec: { ...web.spec, tls: { frontend: { default: { validation: bundleRef("clients") } } } } },
      ...served("configured", { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ours" }] }),
      ...served("bundled", bundleRef(signed)),
      { ...route("clients", { gateway: "web", backend: "configured" }) },
    );
    await kubectl("rollout", "status", "deployment/echo", "--timeout=240s");
  });
  after(async () => {
    await lab?.down();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it("are of an invalid kind where there are none, are not asked for, and hold up nothing else", async () => {
    await answers("configured.example", "200");
    await policySays("bundled", "ResolvedRefs=False InvalidKind", "Accepted=False NoValidCACertificate");
    await policySays("configured", "ResolvedRefs=True ResolvedRefs", "Accepted=True Accepted");
    await listenerSays("ResolvedRefs=False InvalidKind", "Accepted=False NoValidCACertificate");
    await answers("bundled.example", "503");
    await answers(tlsHost, "000", withCertificate());
    await featureIs(false);
    auditPosition = 0;
    assert.deepEqual((await audited()).objects, []);
    await onlyProbes();
    await operatorIsWell();
  });

  it("are taken when they come, without a restart", async () => {
    await lab.up({ clusterTrustBundle: true });
    await featureIs(true);
    await policySays("bundled", "ResolvedRefs=False InvalidCACertificateRef");
    await answers("bundled.example", "503");
    await apply(bundle(signed, ours), bundle("clients", clients));
    await answers("bundled.example", "200");
    await policySays("bundled", "ResolvedRefs=True ResolvedRefs", "Accepted=True Accepted");
    await listenerSays("ResolvedRefs=True ResolvedRefs", "Accepted=True Accepted", "Programmed=True Programmed");
    await answers(tlsHost, "200", withCertificate());
    await answers(tlsHost, "000", ["--tlsv1.2"]);
    const verbs = new Set((await audited()).objects.map(({ verb }) => verb));
    assert.deepEqual([...verbs].toSorted(), ["list", "watch"]);
    await operatorIsWell();
  });

  it("count for nothing when they are deleted, whoever starts anew meanwhile", async () => {
    await kubectl("delete", "clustertrustbundle", signed);
    await answers("bundled.example", "503");
    await policySays("bundled", "ResolvedRefs=False InvalidCACertificateRef", "Accepted=False NoValidCACertificate");
    await restartEnvoys();
    await answers("configured.example", "200");
    await answers("bundled.example", "503");
    await restartOperator();
    await answers("configured.example", "200");
    await answers("bundled.example", "503");
    await apply(bundle(signed, ours));
    await answers("bundled.example", "200");
  });

  it("work by the field of the overlay, once its CRDs are installed", async () => {
    await lab.kubectl(
      ["apply", "--server-side", "--force-conflicts", "--filename=-"],
      await charts("crds", "--channel=experimental", "--overlay=cluster-trust-bundle-ref"),
    );
    await apply(...served("seed", { clusterTrustBundleRef: { name: signed } }));
    await answers("seed.example", "200");
    const kept = await kubectl(
      "get",
      "backendtlspolicy/seed",
      "--output=jsonpath={.spec.validation.clusterTrustBundleRef}",
    );
    assert.deepEqual(JSON.parse(kept), {
      group: "certificates.k8s.io",
      kind: "ClusterTrustBundle",
      name: signed,
    });
    const refused: readonly (readonly [object, RegExp])[] = [
      [{ ...bundleRef(signed), clusterTrustBundleRef: { name: signed } }, /exactly one of the fields in/],
      [{}, /exactly one of the fields in/],
      [{ clusterTrustBundleRef: { name: signed, kind: "ConfigMap" } }, /must reference a ClusterTrustBundle/],
    ];
    for (const [trust, message] of refused) await assert.rejects(apply(policy("refused", trust)), message);
  });

  it("are invalid references where they may not be read, and heal when they may", async () => {
    const binding = "system:cluster-trust-bundle-discovery";
    const role = await lab.kubectl(["get", "clusterrole/gatewright-operator", "--output=json"]);
    type Role = { readonly rules: readonly { readonly resources?: readonly string[] }[] };
    const { rules } = JSON.parse(role) as Role;
    const without = rules.filter(({ resources = [] }) => !resources.includes("clustertrustbundles"));
    assert.ok(without.length < rules.length);
    const setRules = (value: unknown) =>
      lab.kubectl([
        "patch",
        "clusterrole/gatewright-operator",
        "--type=json",
        `--patch=${JSON.stringify([{ op: "replace", path: "/rules", value }])}`,
      ]);
    await setRules(without);
    await lab.kubectl(["delete", "clusterrolebinding", binding]);
    // Rights are looked at when a watch begins.
    await restartOperator();
    await policySays("bundled", "ResolvedRefs=False InvalidCACertificateRef", "Accepted=False NoValidCACertificate");
    const { status } = await read("backendtlspolicy/bundled");
    assert.match(status?.ancestors?.[0]?.conditions[0]?.message ?? "", /cannot be read: .*403.*forbidden/i);
    await featureIs(true);
    await answers("bundled.example", "503");
    await answers("configured.example", "200");
    await operatorIsWell();
    await setRules(rules);
    await answers("bundled.example", "200");
    await policySays("bundled", "ResolvedRefs=True ResolvedRefs");
    await operatorIsWell();
  });

  it("are of an invalid kind for an operator that is told to do without", async () => {
    await addArgument("--no-cluster-trust-bundles");
    await policySays("bundled", "ResolvedRefs=False InvalidKind", "Accepted=False NoValidCACertificate");
    await featureIs(false);
    await answers("bundled.example", "503");
    await answers("configured.example", "200");
    await changeArguments({ op: "remove", path: `${argumentsPath}/1` });
    await answers("bundled.example", "200");
    await featureIs(true);
  });

  it("are of an invalid kind again when they go, and are not asked for any more", async () => {
    await lab.up({ clusterTrustBundle: false });
    await policySays("bundled", "ResolvedRefs=False InvalidKind", "Accepted=False NoValidCACertificate");
    await listenerSays("ResolvedRefs=False InvalidKind", "Accepted=False NoValidCACertificate");
    await answers("bundled.example", "503");
    await answers(tlsHost, "000", withCertificate());
    await answers("configured.example", "200");
    await featureIs(false);
    await onlyProbes();
    await operatorIsWell();
  });
}
