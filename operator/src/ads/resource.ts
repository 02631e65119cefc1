import type { ResourceType } from "./resource-types.ts";

/** One xDS resource, encoded once for all clients. */
export type Resource = {
  readonly name: string;
  /** A short hash of the content. Equal versions of a name mean equal content. */
  readonly version: string;
  readonly typeUrl: string;
  /** The encoded message: the value of the `Any` that carries it. */
  readonly body: Uint8Array;
};

export type ResourceChange = {
  readonly type: ResourceType;
  readonly name: string;
  /** Undefined: the proxy needs it no longer. */
  readonly resource: Resource | undefined;
};

/** A change that made a difference. */
export type AppliedChange = {
  readonly type: ResourceType;
  readonly name: string;
  readonly before: Resource | undefined;
  /** What was accepted last before. */
  readonly good: Resource | undefined;
  readonly after: Resource | undefined;
};

/** What a client said to resources that it was sent, or has from an earlier connection. */
export type Verdict = {
  readonly kind: "accepted" | "refused";
  readonly proxy: string;
  readonly type: ResourceType;
  readonly resources: readonly { readonly name: string; readonly version: string }[];
  /** The client's words, cut, without the text of the resource; empty where it accepted. */
  readonly message: string;
};
