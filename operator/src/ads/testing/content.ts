import { createHash } from "node:crypto";
import type { Resource } from "../resource.ts";
import { type ResourceType, traits } from "../resource-types.ts";

/** What stands in a test's resources instead of Envoy's messages: as much as the order of things depends on. */
export type Content = {
  /** The client refuses it. */
  readonly bad?: boolean;
  /** Clusters that a route table or a virtual host sends to. */
  readonly clusters?: readonly string[];
  /** The route table of a listener. */
  readonly route?: string;
  /** The virtual hosts of this route table come by themselves. */
  readonly vhds?: boolean;
  /** Of a virtual host; two hosts of a table may not have the same. */
  readonly domain?: string;
  /** Where no name goes with the content on the wire. */
  readonly name?: string;
  /** What tells contents apart that are alike otherwise. */
  readonly edition?: number;
};

export function makeResource(type: ResourceType, name: string, content: Content = {}): Resource {
  const body = Buffer.from(JSON.stringify(content));
  const version = createHash("sha256").update(body).digest("base64url").slice(0, 8);
  return { name, version, typeUrl: traits[type].typeUrl, body };
}

export function readContent(body: Uint8Array): Content {
  const content: Content = JSON.parse(Buffer.from(body).toString());
  return content;
}
