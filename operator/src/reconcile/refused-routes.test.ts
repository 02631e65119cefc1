import assert from "node:assert/strict";
import { changesOf } from "../../../test/e2e/support/control-plane.ts";
import { gatewayClass, httpGateway, joinDocuments } from "../../../test/e2e/support/manifests.ts";
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

/** Takes what is published, and refuses route tables as it is told. */
function fakeProxy() {
  const versions = new Map<string, string>();
  const listeners = new Set<(verdict: Verdict) => void>();
  const note = (changes: readonly ResourceChange[]) => {
    for (const { type, name, resource } of changes)
      if (type === "route" && resource !== undefined) versions.set(name, resource.version);
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
  const say = (kind: Verdict["kind"], message = "") => {
    const resources = [...versions].map(([name, version]) => ({ name, version }));
    for (const listener of listeners) listener({ kind, proxy, type: "route", resources, message });
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
