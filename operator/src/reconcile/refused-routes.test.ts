import assert from "node:assert/strict";
import { changesOf } from "../../../test/e2e/support/control-plane.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments, service } from "../../../test/e2e/support/manifests.ts";
import { checkExtension, controllerName, placed, rootNamespace } from "../../../test/support/translation.ts";
import { silentLogger } from "../lib/index.ts";
import { createReconciler, type Publisher, type ResourceChange, type Verdict } from "./index.ts";

const proxy = "team-a/gw";

const route = (kind: string, name: string) => `
apiVersion: gateway.networking.k8s.io/v1
kind: ${kind}
metadata: {name: ${name}, namespace: team-a}
spec:
  parentRefs: [{name: gw}]
  hostnames: ["${name}.example.com"]
  rules: [{filters: [{type: ResponseHeaderModifier, responseHeaderModifier: {set: [{name: x-a, value: b}]}}]}]`;

/** Takes what is published, and refuses virtual hosts as it is told. */
function fakeProxy() {
  const versions = new Map<string, string>();
  const listeners = new Set<(verdict: Verdict) => void>();
  const clusters = new Map<string, string>();
  const note = (changes: readonly ResourceChange[]) => {
    for (const { type, name, resource } of changes)
      if (resource === undefined) continue;
      else if (type === "virtualHost") versions.set(name, resource.version);
      else if (type === "cluster") clusters.set(name, resource.version);
  };
  const publisher: Publisher = {
    publish: (_, changes) => note(changes),
    remove: () => undefined,
    retry: () => undefined,
    onVerdict: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const say = (kind: Verdict["kind"], message = "", type: "virtualHost" | "cluster" = "virtualHost") => {
    const of = type === "virtualHost" ? versions : clusters;
    const resources = [...of].map(([name, version]) => ({ name, version }));
    for (const listener of listeners) listener({ kind, proxy, type, resources, message });
  };
  return { publisher, say };
}

describe("createReconciler(): a route that Envoy refuses", () => {
  for (const kind of ["HTTPRoute", "GRPCRoute"])
    it(`is left out until it changes, and says so: ${kind}`, async () => {
      const { publisher, say } = fakeProxy();
      const settings = { controllerName, rootNamespace };
      const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension, publisher });
      const apply = async (yaml: string, generation: number) => {
        reconciler.apply(changesOf(yaml, generation));
        await reconciler.settled();
      };
      const statusOf = (key: string) => JSON.stringify(reconciler.statuses.get(key)?.status);
      reconciler.place(proxy, placed("127.0.0.1"));
      reconciler.synced();
      await apply(joinDocuments(gatewayClass, httpGateway(8080), route("HTTPRoute", "good")), 1);
      say("accepted");
      await reconciler.settled();
      await apply(route(kind, "poison"), 1);
      say("refused", "no such thing");
      await reconciler.settled();
      assert.match(statusOf(`${kind} team-a/poison`), /no such thing/);
      assert.doesNotMatch(statusOf("HTTPRoute team-a/good"), /no such thing/);
      await apply(route(kind, "poison"), 2);
      assert.doesNotMatch(statusOf(`${kind} team-a/poison`), /no such thing/);
      await reconciler.close();
    });
});

describe("createReconciler(): a cluster that Envoy refuses", () => {
  it("shows in the status of the routes that lead to it, until Envoy takes it", async () => {
    const { publisher, say } = fakeProxy();
    const settings = { controllerName, rootNamespace };
    const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension, publisher });
    const to = (name: string, backend: string) =>
      httpRoute(name, `${name}.example.com`, `  rules: [{backendRefs: [{name: ${backend}, port: 80}]}]`);
    const conditions = (name: string) => JSON.stringify(reconciler.statuses.get(`HTTPRoute team-a/${name}`)?.status);
    reconciler.place(proxy, placed("127.0.0.1"));
    reconciler.synced();
    reconciler.apply(
      changesOf(
        joinDocuments(gatewayClass, httpGateway(8080), service("one", []), to("bad", "one"), to("none", "two")),
      ),
    );
    await reconciler.settled();
    assert.match(conditions("bad"), /"type":"ResolvedRefs","status":"True"/);
    say("refused", "no such bundle", "cluster");
    await reconciler.settled();
    assert.match(conditions("bad"), /"ResolvedRefs","status":"False","reason":"RefusedByEnvoy"/);
    assert.match(conditions("bad"), /Envoy refuses what leads to Service team-a\/one: no such bundle/);
    assert.match(conditions("none"), /BackendNotFound/);
    say("accepted", "", "cluster");
    await reconciler.settled();
    assert.match(conditions("bad"), /"type":"ResolvedRefs","status":"True"/);
    await reconciler.close();
  });
});
