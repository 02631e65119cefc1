import assert from "node:assert/strict";
import { commandOf, componentNames, type ComponentSettings } from "./components.ts";

const settings: ComponentSettings = {
  folder: "/run/lab",
  kubeconfig: "/run/lab/kubeconfig",
  imagesFile: "/run/lab/images.json",
  programs: {
    etcd: "/bin/etcd",
    "kube-apiserver": "/bin/kube-apiserver",
    "kube-controller-manager": "/bin/kube-controller-manager",
    "kube-scheduler": "/bin/kube-scheduler",
    "kube-proxy": "/bin/kube-proxy",
    kubectl: "/bin/kubectl",
    node: "/bin/node",
    "echo-basic": "/bin/echo-basic",
  },
  clusterTrustBundle: true,
};

describe("commandOf()", () => {
  it("starts the program of each component", () => {
    for (const name of componentNames) assert.ok(commandOf(name, settings).includes(`/bin/${name}`), name);
  });

  it("switches ClusterTrustBundles off where both sides of them are", () => {
    const off = { ...settings, clusterTrustBundle: false };
    for (const name of ["kube-apiserver", "kube-controller-manager"] as const) {
      assert.ok(!commandOf(name, settings).join(" ").includes("feature-gates"));
      assert.match(commandOf(name, off).join(" "), /--feature-gates=ClusterTrustBundle=false,/);
    }
  });

  it("bounds the grace of pods only where asked to", () => {
    assert.ok(!commandOf("node", settings).join(" ").includes("max-grace"));
    assert.ok(commandOf("node", { ...settings, maxGraceSeconds: 3 }).includes("--max-grace=3s"));
  });
});
