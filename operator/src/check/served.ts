import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findKindInGroup, kinds, type KindName } from "@gatewright/crd-types";
import type { Schema } from "@gatewright/crd-types/schema";
import { schemas } from "@gatewright/crd-types/schemas";
import { allKinds, type CustomKind, parseText, type ServedKinds } from "../source/index.ts";
import { isStoredKind, type StoredKind, storedKinds } from "../store/index.ts";
import { readDefinition } from "./definitions.ts";

/** Release channels of the Gateway API. */
export const channels = ["standard", "experimental"] as const;
export type Channel = (typeof channels)[number];

/** Minor releases of Kubernetes 1 that can be named. */
export const kubernetesMinors = { oldest: 30, newest: 37 } as const;

/** What a cluster has, by the channel of its CRDs and its release. */
export type Served = ServedKinds & {
  /** A kind that has a schema and is not translated; undefined where nothing is known. Versions without any: it is not served. */
  readonly otherKind: (group: string, kind: string) => KnownKind | undefined;
  /** Stored kinds that this cluster has not. */
  readonly absent: readonly StoredKind[];
};

export type KnownKind = { readonly versions: ReadonlyMap<string, CustomKind> };

/** `minor` is that of Kubernetes 1. */
export function createServed(channel: Channel, minor: number = kubernetesMinors.newest): Served {
  const versionsOf = (kind: StoredKind): readonly string[] => {
    const lives = builtinVersions[kind];
    if (lives === undefined) return channel === "standard" ? standardVersions(kind) : allKinds.versionsOf(kind);
    return allKinds.versionsOf(kind).filter((version) => (lives[version] ?? 0) <= minor);
  };
  return {
    schemaOf: (kind, object) =>
      (channel === "standard" ? standardOf(kind)?.schema : undefined) ?? allKinds.schemaOf(kind, object),
    versionsOf,
    otherKind: (group, kind) => otherKind(group, kind, channel),
    absent: Object.keys(storedKinds)
      .filter(isStoredKind)
      .filter((kind) => versionsOf(kind).length === 0),
  };
}

/** The minor release since which a version of a built-in kind is served; those that are not here always are. https://kubernetes.io/docs/reference/using-api/deprecation-guide/ */
const builtinVersions: Readonly<Partial<Record<StoredKind, Readonly<Record<string, number>>>>> = {
  ClusterTrustBundle: { v1beta1: 33, v1: 37 },
};

function standardVersions(kind: StoredKind): readonly string[] {
  return isOfGatewayApi(kind) ? (standardOf(kind)?.versions ?? []) : allKinds.versionsOf(kind);
}

const isOfGatewayApi = (kind: StoredKind): boolean => storedKinds[kind].group === "gateway.networking.k8s.io";

type Standard = { readonly schema: Schema; readonly versions: readonly string[] };

const standards = new Map<StoredKind, Standard | undefined>();

/** Only the experimental channel is built in as schemas: that of the other is read from its CRD when it is asked for. */
function standardOf(kind: StoredKind): Standard | undefined {
  if (!isOfGatewayApi(kind)) return undefined;
  if (!standards.has(kind)) standards.set(kind, readStandard(kind));
  return standards.get(kind);
}

function readStandard(kind: StoredKind): Standard | undefined {
  const { group, plural, channel, version } = kinds[kind] as (typeof kinds)[KindName] & { readonly channel?: Channel };
  if (channel !== "standard") return undefined;
  const file = fileURLToPath(import.meta.resolve(`@gatewright/crd-types/crds/standard/${group}_${plural}.yaml`));
  const parsed = parseText(readFileSync(file, "utf8"));
  const definition = parsed.kind === "value" ? readDefinition(parsed.value) : undefined;
  const own = definition?.kind === "definition" ? definition.versions.get(version) : undefined;
  if (definition?.kind !== "definition" || own === undefined) throw new Error(`${file} has no ${version}`);
  return { schema: own.schema, versions: [...definition.versions.keys()] };
}

function otherKind(group: string, kind: string, channel: Channel): KnownKind | undefined {
  const info = findKindInGroup(group, kind);
  const schema = info === undefined ? undefined : Object.entries(schemas).find(([id]) => id === info.id)?.[1];
  if (info === undefined || schema === undefined) return undefined;
  if (channel === "standard" && info.channel === "experimental") return { versions: new Map() };
  const custom = { schema, isNamespaced: info.scope === "Namespaced" };
  const served = info.versions.filter((version) => version.served);
  return { versions: new Map(served.map(({ name }) => [name, custom])) };
}
