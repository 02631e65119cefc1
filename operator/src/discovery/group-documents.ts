import { isFields } from "../lib/index.ts";
import type { ApiResponse, ApiServer } from "../kubernetes/index.ts";
import { apiFailure, isSuccess } from "../kubernetes/index.ts";

/** What the server says that it has. */
export type Offer = {
  /** `group/version/kind` to its plural. */
  readonly plurals: ReadonlyMap<string, string>;
  /** `group/version` of which the server itself says that it does not know at the moment. */
  readonly stale: ReadonlySet<string>;
};

export type OfferReading =
  | { readonly kind: "offer"; readonly offer: Offer }
  | { readonly kind: "failed"; readonly message: string };

export type GroupVersion = { readonly group: string; readonly version: string };

/** All in two answers, where the server can do that (from 1.27 on): https://kubernetes.io/docs/concepts/overview/kubernetes-api/#aggregated-discovery */
const aggregated = [
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
  "application/json",
].join(",");

type Gathered = { readonly plurals: Map<string, string>; readonly stale: Set<string> };

/** Asks what there is. Of a server that cannot say it all at once, only of the given versions. */
export async function readOffer(
  api: ApiServer,
  wanted: readonly GroupVersion[],
  signal: AbortSignal,
): Promise<OfferReading> {
  const gathered: Gathered = { plurals: new Map(), stale: new Set() };
  for (const path of ["/api", "/apis"]) {
    const response = await api.request({ method: "GET", path, accept: aggregated, signal });
    if (!isSuccess(response)) return failed(path, response);
    const { body } = response;
    if (isFields(body) && body["kind"] === "APIGroupDiscoveryList") gatherAggregated(body, gathered);
    else {
      const failure = await gatherOneByOne(api, path, wanted, gathered, signal);
      if (failure !== undefined) return failure;
    }
  }
  return { kind: "offer", offer: gathered };
}

/** Whether there is such a version is said by asking for it: 404 is an answer. */
async function gatherOneByOne(
  api: ApiServer,
  root: string,
  wanted: readonly GroupVersion[],
  { plurals }: Gathered,
  signal: AbortSignal,
): Promise<OfferReading | undefined> {
  const own = wanted.filter(({ group }) => (group === "") === (root === "/api"));
  for (const one of own) {
    const offered = await groupVersionPlurals(api, one, signal);
    if (typeof offered === "string") return { kind: "failed", message: offered };
    for (const [kind, plural] of offered) plurals.set(offerKey(one.group, one.version, kind), plural);
  }
  return undefined;
}

/** The plurals of the kinds that a version of a group has, none where there is no such version; or why that cannot be told. */
export async function groupVersionPlurals(
  api: ApiServer,
  { group, version }: GroupVersion,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | string> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const response = await api.request({ method: "GET", path, signal });
  if (response.status === 404) return new Map();
  if (!isSuccess(response)) return failed(path, response).message;
  return new Map(
    listIn(response.body, "resources").flatMap(({ name, kind }): [string, string][] =>
      typeof name === "string" && !name.includes("/") ? [[String(kind), name]] : [],
    ),
  );
}

function gatherAggregated(body: unknown, { plurals, stale }: Gathered): void {
  for (const { metadata, versions } of listIn(body, "items")) {
    const group = isFields(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
    for (const { version, freshness, resources } of listIn({ versions }, "versions")) {
      if (typeof version !== "string") continue;
      if (freshness === "Stale") stale.add(`${group}/${version}`);
      for (const { resource, responseKind } of listIn({ resources }, "resources"))
        if (typeof resource === "string" && isFields(responseKind))
          plurals.set(offerKey(group, version, String(responseKind["kind"])), resource);
    }
  }
}

export const offerKey = (group: string, version: string, kind: string): string => `${group}/${version}/${kind}`;

function listIn(value: unknown, field: string): readonly Readonly<Record<string, unknown>>[] {
  const list = isFields(value) ? value[field] : undefined;
  return Array.isArray(list) ? list.filter(isFields) : [];
}

const failed = (path: string, response: ApiResponse): Extract<OfferReading, { readonly kind: "failed" }> => ({
  kind: "failed",
  message: `${path} was answered by ${apiFailure(response)}`,
});
