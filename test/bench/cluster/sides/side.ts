import type { ApiBed } from "../api-bed.ts";
import type { EnvoyOptions } from "../envoy.ts";
import type { Program } from "../program.ts";

export const sideNames = ["ours", "envoy-gateway", "null"] as const;
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
  readonly start: (bed: ApiBed) => Promise<Program>;
  /** How its Envoy starts, as soon as the implementation says so. */
  readonly envoyOptions: (bed: ApiBed) => Promise<EnvoyOptions>;
  readonly ownCounters?: () => Promise<OwnCounters>;
};
