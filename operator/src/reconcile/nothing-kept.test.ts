import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { changesOf } from "../../../test/e2e/support/control-plane.ts";
import { gatewayClass, httpGateway, httpRoute, joinDocuments } from "../../../test/e2e/support/manifests.ts";
import { checkExtension, controllerName, placed, rootNamespace } from "../../../test/support/translation.ts";
import { silentLogger } from "../lib/index.ts";
import { createReconciler, type Publisher, type Verdict } from "./index.ts";

const proxy = "team-a/gw";
const inBatch = 100;

/** Takes all that comes. */
function content(): Publisher {
  const listeners = new Set<(verdict: Verdict) => void>();
  return {
    publish: (_, changes) => {
      for (const { type, name, resource } of changes)
        if (resource !== undefined)
          for (const listener of listeners)
            listener({ kind: "accepted", proxy, type, resources: [{ name, version: resource.version }], message: "" });
    },
    remove: () => undefined,
    retry: () => undefined,
    onVerdict: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Live bytes of the heap. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  assert.ok(typeof collect === "function");
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

describe("createReconciler(): objects that come and go for ever, each with another name", () => {
  it("leave nothing behind", async function () {
    this.timeout(120_000);
    const settings = { controllerName, rootNamespace };
    const reconciler = createReconciler({ logger: silentLogger, settings, checkExtension, publisher: content() });
    reconciler.place(proxy, placed("127.0.0.1"));
    reconciler.synced();
    reconciler.apply(changesOf(joinDocuments(gatewayClass, httpGateway(8080))));
    await reconciler.settled();
    let next = 0;
    const churn = async (batches: number) => {
      for (let batch = 0; batch < batches; batch++) {
        const names = Array.from({ length: inBatch }, () => `route-${next++}`);
        const come = changesOf(
          joinDocuments(...names.map((name) => httpRoute(name, `${name}.example.com`, "  rules: [{}]"))),
        );
        reconciler.apply(come);
        await reconciler.settled();
        reconciler.apply(come.map((change) => ({ ...change, object: undefined })));
        await reconciler.settled();
      }
    };
    await churn(10);
    const before = heapBytes();
    const batches = 20;
    await churn(batches);
    const bytesEach = (heapBytes() - before) / (batches * inBatch);
    // The shortest string with its place in a map is more than that.
    assert.ok(bytesEach < 60, `${bytesEach.toFixed(0)} bytes are left of each route that is gone`);
    await reconciler.close();
  });
});
