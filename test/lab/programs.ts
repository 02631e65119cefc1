// What the lab runs. Versions are pinned by the go.mod of the folder that each comes from.
import path from "node:path";
import { goBuildFlags, goEnvironment } from "../../codegen/src/go/go.ts";

export type GoProgram = {
  readonly name: string;
  /** Folder with the Go module. */
  readonly module: string;
  /** What is built: a package of a module that this one requires, or the module's own. */
  readonly package: string;
  /** Set if the sources in the folder are compiled, not only those of modules that it requires. */
  readonly own?: true;
  /** Set if the program is a compiled test. */
  readonly test?: true;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** About how long it takes on two cores when nothing of it has been compiled before. */
  readonly coldMinutes: number;
};

const folder = (name: string) => path.join(import.meta.dirname, name);

// Go 1.26 is what Kubernetes 1.37 and etcd 3.7 are made with: https://github.com/kubernetes/kubernetes/blob/v1.37.2/.go-version
const go126 = { GOTOOLCHAIN: "go1.26.8", GOWORK: "off" };

// Without these a server says that it is v0.0.0, and kubectl refuses to compare versions.
const kubernetesVersion = { gitVersion: "v1.37.2", gitMajor: "1", gitMinor: "37" };
const versionFlags = ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"].flatMap((module) =>
  Object.entries(kubernetesVersion).map(([name, value]) => `-X ${module}.${name}=${value}`),
);

const kubernetes = <Name extends string>(name: Name, coldMinutes: number) => ({
  name,
  module: folder("kubernetes"),
  package: `k8s.io/kubernetes/cmd/${name}`,
  flags: [`-ldflags=-s -w ${versionFlags.join(" ")}`],
  environment: go126,
  coldMinutes,
});

/** All that `lab up` needs. kube-apiserver stands first: what it has compiled, the others need not. */
export const labPrograms = [
  kubernetes("kube-apiserver", 11),
  kubernetes("kube-controller-manager", 4),
  kubernetes("kube-scheduler", 1),
  kubernetes("kube-proxy", 1),
  kubernetes("kubectl", 1),
  {
    name: "etcd",
    module: folder("etcd"),
    package: "go.etcd.io/etcd/server/v3",
    flags: ["-ldflags=-s -w"],
    environment: go126,
    coldMinutes: 2,
  },
  {
    name: "node",
    module: folder("node"),
    package: ".",
    own: true,
    flags: ["-ldflags=-s -w", ...goBuildFlags],
    environment: goEnvironment,
    coldMinutes: 4,
  },
  {
    name: "echo-basic",
    module: folder("echo-basic"),
    package: "sigs.k8s.io/gateway-api-conformance-images/echo-basic",
    flags: ["-ldflags=-s -w"],
    environment: goEnvironment,
    coldMinutes: 1,
  },
] as const satisfies readonly GoProgram[];

/** Paths of the lab's programs by name. */
export type LabPrograms = Readonly<Record<(typeof labPrograms)[number]["name"], string>>;
