import type {
  BackendObjectReference,
  HTTPRequestMirrorFilter,
  LocalObjectReference,
} from "@gatewright/crd-types/gateway/v1";
import type { Cluster, RouteExtension } from "../../ir/index.ts";
import type { Table } from "../../lib/index.ts";
import { objectKey } from "../../store/index.ts";
import { backendKey, type BackendTransport, type BackendView } from "../backends/index.ts";
import type { Problem } from "../conditions.ts";
import type { Grants } from "../refs/index.ts";
import type { ListenerParentKind } from "../listener-parents.ts";
import type { RouteKindName, RouteObject } from "../route-objects.ts";
import type { FilterView } from "../views.ts";

export type Unresolved = { readonly kind: "unresolved" } & Problem;

/** Follows the references of one route, or of one object that states listeners. */
export type References = {
  readonly backend: (
    ref: BackendObjectReference,
  ) => { readonly kind: "cluster"; readonly cluster: Cluster } | Unresolved;
  readonly filter: (
    ref: LocalObjectReference,
  ) => { readonly kind: "extension"; readonly extension: RouteExtension } | Unresolved;
  /** A cluster that `backend` gave before. */
  readonly cluster: (name: string) => Cluster | undefined;
};

type Tables = {
  readonly grants: Grants;
  readonly backends: Table<BackendView>;
  readonly filters: Table<FilterView>;
};

const unresolved = (reason: string, message: string): Unresolved => ({ kind: "unresolved", reason, message });

/** `ownerKind` is that of the object which refers. */
export function createReferences(
  namespace: string,
  { grants, backends, filters }: Tables,
  ownerKind: RouteKindName | ListenerParentKind = "HTTPRoute",
  transport: BackendTransport = isListenerParent(ownerKind) ? "http" : transportsOf[ownerKind][0],
): References {
  const clusters = new Map<string, Cluster>();
  const from = { group: "gateway.networking.k8s.io", kind: ownerKind, namespace };

  return {
    backend: (ref) => {
      const { group = "", kind = "Service", name, port } = ref;
      if (!isService(ref)) return unresolved("InvalidKind", `${describeKind(group, kind)} cannot be a backend`);
      const target = namespaceOf(ref, namespace);
      const key = objectKey(target, name);
      // Before anything is said of the Service: who may not refer to it must not learn whether it exists.
      if (!grants.permits(from, { group, kind, namespace: target, name }))
        return unresolved("RefNotPermitted", `no ReferenceGrant in namespace ${target} permits Service ${key}`);
      if (port === undefined) return unresolved("BackendNotFound", `no port of Service ${key} is named`);
      const backend = backends.get(backendKey(target, name, port, transport));
      if (backend === undefined) return unresolved("BackendNotFound", `Service ${key} does not exist`);
      if (backend.kind === "invalid") return unresolved(backend.reason, backend.message);
      clusters.set(backend.cluster.name, backend.cluster);
      return { kind: "cluster", cluster: backend.cluster };
    },

    filter: ({ group, kind, name }) => {
      if (group !== "config.aether.io" || kind !== "HTTPFilter")
        return unresolved(
          "InvalidKind",
          `${describeKind(group, kind)} is not a filter; HTTPFilter.config.aether.io is`,
        );
      const key = objectKey(namespace, name);
      const filter = filters.get(key);
      if (filter === undefined) return unresolved("FilterNotFound", `HTTPFilter ${key} does not exist`);
      if (filter.kind === "invalid")
        return unresolved("InvalidFilter", `HTTPFilter ${key} cannot be used: ${filter.message}`);
      if (filter.scope === "chain")
        return unresolved(
          "InvalidFilter",
          `HTTPFilter ${key} has scope chain: it works for Services, not for single rules`,
        );
      const origin = { kind: "HTTPFilter", namespace, name };
      return { kind: "extension", extension: { filter: filter.filter, config: filter.config, origin } };
    },

    cluster: (name) => clusters.get(name),
  };
}

const isListenerParent = (kind: RouteKindName | ListenerParentKind): kind is ListenerParentKind =>
  kind === "Gateway" || kind === "ListenerSet";

/** The key of the backend that a reference of an object in `local` names; undefined: it names none. */
export const backendKeyOf = (
  ref: BackendObjectReference,
  local: string,
  transport: BackendTransport,
): string | undefined =>
  isService(ref) && ref.port !== undefined
    ? backendKey(namespaceOf(ref, local), ref.name, ref.port, transport)
    : undefined;

const isService = ({ group = "", kind = "Service" }: BackendObjectReference): boolean =>
  group === "" && kind === "Service";

const namespaceOf = ({ namespace }: BackendObjectReference, local: string): string =>
  namespace === undefined || namespace === "" ? local : namespace;

const describeKind = (group: string, kind: string): string => JSON.stringify(group === "" ? kind : `${kind}.${group}`);

/**
 * What comes to a TLSRoute is passed on as it is, or its TLS has ended at the listener: that is for the listener to say. What a policy
 * says holds for whatever else we speak, TLS within TLS included. https://gateway-api.sigs.k8s.io/geps/gep-1897/
 */
const transportsOf: Readonly<Record<RouteKindName, readonly [BackendTransport, ...BackendTransport[]]>> = {
  HTTPRoute: ["http"],
  GRPCRoute: ["grpc"],
  TLSRoute: ["tcp", "reencrypt"],
  TCPRoute: ["reencrypt"],
  UDPRoute: ["udp"],
};

type BackendRule = {
  readonly backendRefs?: readonly BackendObjectReference[];
  readonly filters?: readonly { readonly requestMirror?: HTTPRequestMirrorFilter }[];
};

/** Keys of the backends that a route refers to, permitted or not, each once. */
export function backendKeysOf({ kind, object: { metadata, spec } }: RouteObject): readonly string[] {
  const rules: readonly BackendRule[] = spec.rules ?? [];
  const refs = rules.flatMap(({ backendRefs = [], filters = [] }): readonly BackendObjectReference[] => [
    ...backendRefs,
    ...filters.flatMap(({ requestMirror }) => (requestMirror === undefined ? [] : [requestMirror.backendRef])),
  ]);
  const keys = refs.flatMap((ref) =>
    transportsOf[kind].flatMap((transport) => backendKeyOf(ref, metadata.namespace ?? "", transport) ?? []),
  );
  return [...new Set(keys)].toSorted();
}
