import assert from "node:assert/strict";
import type { Proxy } from "../ir/index.ts";
import { createGraph, silentLogger } from "../lib/index.ts";
import type { Wanted } from "../writer/index.ts";
import { createProxies } from "./proxies.ts";

describe("createProxies()", () => {
  it("keeps what stands for a Gateway whose parameters are not good, and lets go of one that is gone", () => {
    const graph = createGraph();
    const proxies = graph.source<Proxy>("proxies");
    const waiting = graph.source<true>("waiting");
    const wants: (Wanted | undefined)[] = [];
    const { update } = createProxies({
      reconciler: { ir: { proxies }, waiting } as never,
      applier: {
        want: (_, wanted) => wants.push(wanted),
        compareAll: () => undefined,
        secretData: () => undefined,
        synced: Promise.resolve(),
      },
      identity: { proxySecretData: () => Promise.reject(new Error("not asked")) },
      isLeader: () => true,
      ads: { name: "a.test", port: 1 },
      logger: silentLogger,
    });
    waiting.set("infra/gw", true);
    update(["infra/gw"]);
    waiting.set("infra/gw", undefined);
    update(["infra/gw"]);
    assert.deepEqual(wants, [{ kind: "keep" }, undefined]);
  });
});
