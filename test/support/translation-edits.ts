import fc from "fast-check";
import type { Placement, ProxyState, Refusal, Unavailability } from "../../operator/src/gatewayapi/inputs.ts";
import type { Translation } from "../../operator/src/gatewayapi/index.ts";
import type { Source } from "../../operator/src/lib/index.ts";
import { makeCertificate } from "./certificates.ts";
import {
  bundleRef,
  bundles,
  filterSpecs,
  gatewayTls,
  listeners,
  mutation,
  parentRefs,
  rules,
  selector,
} from "./translation-parts.ts";
import { admit, type Manifest, placed, type World } from "./translation.ts";

/** One thing that comes, changes or (without a value) goes: an object, or what the world says of a proxy. */
export type Edit =
  | { readonly of: "object"; readonly kind: string; readonly key: string; readonly value: Manifest | undefined }
  | { readonly of: "placements"; readonly key: string; readonly value: Placement | undefined }
  | { readonly of: "proxyStates"; readonly key: string; readonly value: ProxyState | undefined }
  | { readonly of: "refusedListeners" | "quarantine"; readonly key: string; readonly value: Refusal | undefined }
  | { readonly of: "unavailable"; readonly key: string; readonly value: Unavailability | undefined }
  | { readonly of: "clock"; readonly key: "now"; readonly value: number };

/** What an edit is about: a later one of the same replaces it. */
export const subjectOf = (edit: Edit): string =>
  edit.of === "object" ? `object ${edit.kind} ${edit.key}` : `${edit.of} ${edit.key}`;

/** Makes edits without settling. */
export function make(world: World<Translation>, edits: Iterable<Edit>): void {
  for (const edit of edits) makeOne(world, edit);
}

function makeOne(world: World<Translation>, edit: Edit): void {
  const set = <V>(source: Source<V>, value: V | undefined) => source.set(edit.key, value);
  switch (edit.of) {
    case "object":
      return world.put(edit.kind, edit.key, edit.value);
    case "placements":
      return set(world.placements, edit.value);
    case "proxyStates":
      return set(world.proxyStates, edit.value);
    case "refusedListeners":
    case "quarantine":
      return set(world[edit.of], edit.value);
    case "unavailable":
      return set(world.unavailable, edit.value);
    case "clock":
      return set(world.clock, edit.value);
  }
}

// ---------------------------------------------------------------- a small world in which much gets in each other's way

const namespaces = ["infra", "apps"] as const;
const gatewayKeys = ["infra/g0", "infra/g1", "apps/g2"] as const;
const listenerSetKeys = ["infra/s0", "apps/s1", "apps/s2"] as const;

const [good, other] = [
  makeCertificate({ dnsNames: ["a.example.com"] }),
  makeCertificate({ dnsNames: ["b.example.com"] }),
];
const authority = makeCertificate({ dnsNames: ["authority"], authority: true });

const secretValues = [
  [good.certificate, good.privateKey],
  [other.certificate, other.privateKey],
  [good.certificate, other.privateKey],
] as const;

const base64 = (text: string) => Buffer.from(text).toString("base64");

function object(
  apiVersion: string,
  kind: string,
  key: string,
  fields: object,
  generation = 1,
  creationTimestamp?: string,
): Edit {
  const [first = "", second] = key.split("/");
  const metadata = {
    ...(second === undefined ? { name: first } : { namespace: first, name: second }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
  };
  return {
    of: "object",
    kind,
    key,
    value: admit({ apiVersion, kind, metadata: { ...metadata, generation }, ...fields }),
  };
}

const secretKeys = ["infra/cert", "certs/cert"] as const;

const secret = (key: string, certificate: string, privateKey: string): Edit =>
  object("v1", "Secret", key, {
    type: "kubernetes.io/tls",
    data: { "tls.crt": base64(certificate), "tls.key": base64(privateKey) },
  });

/** Of the Service `app` beside it. */
function endpointSlice(key: string, stating: { addresses: string[]; ready: boolean; port: number }): Edit {
  const [namespace = "", name = ""] = key.split("/");
  const value = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { namespace, name, labels: { "kubernetes.io/service-name": "app" } },
    addressType: "IPv4",
    ports: [{ name: "http", port: stating.port, protocol: "TCP" }],
    endpoints: stating.addresses.map((address) => ({ addresses: [address], conditions: { ready: stating.ready } })),
  };
  return { of: "object", kind: "EndpointSlice", key, value: admit(value) };
}

const gone = (kind: string, key: string): Edit => ({ of: "object", kind, key, value: undefined });

const gatewayApi = "gateway.networking.k8s.io/v1";
const generation = fc.integer({ min: 1, max: 3 });

const edits: readonly fc.Arbitrary<Edit>[] = [
  fc
    .record({
      key: fc.constantFrom(...gatewayKeys),
      stated: fc.subarray(listeners, { minLength: 1, maxLength: 6 }),
      gatewayClassName: fc.constantFrom("ours", "ours", "ours", "ours", "configured", "configured", "foreign"),
      addresses: fc.constantFrom([], [], [], [], [{ value: "192.0.2.1" }], [{ value: "192.0.2.1" }], [{ type: "x/y" }]),
      from: fc.constantFrom("All", "All", "Same", "Selector", "None"),
      asks: fc.constantFrom(undefined, undefined, undefined, ...gatewayTls),
      generation,
    })
    .map(({ key, stated, from, asks, generation: at, ...stating }) => {
      const allowedListeners = { namespaces: from === "Selector" ? { from, selector } : { from } };
      const spec = { ...stating, allowedListeners, listeners: stated, ...(asks && { tls: asks }) };
      return object(gatewayApi, "Gateway", key, { spec }, at);
    }),
  fc
    .record({
      key: fc.constantFrom(...listenerSetKeys),
      parent: fc.constantFrom(...gatewayKeys),
      stated: fc.subarray(listeners, { minLength: 1, maxLength: 6 }),
      year: fc.constantFrom(2024, 2025, 2026),
      generation,
    })
    .map(({ key, parent, stated, year, generation: at }) => {
      const [namespace = "", name = ""] = parent.split("/");
      return object(
        gatewayApi,
        "ListenerSet",
        key,
        { spec: { parentRef: { namespace, name }, listeners: stated } },
        at,
        `${year}-01-01T00:00:00Z`,
      );
    }),
  fc
    .record({
      key: fc.constantFrom("infra/r0", "infra/r1", "apps/r2", "apps/r3"),
      parents: fc.subarray(parentRefs, { maxLength: 4 }),
      hostnames: fc.subarray(["a.example.com", "b.example.com", "*.example.com", "c.org"], { maxLength: 3 }),
      stated: fc.subarray([...rules], { minLength: 1, maxLength: 3 }),
      generation,
    })
    .map(({ key, parents, hostnames, stated, generation: at }) =>
      object(gatewayApi, "HTTPRoute", key, { spec: { parentRefs: parents, hostnames, rules: stated } }, at),
    ),
  fc
    .record({ key: fc.constantFrom(...secretKeys), value: fc.constantFrom(...secretValues) })
    .map(({ key, value: [certificate, privateKey] }) => secret(key, certificate, privateKey)),
  fc
    .record({ from: fc.constantFrom(...namespaces), kind: fc.constantFrom("Gateway", "ListenerSet", "HTTPRoute") })
    .map(({ from, kind }) =>
      object(gatewayApi, "ReferenceGrant", kind === "HTTPRoute" ? "infra/grant" : "certs/grant", {
        spec: {
          from: [{ group: "gateway.networking.k8s.io", kind, namespace: from }],
          to: (kind === "HTTPRoute" ? ["Service"] : ["Secret", "ConfigMap"]).map((each) => ({ group: "", kind: each })),
        },
      }),
    ),
  fc
    .record({
      key: fc.constantFrom("infra/ca", "certs/ca", "apps/ca"),
      text: fc.constantFrom(good.certificate, good.certificate + other.certificate, "none"),
    })
    .map(({ key, text }) => object("v1", "ConfigMap", key, { data: { "ca.crt": text } })),
  fc
    .record({
      name: fc.constantFrom(...bundles),
      trustBundle: fc.constantFrom(authority.certificate, `# again\n${authority.certificate}`, good.certificate, ""),
    })
    .map(({ name, trustBundle }) =>
      object("certificates.k8s.io/v1", "ClusterTrustBundle", name, { spec: { trustBundle } }),
    ),
  fc
    .constantFrom<(Unavailability | undefined)[]>(
      undefined,
      undefined,
      { kind: "absent" },
      {
        kind: "unreadable",
        message: "forbidden",
      },
    )
    .map((value) => ({ of: "unavailable", key: "ClusterTrustBundle", value }) as const),
  fc
    .record({
      key: fc.constantFrom("infra/p0", "infra/p1", "apps/p2"),
      sectionName: fc.constantFrom(undefined, "http", "nowhere"),
      year: fc.constantFrom(2024, 2025),
      trusts: fc.constantFrom<object[]>(
        { caCertificateRefs: [{ group: "", kind: "ConfigMap", name: "ca" }] },
        { caCertificateRefs: [bundleRef(bundles[0])] },
        { caCertificateRefs: [bundleRef(bundles[1]), { group: "", kind: "ConfigMap", name: "ca" }] },
        { clusterTrustBundleRef: { name: bundles[0] } },
      ),
      generation,
    })
    .map(({ key, sectionName, year, trusts, generation: at }) => {
      const target = { group: "", kind: "Service", name: "app", ...(sectionName && { sectionName }) };
      const spec = { targetRefs: [target], validation: { hostname: "app.io", ...trusts } };
      return object(gatewayApi, "BackendTLSPolicy", key, { spec }, at, `${year}-01-01T00:00:00Z`);
    }),
  fc
    .record({
      key: fc.constantFrom("infra/t0", "apps/t1"),
      parents: fc.subarray(parentRefs, { minLength: 1, maxLength: 3 }),
      hostnames: fc.subarray(["b.example.com", "d.example.com", "*.example.com"], { minLength: 1 }),
      generation,
    })
    .map(({ key, parents, hostnames, generation: at }) => {
      const backendRefs = [{ name: "app", port: 80 }];
      return object(
        gatewayApi,
        "TLSRoute",
        key,
        { spec: { parentRefs: parents, hostnames, rules: [{ backendRefs }] } },
        at,
      );
    }),
  fc.record({ name: fc.constantFrom(...namespaces), team: fc.constantFrom("blue", "red") }).map(({ name, team }) => {
    const value = { apiVersion: "v1", kind: "Namespace", metadata: { name, labels: { team } } };
    return { of: "object", kind: "Namespace", key: name, value: admit(value) } as const;
  }),
  fc
    .constantFrom("gatewright.dev/gateway-controller", "example.com/other")
    .map((controllerName) => object(gatewayApi, "GatewayClass", "ours", { spec: { controllerName } })),
  fc
    .record({ accessLog: fc.constantFrom("{}", "x", "both"), threshold: fc.constantFrom(undefined, 1, 2) })
    .map(({ accessLog, threshold }) =>
      object("config.aether.io/v1", "MeshConfig", "gatewright-system/mesh", {
        spec: {
          ...(threshold !== undefined && { virtualHostDiscovery: { threshold } }),
          telemetry: {
            accessLog: {
              ...(accessLog !== "{}" && { format: accessLog }),
              ...(accessLog === "both" && { json: { a: "b" } }),
            },
          },
        },
      }),
    ),
  fc
    .record({ key: fc.constantFrom("infra/app", "apps/app"), port: fc.constantFrom(80, 81) })
    .map(({ key, port }) =>
      object("v1", "Service", key, { spec: { ports: [{ name: "http", port, targetPort: 8000 }] } }),
    ),
  fc
    .record({ key: fc.constantFrom("infra/f", "apps/f"), spec: fc.constantFrom(...filterSpecs), generation })
    .map(({ key, spec, generation: at }) => object("config.aether.io/v1", "HTTPFilter", key, { spec }, at)),
  fc
    .record({
      key: fc.constantFrom("infra/app-0", "infra/app-1", "apps/app-0"),
      addresses: fc.subarray(["192.0.2.10", "192.0.2.11"], { minLength: 1 }),
      ready: fc.boolean(),
      port: fc.constantFrom(8000, 8001),
    })
    .map(({ key, ...stating }) => endpointSlice(key, stating)),
  fc
    .record({
      kind: fc.constantFrom("GRPCRoute", "TCPRoute", "UDPRoute"),
      key: fc.constantFrom("infra/l0", "apps/l1"),
      parents: fc.subarray(parentRefs, { minLength: 1, maxLength: 3 }),
      backend: fc.constantFrom("app", "missing"),
      generation,
    })
    .map(({ kind, key, parents, backend, generation: at }) => {
      const spec = { parentRefs: parents, rules: [{ backendRefs: [{ name: backend, port: 80 }] }] };
      return object(gatewayApi, kind, key, { spec }, at);
    }),
  fc
    .constantFrom(
      ["Gateway", "infra/g0"],
      ["Gateway", "apps/g2"],
      ["ListenerSet", "infra/s0"],
      ["ListenerSet", "apps/s1"],
      ["ListenerSet", "apps/s2"],
      ["HTTPRoute", "infra/r0"],
      ["HTTPRoute", "apps/r2"],
      ["Secret", "infra/cert"],
      ["Secret", "certs/cert"],
      ["ReferenceGrant", "certs/grant"],
      ["ReferenceGrant", "infra/grant"],
      ["Namespace", "apps"],
      ["GatewayClass", "ours"],
      ["MeshConfig", "gatewright-system/mesh"],
      ["Service", "infra/app"],
      ["EndpointSlice", "infra/app-0"],
      ["EndpointSlice", "infra/app-1"],
      ["GRPCRoute", "infra/l0"],
      ["TCPRoute", "infra/l0"],
      ["UDPRoute", "infra/l0"],
      ["HTTPFilter", "apps/f"],
      ["ConfigMap", "infra/ca"],
      ["ConfigMap", "certs/ca"],
      ["ClusterTrustBundle", bundles[0]],
      ["ClusterTrustBundle", bundles[1]],
      ["BackendTLSPolicy", "infra/p0"],
      ["BackendTLSPolicy", "apps/p2"],
      ["TLSRoute", "infra/t0"],
    )
    .map(([kind = "", key = ""]) => gone(kind, key)),
  fc
    .record({
      key: fc.constantFrom(...gatewayKeys),
      value: fc.constantFrom<(Placement | undefined)[]>(
        undefined,
        placed("192.0.2.1"),
        placed("192.0.2.2"),
        {
          ...placed("192.0.2.1"),
          unavailablePorts: new Map([[80, "taken"]]),
        },
        { ...placed("192.0.2.1"), addresses: [] },
      ),
    })
    .map((edit) => ({ of: "placements", ...edit }) as const),
  fc
    .record({
      key: fc.constantFrom(...gatewayKeys),
      value: fc.constantFrom<(ProxyState | undefined)[]>(
        undefined,
        { kind: "ready" },
        { kind: "pending", message: "wait" },
      ),
    })
    .map((edit) => ({ of: "proxyStates", ...edit }) as const),
  fc
    .record({ key: fc.constantFrom(...gatewayKeys), content: fc.constantFrom("1", "2", undefined) })
    .map(({ key, content }) => {
      const value = content === undefined ? undefined : { message: "no", content };
      return { of: "refusedListeners", key: `${key}|80`, value } as const;
    }),
  fc
    .record({
      key: fc.constantFrom("HTTPRoute infra/r0", "HTTPRoute apps/r2", "HTTPFilter apps/f"),
      content: fc.constantFrom("1", "2", undefined),
    })
    .map(({ key, content }) => {
      const value = content === undefined ? undefined : { message: "no", content };
      return { of: "quarantine", key, value } as const;
    }),
  fc.constantFrom(Date.now(), Date.now() + 1e12).map((value) => ({ of: "clock", key: "now", value }) as const),
];

/** Where every history begins. */
export const beginning: readonly Edit[] = [
  object(gatewayApi, "GatewayClass", "ours", { spec: { controllerName: "gatewright.dev/gateway-controller" } }),
  object(gatewayApi, "GatewayClass", "configured", {
    spec: {
      controllerName: "gatewright.dev/gateway-controller",
      parametersRef: { group: "config.aether.io", kind: "MeshConfig", name: "mesh", namespace: "gatewright-system" },
    },
  }),
  object("config.aether.io/v1", "MeshConfig", "gatewright-system/mesh", { spec: {} }),
  object("v1", "Service", "infra/app", { spec: { ports: [{ name: "http", port: 80, targetPort: 8000 }] } }),
  object("v1", "Service", "apps/app", { spec: { ports: [{ name: "http", port: 80, targetPort: 8000 }] } }),
  object("config.aether.io/v1", "HTTPFilter", "infra/f", { spec: mutation("0") }),
  endpointSlice("infra/app-0", { addresses: ["192.0.2.10"], ready: true, port: 8000 }),
  object(gatewayApi, "Gateway", "infra/g0", {
    spec: {
      gatewayClassName: "configured",
      listeners: listeners.filter(({ name }) =>
        ["any", "all", "one", "tcp", "secure", "ended", "datagrams"].includes(name),
      ),
      allowedListeners: { namespaces: { from: "All" } },
    },
  }),
  object(gatewayApi, "HTTPRoute", "infra/r0", {
    spec: {
      parentRefs: parentRefs.slice(0, 1),
      hostnames: ["a.example.com"],
      rules: [...rules.slice(0, 1), ...rules.slice(4, 5)],
    },
  }),
  ...secretKeys.map((key) => secret(key, good.certificate, good.privateKey)),
  object("v1", "ConfigMap", "infra/ca", { data: { "ca.crt": good.certificate } }),
  ...bundles.map((name) =>
    object("certificates.k8s.io/v1", "ClusterTrustBundle", name, { spec: { trustBundle: authority.certificate } }),
  ),
  ...gatewayKeys.map((key) => ({ of: "placements", key, value: placed("192.0.2.1") }) as const),
  ...gatewayKeys.map((key) => ({ of: "proxyStates", key, value: { kind: "ready" } }) as const),
];

/** Edits in batches, as they come together in one round of the loop. Gateways, their ListenerSets and routes change the most. */
export const histories: fc.Arbitrary<readonly (readonly Edit[])[]> = fc.array(
  fc.array(fc.oneof(...edits.map((arbitrary, index) => ({ arbitrary, weight: index < 3 ? 4 : 1 }))), {
    minLength: 1,
    maxLength: 6,
  }),
  { minLength: 1, maxLength: 12 },
);
