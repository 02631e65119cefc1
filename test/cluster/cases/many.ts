// Many of a kind, large ones, and those that contend for the same thing.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { type Found, listenerSays, makePlace, ours, patienceMs, type Place, says } from "../support/case-places.ts";
import type { FaultLab } from "../support/fault-lab.ts";
import { gateway, httpListener, meshConfig, route, secret, systemNamespace } from "../support/manifests.ts";

const gatewayApi = "gateway.networking.k8s.io/v1";

export function describeMany(lab: () => FaultLab): void {
  let place: Place;
  let stands: string;
  before(async () => {
    place = await makePlace(lab(), "many");
    const { spec, ...rest } = gateway("many");
    await place.apply({ ...rest, spec: { ...spec, allowedListeners: { namespaces: { from: "Same" } } } });
    stands = await place.serves("many");
  });
  after(() => place?.delete());
  const at = () => ({ address: stands });
  const restartOperator = async () => {
    await lab().lab.kubectl(["rollout", "restart", "deployment/gatewright", `--namespace=${systemNamespace}`]);
    await lab().rollout("deployment/gatewright", systemNamespace);
    await lab().counts("gatewright_leader", /^/, (sum) => sum === 1);
    await lab().counts("gatewright_status_writes_pending", /^/, (sum) => sum === 0);
  };

  it("says a policy's state for 16 ancestors and no more, keeps those of others, and comes to rest", () =>
    lab().steadily(async () => {
      const names = Array.from({ length: 17 }, (_, i) => `of-${String(i).padStart(2, "0")}`);
      const { metadata, ...mesh } = meshConfig({ image: "example.com/no-such-image", replicas: 1 });
      await place.apply({ ...mesh, metadata: { name: "imageless" } });
      const { spec, ...rest } = gateway("any");
      const infrastructure = { parametersRef: { group: "config.aether.io", kind: "MeshConfig", name: "imageless" } };
      await place.apply(
        { apiVersion: "v1", kind: "Service", metadata: { name: "shared" }, spec: { ports: [{ port: 8080 }] } },
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "ca" },
          data: { "ca.crt": makeCertificate({ dnsNames: ["ca"], authority: true }).certificate },
        },
        {
          apiVersion: gatewayApi,
          kind: "BackendTLSPolicy",
          metadata: { name: "shared" },
          spec: {
            targetRefs: [{ group: "", kind: "Service", name: "shared" }],
            validation: {
              hostname: "shared.example",
              caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }],
            },
          },
        },
        ...names.map((name) => ({ ...rest, metadata: { name }, spec: { ...spec, infrastructure } })),
        ...names.map((name) => route(name, { gateway: name, backend: "shared" })),
      );
      const ancestors = ({ status }: Found) => status?.ancestors ?? [];
      const first = await place.when("backendtlspolicy/shared", (found) => ancestors(found).length === 16);
      const foreign = {
        ancestorRef: { name: "theirs" },
        controllerName: "example.com/other",
        conditions: [
          {
            type: "Accepted",
            status: "True",
            reason: "Accepted",
            message: "",
            lastTransitionTime: "2026-01-01T00:00:00Z",
            observedGeneration: 1,
          },
        ],
      };
      await place.report("backendtlspolicy/shared", { ancestors: [foreign, foreign, ...ancestors(first).slice(2)] });
      await place.apply({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "ca" },
        data: { "ca.crt": "not pem" },
      });
      const found = await place.when("backendtlspolicy/shared", says("ResolvedRefs", "False"));
      assert.equal(ancestors(found).length, 16);
      assert.equal(ancestors(found).filter(({ controllerName }) => controllerName === ours).length, 14);
      await restartOperator();
      const { metadata: later } = await place.read("backendtlspolicy/shared");
      assert.equal(later.resourceVersion, found.metadata.resourceVersion, JSON.stringify(metadata));
      assert.equal(await lab().metric("gatewright_status_writes_total", /outcome="refused"/), 0);
      await place.kubectl("delete", "gateway", ...names);
      await place.kubectl("delete", "httproute", ...names);
    }));

  it("gives a port and host to the older of two ListenerSets, says so to the other alone, and to that one when it goes", () =>
    lab().steadily(async () => {
      const set = (name: string, secretName: string, hostname = "contended.example") => ({
        apiVersion: gatewayApi,
        kind: "ListenerSet",
        metadata: { name },
        spec: {
          parentRef: { name: "many" },
          listeners: [
            { name: "web", port: 443, protocol: "HTTPS", hostname, tls: { certificateRefs: [{ name: secretName }] } },
          ],
        },
      });
      const toSet = (name: string) => ({
        ...route(name, { gateway: "many" }),
        spec: {
          ...route(name, { gateway: "many" }).spec,
          hostnames: ["contended.example"],
          parentRefs: [{ group: "gateway.networking.k8s.io", kind: "ListenerSet", name }],
          rules: [
            {
              filters: [
                { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "x-of", value: name }] } },
              ],
              backendRefs: [{ name: "echo", port: 8080 }],
            },
          ],
        },
      });
      const servedBy = async () => {
        const { stdout } = await lab().lab.run([
          "curl",
          "--silent",
          "--insecure",
          "--include",
          "--max-time",
          "5",
          "--resolve",
          `contended.example:443:${stands}`,
          "https://contended.example/",
        ]);
        return /x-of: (\w+)/.exec(stdout)?.[1];
      };
      const isServedBy = (name: string | undefined) =>
        until(`it is served by ${name}`, async () => ((await servedBy()) === name ? true : undefined));
      const certificate = makeCertificate({ dnsNames: ["contended.example"] });
      await place.apply(secret("contended", certificate), set("winner", "contended"), toSet("winner"), toSet("loser"));
      await isServedBy("winner");
      await anotherSecond();
      await place.apply(set("loser", "contended"));
      await place.when("listenerset/loser", listenerSays("web", "Conflicted", "True", "HostnameConflict"));
      await place.when("listenerset/winner", listenerSays("web", "Conflicted", "False"));
      await place.when("listenerset/winner", says("Accepted", "True"));
      await place.when("gateway/many", says("Accepted", "True"));
      await isServedBy("winner");
      await restartOperator();
      await isServedBy("winner");
      await place.kubectl("delete", "listenerset", "winner");
      await isServedBy("loser");
      await place.when("listenerset/loser", listenerSays("web", "Programmed", "True"));
      // One that waits for its certificate keeps its turn: nobody may take a host in the moment in which a certificate is replaced.
      await place.apply(set("refused", "missing"));
      await place.when("listenerset/refused", listenerSays("web", "ResolvedRefs", "False"));
      await isServedBy("loser");
      await place.kubectl("delete", "listenerset", "loser");
      await place.apply(set("third", "contended"), toSet("third"));
      await place.when("listenerset/third", listenerSays("web", "Conflicted", "True", "HostnameConflict"));
      await place.kubectl("delete", "listenerset", "refused");
      await isServedBy("third");
      await place.kubectl("delete", "listenerset", "--all");
      await place.kubectl("delete", "httproute", "winner", "loser", "third");
    }));

  it("prefers the older of equal routes, and namespace and name of those of one age, after a restart too", async () => {
    const elsewhere = await makePlace(lab(), "a-many");
    const claims = (name: string, namespace?: string) => {
      const base = route(name, { gateway: "many" });
      const filters = [
        { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "x-of", value: name }] } },
      ];
      return {
        ...base,
        spec: {
          hostnames: ["equal.example"],
          parentRefs: [{ name: "many", namespace: "many" }],
          rules: [{ filters, backendRefs: [{ name: "echo", port: 8080 }] }],
        },
        ...(namespace && { metadata: { name, namespace } }),
      };
    };
    const servedBy = async () => {
      const { stdout } = await lab().lab.run([
        "curl",
        "--silent",
        "--include",
        "--header",
        "host: equal.example",
        `http://${stands}/`,
      ]);
      return /x-of: ([\w-]+)/.exec(stdout)?.[1];
    };
    const settles = (name: string) =>
      until(`${name} answers`, async () => ((await servedBy()) === name ? true : undefined));
    const open = gateway("many", [
      { ...httpListener, allowedRoutes: { namespaces: { from: "All" } } } as typeof httpListener,
    ]);
    await place.apply({ ...open, spec: { ...open.spec, allowedListeners: { namespaces: { from: "Same" } } } });
    await place.apply(claims("z-oldest"));
    await settles("z-oldest");
    await anotherSecond();
    await Promise.all([place.apply(claims("a"), claims("b")), elsewhere.apply(claims("c"))]);
    for (const name of ["a", "b"]) await place.when(`httproute/${name}`, says("Accepted", "True"));
    await elsewhere.when("httproute/c", says("Accepted", "True"));
    assert.equal(await servedBy(), "z-oldest");
    await place.kubectl("delete", "httproute", "z-oldest");
    const ages = await lab().lab.kubectl([
      "get",
      "httproute",
      "--all-namespaces",
      '--output=jsonpath={range .items[*]}{.metadata.creationTimestamp} {.metadata.namespace}/{.metadata.name}{"\\n"}{end}',
    ]);
    const [expected = ""] = ages
      .split("\n")
      .filter((line) => / (many|a-many)\/[abc]$/.test(line))
      .toSorted();
    await settles(expected.split("/")[1] ?? "");
    await restartOperator();
    await place.kubectl("rollout", "restart", "deployment/many-gatewright");
    await lab().rollout("deployment/many-gatewright", "many");
    await settles(expected.split("/")[1] ?? "");
    await place.kubectl("delete", "httproute", "a", "b");
    await elsewhere.delete();
  });

  it("serves a Gateway of 64 listeners", () =>
    lab().steadily(async () => {
      const listeners = Array.from({ length: 64 }, (_, i) => ({
        name: `l-${i}`,
        port: i < 32 ? 80 : 8080,
        protocol: "HTTP",
        hostname: `l-${i}.example`,
      }));
      await place.apply(gateway("wide", listeners), route("wide", { gateway: "wide" }));
      const address = await place.serves("wide");
      const { status } = await place.when("gateway/wide", (found) => found.status?.listeners?.length === 64);
      assert.ok(
        status?.listeners?.every(({ conditions }) =>
          conditions.some(({ type, status: is }) => type === "Programmed" && is === "True"),
        ),
      );
      const { spec, ...rest } = route("wide", { gateway: "wide" });
      await place.apply({ ...rest, spec: { ...spec, hostnames: ["l-31.example", "l-63.example"].slice(0, 2) } });
      await lab().answers("l-31.example", "200", { address });
      await place.kubectl("delete", "gateway/wide", "httproute/wide");
    }));

  it("serves a route of a megabyte, and others beside it", () =>
    lab().steadily(async () => {
      const value = "x".repeat(3_900);
      const match = (i: number) => ({
        path: { type: "PathPrefix", value: `/large-${i}` },
        headers: Array.from({ length: 16 }, (_, j) => ({ name: `x-large-${j}`, value: `${value}-${i}-${j}` })),
      });
      const rule = (from: number) => ({
        matches: Array.from({ length: 4 }, (_, i) => match(from + i)),
        backendRefs: [{ name: "echo", port: 8080 }],
      });
      const { spec, ...rest } = route("large", { gateway: "many" });
      const rules = [0, 4, 8, 12].map(rule);
      const large = {
        ...rest,
        spec: {
          ...spec,
          rules: [
            ...rules,
            { backendRefs: spec.rules[0]?.backendRefs, matches: [{ path: { type: "PathPrefix", value: "/small" } }] },
          ],
        },
      };
      assert.ok(JSON.stringify(large).length > 990_000, String(JSON.stringify(large).length));
      // Server-side apply keeps it once: the last-applied annotation would double it.
      await place.apply(large, route("beside", { gateway: "many" }));
      await lab().answers("beside.example", "200", at());
      await until(
        "its small rule is served",
        async () => {
          const { stdout } = await lab().lab.run([
            "curl",
            "--silent",
            "--output",
            "/dev/null",
            "--write-out",
            "%{http_code}",
            "--header",
            "host: large.example",
            `http://${stands}/small`,
          ]);
          return stdout === "200" ? true : undefined;
        },
        patienceMs,
      );
      await place.when("httproute/large", says("Accepted", "True"));
      await place.apply(route("beside", { gateway: "many", backend: "missing" }));
      await lab().answers("beside.example", "500", at());
      await place.when("httproute/beside", says("ResolvedRefs", "False"));
      await restartOperator();
      await place.kubectl("delete", "httproute", "large", "beside");
      await lab().answers("beside.example", "404", at());
    }));
}

/** What is made from now on is younger: times of the API are as fine as that. */
function anotherSecond(): Promise<true> {
  const second = Math.floor(Date.now() / 1_000);
  return until("another second", async () => (Math.floor(Date.now() / 1_000) > second + 1 ? true : undefined));
}
