import { GroupName, type Listener } from "@gatewright/crd-types/gateway/v1";
import { type Change, objectKey, type StoredKind } from "../store/index.ts";

/**
 * What is taken to be there though no file has it, so that the rest can be judged: classes of Gateways, settings of classes, and Gateways
 * that take all that refers to them. That they are missing is told elsewhere; nothing is told of themselves.
 */
export type Assumed = {
  readonly changes: readonly Change[];
  /** By `kind key`. */
  readonly names: ReadonlySet<string>;
};

type ParentRef = {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
  readonly port?: number;
};

const apiVersion = "gateway.networking.k8s.io/v1";

const protocols: Readonly<Partial<Record<StoredKind, string>>> = {
  HTTPRoute: "HTTP",
  GRPCRoute: "HTTP",
  TLSRoute: "TLS",
  TCPRoute: "TCP",
  UDPRoute: "UDP",
};

export type AssumeOptions = {
  readonly controllerName: string;
  /** A GatewayClass of ours, for Gateways that are assumed. */
  readonly className: string;
  /** Whether an object is in the files, in whatever form. */
  readonly isWritten: (kind: StoredKind, key: string) => boolean;
};

export function assume(changes: readonly Change[], options: AssumeOptions): Assumed {
  const { controllerName, className, isWritten } = options;
  const made = new Map<string, Change>();
  const parents = new Map<string, Map<string, Listener>>();

  const add = (change: Change) => made.set(`${change.kind} ${change.key}`, change);

  function assumeClass(name: string): void {
    if (isWritten("GatewayClass", name)) return;
    const object = {
      apiVersion,
      kind: "GatewayClass",
      metadata: { name, generation: 1 },
      spec: { controllerName },
    } as const;
    add({ kind: "GatewayClass", key: name, object });
  }

  function assumeMesh(namespace: string | undefined, name: string): void {
    if (namespace === undefined || isWritten("MeshConfig", objectKey(namespace, name))) return;
    const metadata = { namespace, name, generation: 1 };
    const object = { apiVersion: "config.aether.io/v1", kind: "MeshConfig", metadata, spec: {} } as const;
    add({ kind: "MeshConfig", key: objectKey(namespace, name), object });
  }

  function assumeParent(ref: ParentRef, ownNamespace: string, protocol: string | undefined): void {
    const { group = GroupName, kind = "Gateway", namespace = ownNamespace, name } = ref;
    const key = objectKey(namespace, name);
    if (group !== GroupName || (kind !== "Gateway" && kind !== "ListenerSet") || isWritten(kind, key)) return;
    const listeners = parents.get(`${kind} ${key}`) ?? new Map<string, Listener>();
    parents.set(`${kind} ${key}`, listeners);
    if (protocol === undefined) return;
    const id = ref.sectionName ?? `${protocol.toLowerCase()}-${ref.port ?? "any"}`;
    if (!listeners.has(id)) listeners.set(id, listenerFor(id, protocol, ref.port ?? 20_000 + listeners.size));
  }

  for (const change of changes) {
    const { kind, object } = change;
    if (object === undefined) continue;
    const namespace = object.metadata.namespace ?? "";
    if (kind === "Gateway") assumeClass(object.spec.gatewayClassName);
    else if (kind === "GatewayClass" && object.spec.controllerName === controllerName) {
      const { kind: of, namespace: at, name } = object.spec.parametersRef ?? {};
      if (of === "MeshConfig" && name !== undefined) assumeMesh(at, name);
    } else if (kind === "ListenerSet") assumeParent(object.spec.parentRef, namespace, undefined);
    else if (isRoute(change))
      for (const ref of change.object.spec.parentRefs ?? []) assumeParent(ref, namespace, protocols[kind]);
  }
  for (const [name, listeners] of parents) add(parentOf(name, [...listeners.values()], className));
  if ([...made.values()].some(({ kind }) => kind === "ListenerSet"))
    add(parentOf(`Gateway ${holder.namespace}/${holder.name}`, [listenerFor("http", "HTTP", 80)], className));
  return { changes: [...made.values()], names: new Set(made.keys()) };
}

type RouteChange = {
  readonly kind: StoredKind;
  readonly object: { readonly spec: { readonly parentRefs?: readonly ParentRef[] } };
};

/** The change has an object. */
const isRoute = (change: { readonly kind: StoredKind; readonly object: unknown }): change is RouteChange =>
  change.kind in protocols;

const listenerFor = (name: string, protocol: string, port: number): Listener => ({
  name,
  port,
  protocol,
  ...(protocol === "TLS" ? { tls: { mode: "Passthrough" } } : {}),
  allowedRoutes: { namespaces: { from: "All" } },
});

/** Where ListenerSets hang of which nothing is known. */
const holder = { namespace: "gatewright-assumed", name: "gateway" } as const;

function parentOf(kindAndKey: string, listeners: readonly Listener[], className: string): Change {
  const [kind = "", key = ""] = kindAndKey.split(" ");
  const [namespace = "", name = ""] = key.split("/");
  const metadata = { namespace, name, generation: 1 };
  if (kind === "ListenerSet") {
    const spec = { parentRef: { ...holder }, listeners: [...listeners] };
    return { kind, key, object: { apiVersion, kind, metadata, spec } };
  }
  const spec = {
    gatewayClassName: className,
    listeners: listeners.length > 0 ? [...listeners] : [listenerFor("http", "HTTP", 80)],
    allowedListeners: { namespaces: { from: "All" } },
  } as const;
  return { kind: "Gateway", key, object: { apiVersion, kind: "Gateway", metadata, spec } };
}
