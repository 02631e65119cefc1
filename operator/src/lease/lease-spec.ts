import type { Lease, LeaseSpec } from "@gatewright/crd-types/coordination/v1";

export type Claim = {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly now: Date;
};

/** Empty where nobody holds it. */
export const holderOf = (lease: Lease | undefined): string => lease?.spec?.holderIdentity ?? "";

/** What a Lease says once we hold it: a renewal where we held it before, else a transition. */
export function claimed(previous: LeaseSpec | undefined, { identity, leaseDurationMs, now }: Claim): LeaseSpec {
  const isRenewal = previous?.holderIdentity === identity;
  const transitions = previous?.leaseTransitions ?? 0;
  return {
    ...previous,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseDurationMs / 1_000),
    acquireTime: (isRenewal ? previous.acquireTime : undefined) ?? microTime(now),
    renewTime: microTime(now),
    // A Lease that we create has seen none.
    leaseTransitions: previous === undefined || isRenewal ? transitions : transitions + 1,
  };
}

/** What a Lease says once we have let go of it: whoever asks next may have it at once. */
export const released = (previous: LeaseSpec | undefined, now: Date): LeaseSpec => ({
  ...previous,
  holderIdentity: "",
  leaseDurationSeconds: 1,
  acquireTime: microTime(now),
  renewTime: microTime(now),
});

const microTime = (time: Date): string => time.toISOString().replace("Z", "000Z");
