import type { ApiBed } from "../api-bed.ts";
import type { EnvoyOptions } from "../envoy.ts";
import type { ExtensionRef, KubernetesObject } from "../objects.ts";
import type { Program } from "../program.ts";

export const sideNames = ["ours", "envoy-gateway", "envoy-gateway-qps-500", "null"] as const;
export type SideName = (typeof sideNames)[number];
export const isSideName = (text: string): text is SideName => sideNames.some((name) => name === text);

/** What the product counts of itself. Of others it is not known. */
export type OwnCounters = { readonly computations: number; readonly resources: number; readonly pushedBytes: number };

/** A control plane that is measured. */
export type Side = {
  readonly name: SideName;
  readonly version: string;
  readonly className: string;
  readonly controllerName: string;
  /** Whether it writes statuses. */
  readonly writesStatuses: boolean;
  /** What has to be in the cluster before it starts; once for a cluster. */
  readonly prepare: (bed: ApiBed) => Promise<void>;
  /** What has to be outside of the cluster, where that is there already: after `prepare`, and where a snapshot is gone on from. */
  readonly equip?: (bed: ApiBed) => Promise<void>;
  readonly start: (bed: ApiBed) => Promise<Program>;
  /** How its Envoy starts, as soon as the implementation says so. */
  readonly envoyOptions: (bed: ApiBed) => Promise<EnvoyOptions>;
  readonly ownCounters?: () => Promise<OwnCounters>;
  /** Live heap after a collection, in MiB, where there is a way to ask. It costs the implementation time. */
  readonly heapMiB?: (program: Program) => Promise<number>;
  /** Its own way for a user to add a response header by a filter of Envoy's. */
  readonly headerFilter?: HeaderFilter;
};

export type HeaderFilter = {
  /** The object of the user in which the header's value stands. */
  readonly object: (route: string, header: string, value: string) => KubernetesObject;
  /** The same, but such that its own checks refuse it. */
  readonly broken: (route: string) => KubernetesObject;
  /** What the route's rule names, unless the object names the route. */
  readonly extension?: ExtensionRef;
};
