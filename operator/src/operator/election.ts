import { hostname } from "node:os";
import type { ApiServer } from "../kubernetes/index.ts";
import { createLeaderElection, leaseIdentity, type LeaderElection } from "../lease/index.ts";
import { systemClock } from "../lib/index.ts";
import { leadingAlone } from "./leading-alone.ts";
import type { OperatorOptions } from "./options.ts";

/** The pod, which has the name of its host. */
export const instanceOf = ({ env }: Pick<OperatorOptions, "env">): string => env["POD_NAME"] || hostname();

export function electionOf(options: OperatorOptions, api: ApiServer, namespace: string): LeaderElection {
  if (!options.leaderElection) return leadingAlone();
  return createLeaderElection({
    api,
    namespace,
    name: "gatewright",
    identity: leaseIdentity(instanceOf(options)),
    logger: options.logger,
    clock: systemClock,
    now: () => new Date(),
  });
}
