import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Origin, ProxyKey } from "../ir/index.ts";
import { deepEqual } from "../lib/index.ts";
import { encode, typeUrl } from "./proto/index.ts";
import { validateMessage } from "./validate/index.ts";
import { contentVersion } from "./version.ts";

/** In the order in which a proxy must know them: who is referred to comes first. */
export const resourceTypes = [
  "cluster",
  "endpoint",
  "secret",
  "extension",
  "listener",
  "route",
  "virtualHost",
] as const;

export type ResourceType = (typeof resourceTypes)[number];

/** An Envoy resource as it goes over the wire. */
export type Encoded = {
  /** A short hash of the content. */
  readonly version: string;
  readonly typeUrl: string;
  readonly body: Uint8Array;
};

/** A resource that a proxy needs. */
export type ProxyResource = Encoded & {
  readonly proxy: ProxyKey;
  readonly type: ResourceType;
  readonly name: string;
};

/** What Envoy would refuse, and what is done instead. */
export type XdsProblem = {
  readonly type: ResourceType;
  /** Name of the resource that is concerned. */
  readonly resource: string;
  /** Undefined: it concerns every proxy that uses the resource. */
  readonly proxy?: ProxyKey;
  /** The object behind it, where one is known. */
  readonly origin?: Origin;
  readonly effect: /** The route's requests are answered 500. */
    | "answers-500"
    /** The route, filter chain or resource is not there. */
    | "left-out";
  readonly violations: readonly ProblemDetail[];
};

export type ProblemDetail = {
  /** Where in the Envoy message, as `routes[0].match`; empty for the message itself. */
  readonly path: string;
  readonly message: string;
};

/** What building a resource came to. */
export type Build = {
  /** Undefined: the resource is left out. */
  readonly encoded: Encoded | undefined;
  readonly problems: readonly XdsProblem[];
};

export const equalBuilds = (left: Build, right: Build): boolean =>
  left.encoded?.version === right.encoded?.version && deepEqual(left.problems, right.problems);

export const equalResources = (left: ProxyResource, right: ProxyResource): boolean => left.version === right.version;

/** What of Envoy's rules a message breaks; empty where it is fine. */
export function violationsOf<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): readonly ProblemDetail[] {
  const validation = validateMessage(schema, message);
  if (validation.kind === "valid") return [];
  return validation.violations.slice(0, maxViolations).map(({ path, message: text }) => ({ path, message: text }));
}

/** A message that is wrong a hundred times over is explained well enough by the first few. */
const maxViolations = 8;

export function encodeResource<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc>): Encoded {
  return encodedBody(typeUrl(schema), encode(schema, message));
}

export const encodedBody = (url: string, body: Uint8Array): Encoded => ({
  version: contentVersion(body),
  typeUrl: url,
  body,
});

/** Encodes a message that keeps Envoy's rules; one that does not is left out. `about` is what a problem says besides. */
export function encodeChecked<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
  about: Pick<XdsProblem, "type" | "resource" | "proxy" | "origin">,
): Build {
  const violations = violationsOf(schema, message);
  if (violations.length > 0) return { encoded: undefined, problems: [{ ...about, effect: "left-out", violations }] };
  return { encoded: encodeResource(schema, message), problems: [] };
}
