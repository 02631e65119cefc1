import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findKindInGroup, kinds, versionOf } from "@gatewright/crd-types";
import { schemas } from "@gatewright/crd-types/schemas";
import { allKinds, type CustomKind, parseText, type ServedKinds } from "../source/index.ts";
import { isStoredKind, type StoredKind, storedKinds } from "../store/index.ts";
import { isFields, textOf } from "../lib/index.ts";
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
    if (lives !== undefined) return allKinds.versionsOf(kind).filter((version) => (lives[version] ?? 0) <= minor);
    const isBuiltIn = channel === "experimental" || !isOfGatewayApi(kind);
    return isBuiltIn ? allKinds.versionsOf(kind) : [...versionsIn(channel, kind).keys()];
  };
  return {
    schemaOf: (kind, object) => {
      const stated = versionOf(isFields(object) ? textOf(object["apiVersion"]) : "");
      // The newest version of the experimental channel is built in; all others are in the CRDs.
      const isBuiltIn = !isOfGatewayApi(kind) || (channel === "experimental" && stated === kinds[kind].version);
      const custom = isBuiltIn ? undefined : versionsIn(channel, kind).get(stated);
      return custom?.schema ?? allKinds.schemaOf(kind, object);
    },
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

const isOfGatewayApi = (kind: StoredKind): boolean => storedKinds[kind].group === "gateway.networking.k8s.io";

const definitions = new Map<string, ReadonlyMap<string, CustomKind>>();

/** What the CRD of a kind says of each version that it serves. Read when it is asked for. */
function versionsIn(channel: Channel, kind: StoredKind): ReadonlyMap<string, CustomKind> {
  const name = `${channel} ${kind}`;
  const versions = definitions.get(name) ?? readVersions(channel, kind);
  definitions.set(name, versions);
  return versions;
}

function readVersions(channel: Channel, kind: StoredKind): ReadonlyMap<string, CustomKind> {
  const { group, plural } = kinds[kind];
  const file = fileURLToPath(import.meta.resolve(`@gatewright/crd-types/crds/${channel}/${group}_${plural}.yaml`));
  if (!existsSync(file)) return new Map();
  const parsed = parseText(readFileSync(file, "utf8"));
  const definition = parsed.kind === "value" ? readDefinition(parsed.value) : undefined;
  if (definition?.kind !== "definition") throw new Error(`${file} cannot be read`);
  return definition.versions;
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
