import { perType, type ResourceType } from "./resource-types.ts";

/** What went over the wire since the start, for metrics and measurements. Read it whenever you like; it is live. */
export type AdsCounters = {
  readonly streams: {
    open: number;
    total: number;
    refused: number;
    /** Sent away because they did not read what they were sent. */
    stuck: number;
  };
  readonly types: Readonly<Record<ResourceType, TypeCounters>>;
};

export type TypeCounters = {
  responses: number;
  /** Of encoded responses, as gRPC frames them. */
  bytes: number;
  resources: number;
  removals: number;
  acks: number;
  nacks: number;
  /** Contents found to be refused. */
  refused: number;
};

export function createCounters(): AdsCounters {
  return {
    streams: { open: 0, total: 0, refused: 0, stuck: 0 },
    types: perType(() => ({ responses: 0, bytes: 0, resources: 0, removals: 0, acks: 0, nacks: 0, refused: 0 })),
  };
}
