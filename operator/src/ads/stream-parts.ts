import type { HostDiscovery } from "./host-discovery.ts";
import type { ResourceType } from "./resource-types.ts";
import type { Rollouts } from "./rollout.ts";
import type { Snapshot } from "./snapshot.ts";
import type { TypeSession } from "./type-session.ts";
import type { View } from "./view.ts";
import type { Warming } from "./warming.ts";

/** What the requests of a stream act on. */
export type StreamParts = {
  readonly snapshot: Snapshot;
  readonly view: View;
  readonly sessions: Readonly<Record<ResourceType, TypeSession>>;
  readonly hosts: HostDiscovery;
  readonly warming: Warming;
  readonly rollouts: Rollouts;
};
