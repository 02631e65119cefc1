import assert from "node:assert/strict";
import type { Gateway } from "@gatewright/crd-types/gateway/v1";
import { checkExtension, controllerName, placed, rootNamespace } from "../../../test/support/translation.ts";
import { silentLogger } from "../lib/index.ts";
import type { Change } from "../store/index.ts";
import { createReconciler, type Publisher, type Reconciler } from "./index.ts";

const group = "gateway.networking.k8s.io/v1";

/** A class of ours, and a Gateway of it with one listener. */
function putGateway({ store: { objects } }: Reconciler, listener: Gateway["spec"]["listeners"][number]): void {
  objects.GatewayClass.set("ours", {
    apiVersion: group,
    kind: "GatewayClass",
    metadata: { name: "ours" },
    spec: { controllerName },
  });
  objects.Gateway.set("infra/gw", {
    apiVersion: group,
    kind: "Gateway",
    metadata: { name: "gw", namespace: "infra" },
    spec: { gatewayClassName: "ours", listeners: [listener] },
  });
}

describe("createReconciler(): proxies", () => {
  it("says when a proxy is wanted and when not, and removes it after all else that is published for it", async () => {
    const calls: string[] = [];
    const publisher: Publisher = {
      publish: (proxy, changes) =>
        calls.push(`publish ${proxy} ${changes.every(({ resource }) => resource === undefined) ? "nothing" : "some"}`),
      remove: (proxy) => calls.push(`remove ${proxy}`),
      retry: () => undefined,
      onVerdict: () => () => undefined,
    };
    const settings = { controllerName, rootNamespace };
    const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension, publisher });
    const wanted: string[][] = [];
    reconciler.onRound((round) => wanted.push([...round.wanted]));
    putGateway(reconciler, { name: "web", port: 80, protocol: "HTTP" });
    reconciler.synced();
    reconciler.apply([]);
    await reconciler.settled();
    reconciler.place("infra/gw", placed("127.0.0.1"));
    await reconciler.settled();
    reconciler.apply([{ kind: "Gateway", key: "infra/gw", object: undefined }]);
    reconciler.place("infra/gw", undefined);
    await reconciler.settled();
    await reconciler.close();
    assert.deepEqual(wanted, [["infra/gw"], [], ["infra/gw"]]);
    assert.deepEqual(calls.slice(-2), ["publish infra/gw nothing", "remove infra/gw"]);
  });

  it("tells of Gateways whose class comes and goes, since what was made for them may be anybody's meanwhile", async () => {
    const settings = { controllerName, rootNamespace };
    const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension });
    const wanted: string[][] = [];
    reconciler.onRound((round) => wanted.push([...round.wanted]));
    const isUnclaimed: boolean[] = [];
    const take = async (change: Change) => {
      reconciler.apply([change]);
      await reconciler.settled();
      isUnclaimed.push(reconciler.unclaimed.get("infra/gw") === true);
    };
    const gateway: Change = {
      kind: "Gateway",
      key: "infra/gw",
      object: {
        apiVersion: group,
        kind: "Gateway",
        metadata: { name: "gw", namespace: "infra" },
        spec: { gatewayClassName: "theirs", listeners: [{ name: "web", port: 80, protocol: "HTTP" }] },
      },
    };
    const theirs: Change = {
      kind: "GatewayClass",
      key: "theirs",
      object: {
        apiVersion: group,
        kind: "GatewayClass",
        metadata: { name: "theirs" },
        spec: { controllerName: "example.com/other" },
      },
    };
    reconciler.synced();
    await take(gateway);
    await take(theirs);
    await take({ ...theirs, object: undefined });
    await take({ ...gateway, object: undefined });
    await reconciler.close();
    assert.deepEqual(isUnclaimed, [true, false, true, false]);
    assert.deepEqual(wanted, [["infra/gw"], ["infra/gw"], ["infra/gw"], ["infra/gw"]]);
  });

  it("has a first word for a proxy without a valid listener, once it has its place: its Envoy waits for that", async () => {
    const published: [proxy: string, changes: number][] = [];
    const publisher: Publisher = {
      publish: (proxy, changes) => published.push([proxy, changes.length]),
      remove: () => undefined,
      retry: () => undefined,
      onVerdict: () => () => undefined,
    };
    const settings = { controllerName, rootNamespace };
    const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension, publisher });
    putGateway(reconciler, { name: "other", port: 80, protocol: "example.com/other" });
    reconciler.synced();
    reconciler.apply([]);
    await reconciler.settled();
    assert.deepEqual(published, []);
    reconciler.place("infra/gw", placed("127.0.0.1"));
    await reconciler.settled();
    await reconciler.close();
    assert.deepEqual(published, [["infra/gw", 0]]);
  });
});
