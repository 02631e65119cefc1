// What the suite leaves in a cluster when it is ended in the middle, or told to leave it: all that was not there before.
import type { Lab } from "../lab/index.ts";

const kinds = ["namespaces", "gatewayclasses"] as const;

export type ClusterState = Readonly<Record<(typeof kinds)[number], readonly string[]>>;

export async function readClusterState(lab: Lab): Promise<ClusterState> {
  const names = async (kind: string) =>
    (await lab.kubectl(["get", kind, "--output=name"])).split("\n").filter((name) => name !== "");
  return { namespaces: await names("namespaces"), gatewayclasses: await names("gatewayclasses") };
}

/** Removes namespaces and GatewayClasses that have come since, and waits until they are gone. */
export async function returnTo(lab: Lab, before: ClusterState): Promise<void> {
  const now = await readClusterState(lab);
  const added = kinds.flatMap((kind) => now[kind].filter((name) => !before[kind].includes(name)));
  if (added.length > 0) await lab.kubectl(["delete", "--ignore-not-found", "--timeout=180s", ...added]);
}
