import { randomUUID } from "node:crypto";

/** A name for this process in a Lease: people know it by the host's (a pod's) name, and no other process ever has it. */
export const leaseIdentity = (host: string): string => `${host}_${randomUUID()}`;
