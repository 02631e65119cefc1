// What goes wrong around an operator in a real cluster, one thing after another, while a Gateway is asked all the time: what is not concerned
// never fails, and when the fault is over, changes are served and reported as before. It needs a lab: see test/lab/lab.test.ts.
import assert from "node:assert/strict";
import { makeCertificate } from "../support/certificates.ts";
import { until } from "../lab/testing/until.ts";
import { type FaultLab, openFaultLab } from "./support/fault-lab.ts";
import { wholeLife } from "./support/life.ts";
import { backend, gateway, gatewayClass, meshConfig, route, secret, systemNamespace } from "./support/manifests.ts";

describe("faults around an operator", function () {
  this.timeout(600_000);
  if (process.env["GATEWRIGHT_LAB"] === "1") describeFaults();
  else it("need a cluster: GATEWRIGHT_LAB=1 starts one");
});

const routesPath = "/apis/gateway.networking.k8s.io/v1/namespaces/faults/httproutes";
const deploymentPath = "/apis/apps/v1/namespaces/faults/deployments/steady-gatewright";

function describeFaults(): void {
  let faults: FaultLab;
  before(async function () {
    this.timeout(30 * 60_000);
    faults = await openFaultLab("faults");
  });
  after(() => faults?.close());

  const proxyPods = async (name: string): Promise<readonly string[]> => {
    const selector = `app.kubernetes.io/component=proxy,gateway.networking.k8s.io/gateway-name=${name}`;
    const names = await faults.kubectl("get", "pods", `--selector=${selector}`, "--output=name");
    return names.split("\n").flatMap((line) => line.split("/")[1] ?? []);
  };
  const scaleOperator = async (replicas: number) => {
    const deployment = ["deployment/gatewright", `--namespace=${systemNamespace}`];
    await faults.lab.kubectl(["scale", ...deployment, `--replicas=${replicas}`]);
    if (replicas > 0) return faults.rollout("deployment/gatewright", systemNamespace);
    await until("no operator", async () => ((await faults.operators()).length === 0 ? true : undefined));
  };
  const restartOperator = async () => {
    await faults.lab.kubectl(["rollout", "restart", "deployment/gatewright", `--namespace=${systemNamespace}`]);
    await faults.rollout("deployment/gatewright", systemNamespace);
  };
  const lists = (kind: string) => faults.metric("gatewright_source_lists_total", new RegExp(`kind="${kind}"`));
  const makeRoutes = async (count: number, name: (i: number) => string, parent = "steady") => {
    const routes = Array.from({ length: count }, (_, i) => route(name(i), { gateway: parent }));
    await faults.apply(...routes);
    return routes.map(({ metadata }) => metadata.name);
  };

  describe("by way of every day", () => {
    it("a whole life of all kinds, for which the roles of the charts are enough", () =>
      faults.steadily(async () => {
        await faults.apply(...wholeLife());
        for (const kind of ["httproute", "grpcroute", "tlsroute", "tcproute", "udproute"])
          await faults.says(`${kind}/life`, { Accepted: "True", ResolvedRefs: "True" });
        for (const what of ["gateway/life", "listenerset/life"])
          await faults.says(what, { Accepted: "True", Programmed: "True" });
        for (const what of ["httpfilter/life", "meshconfig/life"]) await faults.says(what, { Accepted: "True" });
        await faults.becomes("backendtlspolicy/life", ".status.ancestors[0].conditions[*].status", /^True True$/);
        await faults.becomes("events.events.k8s.io", ".items[*].regarding.name", /troubled/);
        const made = await faults.kubectl("get", "horizontalpodautoscalers,poddisruptionbudgets", "--output=name");
        assert.match(made, /autoscaler.*life-gatewright\n.*budget.*life-gatewright/s);
        const kinds = "grpcroute,tlsroute,tcproute,udproute,backendtlspolicy,referencegrant,listenerset,httpfilter";
        await faults.remove(kinds, "--all");
        await faults.says("httproute/life", { ResolvedRefs: "False" });
        await faults.apply(meshConfig());
        await faults.apply(gateway("life"));
        await until("no autoscaler", async () =>
          (await faults.kubectl("get", "horizontalpodautoscalers", "--output=name")) === "" ? true : undefined,
        );
        await faults.remove(
          "gateway/life",
          "meshconfig/life",
          "secret/life",
          "configmap/life",
          "service/secure",
          "service/datagrams",
        );
        await faults.remove("httproute/life", "httproute/secure", "httproute/troubled");
        await faults.takesChanges("after-a-life");
        const { forbidden } = await faults.order();
        assert.deepEqual(forbidden, []);
        assert.doesNotMatch(await faults.log(), /forbidden/i);
      }));

    it("Gateways that are deleted: what the garbage collector takes is not made again", () =>
      faults.steadily(async () => {
        const names = Array.from({ length: 6 }, (_, i) => `brief-${i}`);
        const corrections = await faults.metric("gatewright_infra_corrections_total");
        await faults.apply(...names.map((name) => gateway(name)));
        for (const name of names) await faults.says(`gateway/${name}`, { Programmed: "True" });
        const writes = await faults.metric("gatewright_infra_writes_total");
        await faults.remove("gateway", ...names);
        const kinds = "services,deployments,secrets,configmaps,serviceaccounts,poddisruptionbudgets";
        await until("all is gone", async () => {
          const left = await faults.kubectl("get", kinds, "--output=name");
          return /brief-/.test(left) ? undefined : true;
        });
        await faults.takesChanges("after-deletion");
        assert.equal(await faults.metric("gatewright_infra_corrections_total"), corrections);
        // Nothing but what it may have deleted itself.
        const deletions = (await faults.metric("gatewright_infra_writes_total")) - writes;
        assert.ok(deletions <= names.length * 6, `${deletions} writes`);
      }));

    it("namespaces that are deleted with all that is in them: nobody complains", () =>
      faults.steadily(async () => {
        const names = Array.from({ length: 4 }, (_, i) => `doomed-${i}`);
        for (const name of names) {
          await faults.lab.kubectl(["create", "namespace", name]);
          const more = [meshConfig(), gateway("web"), route("web", { gateway: "web" })];
          await faults.applyTo(name, ...backend("echo", 1), ...more);
        }
        for (const name of names) {
          const programmed = ["--for=condition=Programmed", "gateway/web", `--namespace=${name}`];
          await faults.lab.kubectl(["wait", "--timeout=120s", ...programmed]);
        }
        await faults.lab.kubectl(["delete", "namespace", ...names, "--timeout=240s"]);
        await faults.takesChanges("after-namespaces");
        assert.doesNotMatch(await faults.log(), /doomed.*(cannot|set right)|(WARN|ERROR).*doomed/);
        assert.equal(await faults.metric("gatewright_infra_troubled"), 0);
      }));
  });

  describe("at the API server", () => {
    it("an API server that is killed and started anew", () =>
      faults.steadily(async () => {
        await faults.operators();
        await faults.lab.stop("kube-apiserver", "SIGKILL");
        await faults.counts("gatewright_source_troubled", /kind="HTTPRoute"/, (sum) => sum === 2);
        await faults.lab.start("kube-apiserver");
        await faults.takesChanges("after-restart");
      }));

    it("operators that are killed while there is no API server, and wait for it", () =>
      faults.steadily(async () => {
        const pods = await faults.operators();
        await faults.lab.stop("kube-apiserver", "SIGKILL");
        for (const { pod } of pods) await faults.killProcesses(pod);
        for (const { pod } of pods)
          await until(`${pod} runs again`, async () => ((await faults.isRunning(pod)) ? true : undefined));
        await faults.lab.start("kube-apiserver");
        await faults.rollout("deployment/gatewright", systemNamespace);
        await faults.takesChanges("after-both");
      }));

    it("an API server that hangs until nobody leads, and goes on", () =>
      faults.steadily(async () => {
        await faults.leader();
        await faults.lab.signal("kube-apiserver", "SIGSTOP");
        try {
          await faults.counts("gatewright_leader", /^/, (sum) => sum === 0);
        } finally {
          await faults.lab.signal("kube-apiserver", "SIGCONT");
        }
        await faults.takesChanges("after-hanging");
        await faults.counts("gatewright_leader", /^/, (sum) => sum === 1);
      }));

    it("an API server whose answers come three seconds late, by which nobody loses the lead", () =>
      faults.steadily(async () => {
        await faults.counts("gatewright_leader", /^/, (sum) => sum === 1);
        const elections = await faults.metric("gatewright_leader_elections_total");
        await faults.order({ delayMs: 3_000 });
        try {
          await faults.takesChanges("slow");
        } finally {
          await faults.order({ delayMs: 0 });
        }
        assert.equal(await faults.metric("gatewright_leader_elections_total"), elections);
      }));

    it("watches that break in the middle of an event, after which nothing is read anew", () =>
      faults.steadily(async () => {
        const before = await lists("HTTPRoute");
        const { cuts } = await faults.order({ cutWatches: true });
        await makeRoutes(3, (i) => `cut-${i}`);
        await until("both operators' watches are cut", async () =>
          (await faults.order()).cuts >= cuts + 2 ? true : undefined,
        );
        for (const i of [0, 1, 2]) await faults.answers(`cut-${i}.example`, "200");
        await faults.takesChanges("after-cut");
        assert.equal(await lists("HTTPRoute"), before);
        await faults.remove("httproute", "cut-0", "cut-1", "cut-2");
      }));

    it("versions that are too old (410), while objects came and went", () =>
      faults.steadily(async () => {
        await makeRoutes(1, () => "leaves");
        await faults.answers("leaves.example", "200");
        const before = await lists("HTTPRoute");
        const { expired } = await faults.order({ holdWatches: true });
        await faults.remove("httproute", "leaves");
        await makeRoutes(1, () => "comes");
        assert.equal(await faults.ask("leaves.example"), "200", "nobody can know yet");
        await faults.order({ holdWatches: false, expireWatches: true });
        await until("all have heard of it", async () => ((await faults.order()).expired > expired ? true : undefined));
        await faults.answers("leaves.example", "404");
        await faults.answers("comes.example", "200");
        // What was held may have come before the watch was told that it is too old: that leads to a list a moment later.
        await until("HTTPRoutes are read anew", async () => ((await lists("HTTPRoute")) > before ? true : undefined));
        await faults.order({ expireWatches: false });
        await faults.takesChanges("after-410");
        await faults.remove("httproute", "comes");
      }));
  });

  describe("at who writes", () => {
    it("conflict storms: others write objects and their statuses all the time", () =>
      faults.steadily(async () => {
        const names = await makeRoutes(8, (i) => `storm-${i}`);
        const paths = names.map((name) => `${routesPath}/${name}`);
        const controllerName = "example.com/rival";
        await faults.against({ paths, does: { kind: "report", controllerName } }, (reports) =>
          faults.against({ paths, does: { kind: "annotate" } }, async (annotates) => {
            for (const name of names) await faults.says(`httproute/${name}`, { ResolvedRefs: "True" });
            await until("a storm", async () => {
              const [reported, annotated] = [await reports(), await annotates()];
              return (reported.outcomes["200"] ?? 0) > 100 && annotated.writes > 200 ? true : undefined;
            });
            const written = await faults.metric("gatewright_status_writes_total", /kind="HTTPRoute"/);
            await faults.apply(...names.map((name) => route(name, { gateway: "steady", backend: "missing" })));
            for (const name of names) await faults.says(`httproute/${name}`, { ResolvedRefs: "False" });
            for (const name of names) await faults.answers(`${name}.example`, "500");
            // What others change is no reason to write.
            const writes = (await faults.metric("gatewright_status_writes_total", /kind="HTTPRoute"/)) - written;
            assert.ok(writes >= names.length && writes < 10 * names.length, `${writes} writes`);
          }),
        );
        for (const name of names) {
          const reporters = await faults.field(`httproute/${name}`, ".status.parents[*].controllerName");
          assert.deepEqual(reporters.split(" ").toSorted(), [controllerName, "gatewright.dev/gateway-controller"]);
        }
        await faults.takesChanges("after-storm");
        await faults.remove("httproute", ...names);
      }));

    it("a leader that is killed in the middle of writes", () =>
      faults.steadily(async () => {
        const leader = await faults.leader();
        const isReported = async () => {
          const found = await faults.kubectl(
            "get",
            "httproutes",
            "--selector=of=crowd",
            "--output=jsonpath={range .items[*]}{.status.parents[0].conditions[0].type} {end}",
          );
          return found.split(" ").filter((type) => type !== "").length;
        };
        const routes = Array.from({ length: 150 }, (_, i) => route(`crowd-${i}`, { gateway: "crowd" }));
        const labelled = routes.map((each) => ({ ...each, metadata: { ...each.metadata, labels: { of: "crowd" } } }));
        const making = faults.apply(gateway("crowd"), ...labelled);
        await until("some are reported", async () => ((await isReported()) > 10 ? true : undefined));
        assert.ok((await isReported()) < 150, "it was too quick for this test");
        await faults.killProcesses(leader);
        await making;
        await until("all are reported", async () => ((await isReported()) === 150 ? true : undefined), 120_000);
        await faults.says("gateway/crowd", { Accepted: "True", Programmed: "True" });
        const address = await faults.field("gateway/crowd", ".status.addresses[0].value");
        for (const i of [0, 75, 149]) await faults.answers(`crowd-${i}.example`, "200", { address });
        await faults.rollout("deployment/gatewright", systemNamespace);
        await faults.takesChanges("after-leader");
        await faults.remove("gateway/crowd");
        await faults.remove("httproutes", "--selector=of=crowd");
      }));

    it("another controller that fights over a label: it is given way, and set right when it is over", () =>
      faults.steadily(async () => {
        const corrections = await faults.metric("gatewright_infra_corrections_total");
        const pods = (await proxyPods("steady")).toSorted();
        const [name, value] = ["app.kubernetes.io/name", "rival"];
        await faults.against({ paths: [deploymentPath], does: { kind: "label", name, value } }, async (rival) => {
          await until("a fight", async () => {
            const { writes } = await rival();
            const done = (await faults.metric("gatewright_infra_corrections_total")) - corrections;
            return writes > 300 && done >= 3 ? true : undefined;
          });
          const { writes } = await rival();
          const done = (await faults.metric("gatewright_infra_corrections_total")) - corrections;
          assert.ok(done <= 8, `${done} corrections for ${writes} writes`);
          await faults.takesChanges("amid-a-fight");
        });
        await faults.becomes(
          "deployment/steady-gatewright",
          ".metadata.labels.app\\.kubernetes\\.io/name",
          /^gatewright-proxy$/,
        );
        assert.deepEqual((await proxyPods("steady")).toSorted(), pods, "no Envoy was replaced");
      }));
  });

  describe("at operators and proxies", () => {
    it("no operator while pods move: those of a backend, and an Envoy", () =>
      faults.steadily(async () => {
        await faults.apply(...backend("moved", 1), route("moved", { gateway: "steady", backend: "moved" }));
        await faults.rollout("deployment/moved");
        await faults.answers("moved.example", "200");
        await scaleOperator(0);
        await faults.kubectl("rollout", "restart", "deployment/moved");
        await faults.rollout("deployment/moved");
        const [first = ""] = await proxyPods("steady");
        await faults.remove(`pod/${first}`);
        assert.equal(await faults.ask("steady.example"), "200");
        await scaleOperator(2);
        await faults.answers("moved.example", "200");
        await faults.rollout("deployment/steady-gatewright");
        await faults.takesChanges("after-absence");
        await faults.remove("httproute/moved", "deployment/moved", "service/moved");
      }));

    it("the Secret of what Envoys and operators trust, deleted and broken: it is made again as it was", () =>
      faults.steadily(async () => {
        const inSystem = (...args: readonly string[]) =>
          faults.lab.kubectl([...args, `--namespace=${systemNamespace}`]);
        const authority = "secret/gatewright-ca";
        const held = async () => inSystem("get", authority, "--ignore-not-found", "--output=jsonpath={.data}");
        const before = await held();
        const isBack = async () => ((await held()) === before ? true : undefined);
        await inSystem("delete", authority);
        await until("it is made again", isBack);
        await inSystem("patch", authority, "--type=merge", `--patch={"data":{"tls.key":"${btoa("broken")}"}}`);
        await until("it is mended", isBack);
        await until("an event says so", async () =>
          /AuthorityRestored/.test(await inSystem("get", "events.events.k8s.io", "--output=jsonpath={..reason}"))
            ? true
            : undefined,
        );
        // Operators that start now, and Envoys that start now, trust the same.
        await restartOperator();
        await faults.kubectl("rollout", "restart", "deployment/steady-gatewright");
        await faults.rollout("deployment/steady-gatewright");
        await faults.takesChanges("after-authority");
      }));

    it("an Envoy that is killed: others do not notice, and it serves again", () =>
      faults.steadily(async () => {
        await faults.apply(gateway("victim"), route("victim", { gateway: "victim" }));
        await faults.says("gateway/victim", { Programmed: "True" });
        await faults.rollout("deployment/victim-gatewright");
        const address = await faults.field("gateway/victim", ".status.addresses[0].value");
        await faults.answers("victim.example", "200", { address });
        const pods = await proxyPods("victim");
        for (const pod of pods) await faults.killProcesses(pod);
        for (const pod of pods)
          await faults.becomes(`pod/${pod}`, ".status.containerStatuses[0].restartCount", /^[1-9]/);
        await faults.answers("victim.example", "200", { address });
        await faults.rollout("deployment/victim-gatewright");
        await faults.says("gateway/victim", { Programmed: "True" });
        await faults.remove("gateway/victim", "httproute/victim");
      }));

    it("Envoys that are replaced, added and taken away: no request fails", () =>
      faults.steadily(async () => {
        await faults.kubectl("rollout", "restart", "deployment/steady-gatewright");
        await faults.rollout("deployment/steady-gatewright");
        for (const replicas of [4, 1, 2]) {
          await faults.apply(meshConfig({ replicas }));
          await faults.becomes("deployment/steady-gatewright", ".spec.replicas", new RegExp(`^${replicas}$`));
          await faults.rollout("deployment/steady-gatewright");
          await until(
            `${replicas} pods`,
            async () => ((await proxyPods("steady")).length === replicas ? true : undefined),
            120_000,
          );
        }
        await faults.takesChanges("after-scaling");
      }));
  });

  describe("at what is read", () => {
    const crd = "httpfilters.config.aether.io";
    const filter = {
      apiVersion: "config.aether.io/v1",
      kind: "HTTPFilter",
      metadata: { name: "tenant" },
      spec: { headerToMetadata: { rules: [{ header: "x-tenant", metadataNamespace: "demo", metadataKey: "tenant" }] } },
    };

    it("a definition (CRD) that is missing at the start, and is added later", () =>
      faults.steadily(async () => {
        const definition = await faults.lab.kubectl(["get", "crd", crd, "--output=json"]);
        await faults.lab.kubectl(["delete", "crd", crd]);
        await restartOperator();
        await faults.takesChanges("without-a-kind");
        const filters = [
          { type: "ExtensionRef", extensionRef: { group: "config.aether.io", kind: "HTTPFilter", name: "tenant" } },
        ];
        await faults.apply(route("filtered", { gateway: "steady", filters }));
        await faults.answers("filtered.example", "500");
        await faults.says("httproute/filtered", { ResolvedRefs: "False" });
        await faults.lab.kubectl(["create", "--filename=-"], withoutServerFields(definition));
        await faults.lab.kubectl(["wait", "--for=condition=Established", `crd/${crd}`, "--timeout=60s"]);
        await faults.apply(filter);
        await faults.answers("filtered.example", "200");
        await faults.says("httproute/filtered", { ResolvedRefs: "True" });
        await faults.remove("httproute/filtered", "httpfilter/tenant");
      }));

    it("parameters that are misspelled and deleted: what is served is served on, also by operators that start meanwhile", () =>
      faults.steadily(async () => {
        const parameters = { group: "config.aether.io", kind: "MeshConfig", namespace: systemNamespace };
        const pointTo = async (name: string | undefined) => {
          const patch = { spec: { parametersRef: name === undefined ? null : { ...parameters, name } } };
          await faults.lab.kubectl([
            "patch",
            `gatewayclass/${gatewayClass}`,
            "--type=merge",
            `--patch=${JSON.stringify(patch)}`,
          ]);
        };
        const reason = (what: string) =>
          faults.field(what, ".status.conditions[?(@.type=='Accepted')]['status','reason']");
        const standing = () =>
          Promise.all([
            faults.field("gateway/steady", ".status.addresses[0].value"),
            faults.field("deployment/steady-gatewright", ".metadata['uid','generation']"),
            faults.field("service/steady-gatewright", ".metadata.uid"),
          ]);
        const before = await standing();
        const stands = async () => assert.deepEqual(await standing(), before);
        await faults.applyTo(systemNamespace, { ...meshConfig(), metadata: { name: "of-class" }, spec: {} });
        try {
          await pointTo("of-class");
          await faults.says(`gatewayclass/${gatewayClass}`, { Accepted: "True" });
          await pointTo("misspelled");
          await faults.says(`gatewayclass/${gatewayClass}`, { Accepted: "False" });
          assert.match(await reason(`gatewayclass/${gatewayClass}`), /InvalidParameters/);
          await faults.takesChanges("amid-a-misspelling");
          await stands();
          await restartOperator();
          await faults.says("gateway/steady", { Accepted: "False", Programmed: "False" });
          assert.match(await reason("gateway/steady"), /InvalidParameters/);
          await stands();
          await pointTo("of-class");
          await faults.takesChanges("after-a-misspelling");
        } finally {
          await pointTo(undefined);
        }
        await faults.lab.kubectl(["delete", "meshconfig/of-class", `--namespace=${systemNamespace}`]);
        await faults.takesChanges("without-parameters");
        await faults.remove("meshconfig/proxies");
        await faults.says("gateway/steady", { Accepted: "False" });
        await faults.apply(route("amid-a-deletion", { gateway: "steady" }));
        await faults.answers("amid-a-deletion.example", "200");
        await stands();
        await faults.apply(meshConfig());
        await faults.remove("httproute/amid-a-deletion");
        await faults.takesChanges("after-a-deletion");
        await stands();
      }));

    it("rights for one kind that are withdrawn and given back", () =>
      faults.steadily(async () => {
        await makeRoutes(1, () => "read-before");
        await faults.answers("read-before.example", "200");
        const role = await faults.lab.kubectl(["get", "clusterrole", "gatewright-operator", "--output=json"]);
        await faults.lab.kubectl(["replace", "--filename=-"], withoutServerFields(role, "httproutes"));
        // A server asks for rights when a watch begins.
        await faults.order({ endWatches: true });
        await faults.counts("gatewright_source_troubled", /kind="HTTPRoute"/, (sum) => sum === 2);
        assert.match(await faults.log(), /HTTPRoute.*forbidden/i);
        await makeRoutes(1, () => "not-read");
        // Of all other kinds, changes are followed.
        const certificate = makeCertificate({ dnsNames: ["spare.example"] });
        await faults.apply(secret("spare", certificate), gateway("other"));
        await faults.says("gateway/other", { Programmed: "True" });
        assert.equal(await faults.ask("read-before.example"), "200");
        assert.equal(await faults.ask("not-read.example"), "404");
        // Whoever starts now does not know them, and takes nothing from Envoys that do.
        const pods = await faults.operators();
        for (const { pod } of pods) await faults.killProcesses(pod);
        for (const { pod } of pods)
          await until(`${pod} says that it waits`, async () =>
            /HTTPRoute cannot be read/.test(await faults.logOf(pod)) ? true : undefined,
          );
        assert.equal(await faults.ask("read-before.example"), "200");
        await faults.lab.kubectl(["replace", "--filename=-"], withoutServerFields(role));
        await faults.answers("not-read.example", "200");
        await faults.counts("gatewright_source_troubled", /^/, (sum) => sum === 0);
        await faults.takesChanges("after-rights");
        await faults.remove("gateway/other", "httproute/read-before", "httproute/not-read");
      }));

    for (const [resource, kind] of [
      ["secrets", "Secret"],
      ["gateways", "Gateway"],
      ["endpointslices", "EndpointSlice"],
    ] as const)
      it(`rights for ${resource} that are withdrawn and given back: what was read stays in effect`, () =>
        faults.steadily(async () => {
          const ofKind = new RegExp(`kind="${kind}"`);
          const role = await faults.lab.kubectl(["get", "clusterrole", "gatewright-operator", "--output=json"]);
          await faults.lab.kubectl(["replace", "--filename=-"], withoutServerFields(role, resource));
          try {
            await faults.order({ endWatches: true });
            await faults.counts("gatewright_source_troubled", ofKind, (sum) => sum === 2);
            await faults.takesChanges(`without-${resource}`);
            await faults.answers("spare.example", "200", { tls: true });
          } finally {
            await faults.lab.kubectl(["replace", "--filename=-"], withoutServerFields(role));
          }
          await faults.counts("gatewright_source_troubled", /^/, (sum) => sum === 0);
        }));

    it("a Secret with a broken key, which is repaired: its listener alone is concerned", () =>
      faults.steadily(async () => {
        const reason = ".status.listeners[?(@.name=='spare')].conditions[?(@.type=='ResolvedRefs')].reason";
        const good = makeCertificate({ dnsNames: ["spare.example"] });
        const other = makeCertificate({ dnsNames: ["spare.example"] });
        await faults.answers("spare.example", "200", { tls: true });
        for (const privateKey of ["no key", good.privateKey.replace(/[a-z]/g, "x"), other.privateKey]) {
          await faults.apply(secret("spare", { ...good, privateKey }));
          await faults.becomes("gateway/steady", reason, /^InvalidCertificateRef$/);
          await faults.answers("steady.example", "200", { tls: true });
          await faults.apply(secret("spare", good));
          await faults.becomes("gateway/steady", reason, /^ResolvedRefs$/);
          await faults.answers("spare.example", "200", { tls: true });
        }
        await faults.takesChanges("after-repair");
      }));
  });
}

/** What `kubectl get` shows, as it can be created; of a role, without a resource. */
function withoutServerFields(text: string, resource?: string): string {
  type Rule = { readonly resources?: readonly string[] };
  type Shown = {
    readonly metadata: { readonly name: string; readonly labels?: object };
    readonly rules?: readonly Rule[];
  };
  const { metadata, rules, ...rest } = JSON.parse(text) as Shown & { status?: unknown };
  delete rest.status;
  const { name, labels, annotations } = metadata as Shown["metadata"] & { readonly annotations?: object };
  const kept = rules
    ?.map((rule) => ({ ...rule, resources: rule.resources?.filter((each) => each !== resource) }))
    .filter(({ resources }) => resources?.length !== 0);
  return JSON.stringify({ ...rest, metadata: { name, labels, annotations }, ...(kept && { rules: kept }) });
}
