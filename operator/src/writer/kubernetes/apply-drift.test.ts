import assert from "node:assert/strict";
import { differences } from "./apply-drift.ts";

describe("differences()", () => {
  const desired = {
    spec: { type: "A", containers: [{ name: "envoy", args: ["-c", "x"], env: [] }], list: ["a", "b"], empty: {} },
    metadata: { ownerReferences: [{ uid: "1", name: "web" }] },
  };

  it("are none where the rest is somebody else's", () => {
    const observed = {
      status: {},
      spec: {
        type: "A",
        more: 1,
        containers: [{ name: "sidecar" }, { name: "envoy", args: ["-c", "x"], env: [], image: "y" }],
        list: ["a", "b"],
        empty: { filled: true },
      },
      metadata: {
        name: "web",
        ownerReferences: [
          { uid: "2", name: "web" },
          { uid: "1", name: "web", controller: true },
        ],
      },
    };
    assert.deepEqual(differences(desired, observed), []);
  });

  it("are none between two forms of an amount", () => {
    const resources = (cpu: string, memory: string) => ({ resources: { requests: { cpu }, limits: { memory } } });
    assert.deepEqual(differences(resources("0.5", "1024Mi"), resources("500m", "1Gi")), []);
    assert.deepEqual(differences(resources("0.5", "1G"), resources("400m", "1Gi")), [
      "resources.requests.cpu",
      "resources.limits.memory",
    ]);
    assert.deepEqual(differences({ labels: { a: "1024" } }, { labels: { a: "1Ki" } }), ["labels.a"]);
  });

  it("are the paths of what is missing or other", () => {
    const observed = {
      spec: { type: "B", containers: [{ name: "envoy", args: ["-c"] }], list: ["b", "a"], empty: "x" },
      metadata: { ownerReferences: [] },
    };
    assert.deepEqual(differences(desired, observed), [
      "spec.type",
      "spec.containers[envoy].args",
      "spec.containers[envoy].env",
      "spec.list[0]",
      "spec.list[1]",
      "spec.empty",
      "metadata.ownerReferences[1]",
    ]);
    assert.deepEqual(differences(desired, undefined), [""]);
  });
});
