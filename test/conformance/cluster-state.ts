// What the suite leaves in a cluster when it is ended in the middle, or told to leave it: all that was not there before.
import type { Lab } from "../lab/index.ts";

const kinds = ["namespaces", "gatewayclasses"] as const;

export type ClusterState = Readonly<Record<(typeof kinds)[number], readonly string[]>>;

/** The suite's own, whenever they were made: what an earlier run has left in them would be in the way. */
const ofSuite = /^namespace\/gateway-conformance-|\/gatewayclass-observed-generation-bump$/;

type Kubectl = Pick<Lab, "kubectl">;

async function namesOf(lab: Kubectl): Promise<ClusterState> {
  const names = async (kind: string) =>
    (await lab.kubectl(["get", kind, "--output=name"])).split("\n").filter((name) => name !== "");
  return { namespaces: await names("namespaces"), gatewayclasses: await names("gatewayclasses") };
}

/** What is there and not the suite's. */
export async function readClusterState(lab: Kubectl): Promise<ClusterState> {
  const { namespaces, gatewayclasses } = await namesOf(lab);
  const others = (names: readonly string[]) => names.filter((name) => !ofSuite.test(name));
  return { namespaces: others(namespaces), gatewayclasses: others(gatewayclasses) };
}

/** Removes namespaces and GatewayClasses that are not of this state, waits until they are gone, and returns what they were. */
export async function returnTo(lab: Kubectl, before: ClusterState): Promise<readonly string[]> {
  const now = await namesOf(lab);
  const added = kinds.flatMap((kind) => now[kind].filter((name) => !before[kind].includes(name)));
  if (added.length > 0) await lab.kubectl(["delete", "--ignore-not-found", "--timeout=180s", ...added]);
  return added;
}
