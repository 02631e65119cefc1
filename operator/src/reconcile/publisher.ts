import type { ProxyKey } from "../ir/index.ts";
import type { ProxyResource, ResourceType } from "../xds/index.ts";

// What the loop needs of whoever serves xDS; `ads` satisfies it and knows nothing of this side.

export type EncodedResource = Pick<ProxyResource, "name" | "version" | "typeUrl" | "body">;

export type ResourceChange = {
  readonly type: ResourceType;
  readonly name: string;
  /** Undefined: the proxy needs it no longer. */
  readonly resource: EncodedResource | undefined;
};

/** What an Envoy said to resources that it was sent. */
export type Verdict = {
  readonly kind: "accepted" | "refused";
  readonly proxy: ProxyKey;
  readonly type: ResourceType;
  readonly resources: readonly { readonly name: string; readonly version: string }[];
  /** Envoy's words, cut; empty where it accepted. */
  readonly message: string;
};

export type Publisher = {
  /** Hands over what has changed for a proxy; order and timing on the wire are the publisher's. */
  readonly publish: (proxy: ProxyKey, changes: readonly ResourceChange[]) => void;
  /** The proxy is gone for good. */
  readonly remove: (proxy: ProxyKey) => void;
  /** Sends again what was refused for a cause outside of it, as a port in use. */
  readonly retry: (proxy: ProxyKey, type: ResourceType, name: string) => void;
  /** Calls `listener` for every answer of an Envoy; returns how to stop it. */
  readonly onVerdict: (listener: (verdict: Verdict) => void) => () => void;
};
