import type { ClusterTrustBundle } from "@gatewright/crd-types/certificates/v1";
import type { HTTPFilter, MeshConfig } from "@gatewright/crd-types/config/v1";
import type { ConfigMap, Namespace, Secret, Service } from "@gatewright/crd-types/core/v1";
import type { EndpointSlice } from "@gatewright/crd-types/discovery/v1";
import type {
  BackendTLSPolicy,
  Gateway,
  GatewayClass,
  GRPCRoute,
  HTTPRoute,
  ListenerSet,
  TCPRoute,
  TLSRoute,
  UDPRoute,
} from "@gatewright/crd-types/gateway/v1";
import type { ReferenceGrant } from "@gatewright/crd-types/gateway/v1beta1";

/** The kinds that translation reads, by the name of their table. */
export type StoredKinds = {
  readonly BackendTLSPolicy: BackendTLSPolicy;
  readonly ClusterTrustBundle: ClusterTrustBundle;
  readonly ConfigMap: ConfigMap;
  readonly EndpointSlice: EndpointSlice;
  readonly Gateway: Gateway;
  readonly GatewayClass: GatewayClass;
  readonly GRPCRoute: GRPCRoute;
  readonly HTTPFilter: HTTPFilter;
  readonly HTTPRoute: HTTPRoute;
  readonly ListenerSet: ListenerSet;
  readonly MeshConfig: MeshConfig;
  readonly Namespace: Namespace;
  readonly ReferenceGrant: ReferenceGrant;
  readonly Secret: Secret;
  readonly Service: Service;
  readonly TCPRoute: TCPRoute;
  readonly TLSRoute: TLSRoute;
  readonly UDPRoute: UDPRoute;
};

export type StoredKind = keyof StoredKinds;

/** API group and kind of each table; versions are the source's business. */
export const storedKinds: Readonly<Record<StoredKind, { readonly group: string; readonly namespaced: boolean }>> = {
  BackendTLSPolicy: { group: "gateway.networking.k8s.io", namespaced: true },
  ClusterTrustBundle: { group: "certificates.k8s.io", namespaced: false },
  ConfigMap: { group: "", namespaced: true },
  EndpointSlice: { group: "discovery.k8s.io", namespaced: true },
  Gateway: { group: "gateway.networking.k8s.io", namespaced: true },
  GatewayClass: { group: "gateway.networking.k8s.io", namespaced: false },
  GRPCRoute: { group: "gateway.networking.k8s.io", namespaced: true },
  HTTPFilter: { group: "config.aether.io", namespaced: true },
  HTTPRoute: { group: "gateway.networking.k8s.io", namespaced: true },
  ListenerSet: { group: "gateway.networking.k8s.io", namespaced: true },
  MeshConfig: { group: "config.aether.io", namespaced: true },
  Namespace: { group: "", namespaced: false },
  ReferenceGrant: { group: "gateway.networking.k8s.io", namespaced: true },
  Secret: { group: "", namespaced: true },
  Service: { group: "", namespaced: true },
  TCPRoute: { group: "gateway.networking.k8s.io", namespaced: true },
  TLSRoute: { group: "gateway.networking.k8s.io", namespaced: true },
  UDPRoute: { group: "gateway.networking.k8s.io", namespaced: true },
};

export const isStoredKind = (kind: string): kind is StoredKind => Object.hasOwn(storedKinds, kind);

const kindsByGroup = new Map(
  Object.entries(storedKinds).map(([kind, { group }]) => [`${group}/${kind}`, kind as StoredKind]),
);

/** The table of an object by its `apiVersion` and `kind`, or undefined where translation does not read it. */
export function storedKindOf(apiVersion: string, kind: string): StoredKind | undefined {
  const slash = apiVersion.indexOf("/");
  return kindsByGroup.get(`${slash === -1 ? "" : apiVersion.slice(0, slash)}/${kind}`);
}
