// Namespaces of a cluster in which cases are tried, and what is asked of them again and again.
import assert from "node:assert/strict";
import { until } from "../../lab/testing/until.ts";
import type { FaultLab } from "./fault-lab.ts";
import { backend, meshConfig } from "./manifests.ts";

export type Condition = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
};
export type Entry = { readonly controllerName: string; readonly conditions: readonly Condition[] };
export type Found = {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly parents?: readonly (Entry & { readonly parentRef: { readonly name: string } })[];
    readonly ancestors?: readonly (Entry & { readonly ancestorRef: { readonly name: string } })[];
    readonly addresses?: readonly { readonly value: string }[];
    readonly listeners?: readonly { readonly name: string; readonly conditions: readonly Condition[] }[];
  };
};

export const ours = "gatewright.dev/gateway-controller";
/** The machine may have much else to do. */
export const patienceMs = 120_000;

export type Place = {
  readonly namespace: string;
  readonly apply: (...items: readonly object[]) => Promise<string>;
  readonly kubectl: (...args: readonly string[]) => Promise<string>;
  readonly read: (what: string) => Promise<Found>;
  /** The object, once it is as wanted. */
  readonly when: (what: string, isSo: (found: Found) => boolean) => Promise<Found>;
  /** Waits for the Gateway to have its Envoys, and returns its address. */
  readonly serves: (gateway: string) => Promise<string>;
  /** Writes a status as another controller does. */
  readonly report: (what: string, status: object) => Promise<string>;
  /** What Gatewright has made here, as `kind/name`. */
  readonly made: () => Promise<readonly string[]>;
  readonly delete: () => Promise<void>;
};

const madeKinds =
  "deployments,services,secrets,configmaps,serviceaccounts,poddisruptionbudgets,horizontalpodautoscalers";

/** Makes a namespace with a backend `echo` and a MeshConfig for one Envoy a Gateway, unless it is to be empty. */
export async function makePlace({ lab }: FaultLab, namespace: string, empty = false): Promise<Place> {
  const kubectl = (...args: readonly string[]) => lab.kubectl([...args, `--namespace=${namespace}`]);
  const apply = (...items: readonly object[]) =>
    lab.kubectl(
      ["apply", "--server-side", "--force-conflicts", `--namespace=${namespace}`, "--filename=-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
  const read = async (what: string) => JSON.parse(await kubectl("get", what, "--output=json")) as Found;
  const when = (what: string, isSo: (found: Found) => boolean) =>
    until(
      `${what} is as wanted`,
      async () => {
        const found = await read(what);
        if (!isSo(found)) throw new Error(JSON.stringify(found.status));
        return found;
      },
      patienceMs,
    );
  await lab.kubectl(["create", "namespace", namespace]);
  if (!empty) await apply(...backend("echo", 1), meshConfig({ replicas: 1, drainSeconds: 1 }));
  return {
    namespace,
    apply,
    kubectl,
    read,
    when,
    serves: async (gateway) => {
      const { status } = await when(`gateway/${gateway}`, says("Programmed", "True"));
      const [deployment] = (await kubectl("get", "deployments", "--output=name", `--selector=${gatewayLabel(gateway)}`))
        .trim()
        .split("\n");
      await lab.kubectl(["rollout", "status", deployment ?? "", `--namespace=${namespace}`, "--timeout=240s"]);
      return status?.addresses?.[0]?.value ?? assert.fail(`Gateway ${gateway} has no address`);
    },
    report: (what, status) =>
      kubectl("patch", what, "--subresource=status", "--type=merge", `--patch=${JSON.stringify({ status })}`),
    made: async () => {
      const found = await kubectl(
        "get",
        madeKinds,
        "--output=name",
        "--selector=app.kubernetes.io/managed-by=gatewright",
      );
      return found.split("\n").filter((line) => line !== "");
    },
    delete: async () => {
      await lab.kubectl(["delete", "namespace", namespace, "--timeout=240s"]);
    },
  };
}

const gatewayLabel = (name: string) => `gateway.networking.k8s.io/gateway-name=${name}`;

/** Conditions of the object itself, and of our entries in its status. */
const conditionsOf = ({ status }: Found): readonly Condition[] => [
  ...(status?.conditions ?? []),
  ...[...(status?.parents ?? []), ...(status?.ancestors ?? [])]
    .filter(({ controllerName }) => controllerName === ours)
    .flatMap(({ conditions }) => conditions),
];

/** Whether a condition about the latest generation says so. */
export const says =
  (type: string, status: "True" | "False", reason?: string, message = /^/) =>
  (found: Found): boolean =>
    conditionsOf(found).some((each) => isSo(each, found, { type, status, reason, message }));

export const listenerSays =
  (listener: string, type: string, status: "True" | "False", reason?: string, message = /^/) =>
  (found: Found): boolean =>
    (found.status?.listeners?.find(({ name }) => name === listener)?.conditions ?? []).some((each) =>
      isSo(each, found, { type, status, reason, message }),
    );

type Wanted = {
  readonly type: string;
  readonly status: string;
  readonly reason: string | undefined;
  readonly message: RegExp;
};

const isSo = (each: Condition, { metadata }: Found, wanted: Wanted): boolean =>
  each.type === wanted.type &&
  each.status === wanted.status &&
  (wanted.reason === undefined || each.reason === wanted.reason) &&
  wanted.message.test(each.message) &&
  each.observedGeneration === metadata.generation;
