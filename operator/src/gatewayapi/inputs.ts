import type { MeshConfig } from "@gatewright/crd-types/config/v1";
import type { Binding, ExtensionConfig, ProxyDeployment, ProxyKey } from "../ir/index.ts";
import type { Table } from "../lib/index.ts";
import type { Store } from "../store/index.ts";

/** All that translation reads. The same inputs give the same IR and statuses, whatever the way there. */
export type Inputs = {
  readonly store: Store;
  /** Where each proxy stands, by `ProxyKey`. None: the Gateway has no address yet and nothing is built for it. */
  readonly placements: Table<Placement>;
  /** What the Envoys of a proxy say of their configuration, by `ProxyKey`. */
  readonly proxyStates: Table<ProxyState>;
  /** Listeners that Envoy refused, by `listenerKey`. */
  readonly refusedListeners: Table<Refusal>;
  /** Envoy's words on clusters that it refused, by name. None: it refused none. */
  readonly refusedClusters?: Table<string>;
  /** Objects whose configuration Envoy refused, by `quarantineKey`. They are left out until they change. */
  readonly quarantine: Table<Refusal>;
  /** Checks what an HTTPFilter asks of Envoy; comes from the xDS side, which knows Envoy's rules. */
  readonly checkExtension: ExtensionCheck;
  readonly settings: Settings;
  /** The time in milliseconds at key `now`, moved on once in a while, for what a status says of certificates. None: nothing is said. */
  readonly clock?: Table<number>;
  /** Kinds of which the store does not have what there is, by name, and `OptionalField`s that there are not. None: it has all, as in a folder. */
  readonly unavailable?: Table<Unavailability>;
  /** None: parameters that are not good leave nothing in effect. */
  readonly inEffect?: InEffect;
};

/**
 * What parameters said when they were good last. Where they are deleted, misspelled or broken it goes on for Gateways that are served, as
 * GatewayClass asks: https://gateway-api.sigs.k8s.io/reference/spec/#gatewayclass
 */
export type InEffect = {
  /** By class name. */
  readonly classes: Table<{ readonly mesh?: MeshConfig }>;
  /** How the proxies of those Gateways are deployed that are served, by Gateway key. */
  readonly deployments: Table<ProxyDeployment>;
};

/** Why the objects of a kind are not known. */
export type Unavailability =
  /** The cluster does not have the kind. */
  | { readonly kind: "absent" }
  /** It does, and does not let us read it. */
  | { readonly kind: "unreadable"; readonly message: string };

export type Settings = {
  /** `gatewright.dev/gateway-controller` unless told otherwise. */
  readonly controllerName: string;
  /** Where MeshConfig lives and admins' objects are read: `gatewright-system`. */
  readonly rootNamespace: string;
  /** Used where no MeshConfig says otherwise; undefined: Envoys log no requests. */
  readonly accessLogPath?: string;
};

export type Placement = {
  /** What it is reached by as is usual here. Empty: it is served, and whoever gives it an address has not done so yet. */
  readonly addresses: readonly PlacedAddress[];
  /** Further ones, which its status says only if the Gateway asks for such: those inside of the cluster of one that is reached from outside. */
  readonly furtherAddresses?: readonly PlacedAddress[];
  /** What the Gateway asks for and cannot have, by `requestKey`, with the reason in words. */
  readonly unusableAddresses?: ReadonlyMap<string, string>;
  /** Where Envoy binds a Gateway's port. */
  readonly bind: (port: number) => Binding;
  /** Ports of the Gateway that cannot be bound here, with the reason in words: their listeners are not accepted (`PortUnavailable`). */
  readonly unavailablePorts?: ReadonlyMap<number, string>;
};

export type PlacedAddress = {
  readonly type: "IPAddress" | "Hostname";
  readonly value: string;
  /** It is a Service's address inside of the cluster. */
  readonly routability?: "Cluster";
};

export type ProxyState =
  | { readonly kind: "ready" }
  /** `message` says what it waits for. */
  | { readonly kind: "pending"; readonly message: string };

export type Refusal = {
  /** Envoy's words, cut. */
  readonly message: string;
  /** `metadata.generation` of the object, or another mark of its content; a refusal of other content does not count. */
  readonly content: string;
};

/** The mark of an object's content that a `Refusal` carries. */
export const contentOf = ({ metadata }: { readonly metadata: { readonly generation?: number } }): string =>
  String(metadata.generation ?? "");

export const quarantineKey = (kind: string, namespace: string, name: string): string => `${kind} ${namespace}/${name}`;

export function parseQuarantineKey(key: string): { readonly kind: string; readonly key: string } {
  const blank = key.indexOf(" ");
  return { kind: key.slice(0, blank), key: key.slice(blank + 1) };
}

export type ExtensionSpec = { readonly filter: string; readonly typedConfig: unknown };

export type ExtensionProblem = {
  /** For example `UnknownField`, `NotAllowed`: a condition's reason may be built on it. */
  readonly reason: string;
  /** Path inside the HTTPFilter's spec as its author wrote it. */
  readonly path: string;
  readonly message: string;
};

export type ExtensionCheck = (
  spec: ExtensionSpec,
  /** Filters that the mesh allows; undefined: the safe default. */
  allowed: readonly string[] | undefined,
) =>
  | { readonly kind: "valid"; readonly config: ExtensionConfig }
  | { readonly kind: "invalid"; readonly problems: readonly ExtensionProblem[] };

/** The key of the proxy that serves a Gateway. */
export const proxyKeyOf = (gatewayKey: string): ProxyKey => gatewayKey;
