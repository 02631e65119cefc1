import assert from "node:assert/strict";
import { readClusterState, returnTo } from "./cluster-state.ts";

/** A cluster that knows names only. */
function cluster(...names: readonly string[]) {
  const present = new Set(names);
  return {
    present,
    kubectl: async ([verb, kind = "", ...rest]: readonly string[]) => {
      if (verb === "get") {
        const wanted = [...present].filter((name) => name.startsWith(kind === "namespaces" ? "namespace/" : "gateway"));
        return wanted.map((name) => `${name}\n`).join("");
      }
      for (const name of [kind, ...rest]) present.delete(name);
      return "";
    },
  };
}

describe("what the suite leaves in a cluster", () => {
  it("is removed, and nothing else", async () => {
    const lab = cluster("namespace/default", "namespace/mine", "gatewayclass.networking/gatewright");
    const before = await readClusterState(lab);
    lab.present.add("namespace/gateway-conformance-infra").add("namespace/gateway-api-listenerset-ns");
    lab.present.add("gatewayclass.networking/other");
    assert.equal((await returnTo(lab, before)).length, 3);
    assert.deepEqual([...lab.present].toSorted(), [
      "gatewayclass.networking/gatewright",
      "namespace/default",
      "namespace/mine",
    ]);
    assert.deepEqual(await returnTo(lab, before), []);
  });

  it("is also what an earlier run has left", async () => {
    const lab = cluster("namespace/default", "namespace/gateway-conformance-infra");
    lab.present.add("gatewayclass.networking/gatewayclass-observed-generation-bump");
    await returnTo(lab, await readClusterState(lab));
    assert.deepEqual([...lab.present], ["namespace/default"]);
  });
});
