import type { HTTPFilter } from "@gatewright/crd-types/config/v1";
import type { Service, ServicePort } from "@gatewright/crd-types/core/v1";
import type { EndpointSlice } from "@gatewright/crd-types/discovery/v1";
import type { HTTPRoute, HTTPRouteRule } from "@gatewright/crd-types/gateway/v1";
import { createBackendReader } from "../../operator/src/gatewayapi/backends/index.ts";
import { createFilters } from "../../operator/src/gatewayapi/filters/index.ts";
import { createBackendTls } from "../../operator/src/gatewayapi/policies/index.ts";
import type { ExtensionCheck, Inputs, Refusal } from "../../operator/src/gatewayapi/inputs.ts";
import { createRouteObjects } from "../../operator/src/gatewayapi/route-objects.ts";
import { createAuthorities } from "../../operator/src/gatewayapi/trust/index.ts";
import { createRouteSide } from "../../operator/src/gatewayapi/routes/index.ts";
import type {
  AttachedListener,
  AttachmentView,
  ClassView,
  GatewayView,
  ListenerGroup,
} from "../../operator/src/gatewayapi/views.ts";
import { routeTableKey, virtualHostKey } from "../../operator/src/ir/index.ts";
import { createGraph } from "../../operator/src/lib/index.ts";
import { createStore, objectKey } from "../../operator/src/store/index.ts";

const namespace = "team-a";

export const gatewayKey = "team-a/gw";
/** The key of the one HTTP route table that `createRouteFixture` serves. */
export const webTable = routeTableKey(gatewayKey, 80);

export const httpRoute = (
  name: string,
  rules: readonly HTTPRouteRule[],
  options: Partial<Pick<HTTPRoute["spec"], "hostnames">> & { readonly metadata?: HTTPRoute["metadata"] } = {},
): HTTPRoute => ({
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "HTTPRoute",
  metadata: { name, namespace, generation: 1, creationTimestamp: "2026-01-01T00:00:00Z", ...options.metadata },
  spec: {
    parentRefs: [{ name: "gw" }],
    rules,
    ...(options.hostnames !== undefined && { hostnames: options.hostnames }),
  },
});

export const httpService = (
  name: string,
  port: Partial<ServicePort> = {},
  metadata?: Service["metadata"],
): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace, ...metadata },
  spec: { ports: [{ name: "http", port: 80, targetPort: 8000, ...port }] },
});

export const endpointSlice = (service: string, ...addresses: readonly string[]): EndpointSlice => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: `${service}-1`, namespace, labels: { "kubernetes.io/service-name": service } },
  addressType: "IPv4",
  ports: [{ name: "http", port: 8000 }],
  endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
});

export const httpFilter = (name: string, spec: HTTPFilter["spec"]): HTTPFilter => ({
  apiVersion: "config.aether.io/v1",
  kind: "HTTPFilter",
  metadata: { name, namespace, generation: 1 },
  spec,
});

/** Takes every filter whose configuration does not say `bad`. */
const checkExtension: ExtensionCheck = ({ filter, typedConfig }) =>
  JSON.stringify(typedConfig).includes("bad")
    ? { kind: "invalid", problems: [{ reason: "Invalid", path: "typedConfig", message: "is bad" }] }
    : { kind: "valid", config: { typeUrl: filter, value: Buffer.from(JSON.stringify(typedConfig)) } };

/**
 * The route side on hand-made classes, Gateways and attachments. A route that is put is attached to the table `webTable`, with
 * the hosts that it states, unless it is attached by hand.
 */
export function createRouteFixture() {
  const graph = createGraph();
  const store = createStore(graph);
  const classes = graph.source<ClassView>("classes");
  const gateways = graph.source<GatewayView>("gateways");
  const listenerGroups = graph.source<ListenerGroup>("listenerGroups");
  const attachments = graph.source<AttachmentView>("attachments");
  const reservedHosts = graph.source<ReadonlySet<string>>("reservedHosts");
  const misdirectedHosts = graph.source<ReadonlySet<string>>("misdirectedHosts");
  const quarantine = graph.source<Refusal>("quarantine");
  const inputs: Inputs = {
    store,
    quarantine,
    checkExtension,
    placements: graph.source("placements"),
    proxyStates: graph.source("proxyStates"),
    refusedListeners: graph.source("refusedListeners"),
    settings: { controllerName: "gatewright.dev/gateway-controller", rootNamespace: "gatewright-system" },
  };
  const backendTls = createBackendTls(graph, store, createAuthorities(graph, { store }, []));
  const side = createRouteSide(graph, inputs, {
    classes,
    gateways,
    listenerGroups,
    attachments,
    reservedHosts,
    misdirectedHosts,
    clientCertificates: graph.source("clientCertificates"),
    filters: createFilters(graph, inputs, classes),
    backendTls,
    readBackend: createBackendReader(graph, store, backendTls),
    listenerBackendKeys: [],
    listenerClusters: graph.source("listenerClusters"),
    routeObjects: createRouteObjects(graph, store),
  });

  /** A Gateway with one listener for each route table. */
  function serve(...routeTables: readonly string[]): void {
    const view: GatewayView = {
      key: gatewayKey,
      proxy: gatewayKey,
      namespace,
      name: "gw",
      generation: 1,
      className: "gatewright",
      served: true,
      ports: [{ port: 80, protocol: "TCP" }],
      conditions: [],
      listeners: routeTables.map((routeTable, index) => ({
        name: `l${index}`,
        id: `l${index}`,
        port: 80,
        protocol: "HTTP",
        programmable: true,
        accepted: true,
        certificates: [],
        supportedKinds: [],
        allowedNamespaces: { kind: "all" },
        routeTable,
        conditions: [],
      })),
    };
    gateways.set(gatewayKey, view);
    listenerGroups.set(gatewayKey, { ...view, gateway: gatewayKey });
  }

  function attach(routeKey: string, ...listeners: readonly Partial<AttachedListener>[]): void {
    attachments.set(routeKey, {
      parents: [
        {
          parentRef: { name: "gw" },
          gateway: gatewayKey,
          parent: gatewayKey,
          accepted: { type: "Accepted", status: "True", reason: "Accepted", message: "" },
          listeners: listeners.map((listener) => ({
            proxy: gatewayKey,
            listener: "l0",
            port: 80,
            routeTable: webTable,
            hosts: ["*"],
            statedHosts: listener.hosts ?? ["*"],
            ...listener,
          })),
        },
      ],
    });
  }

  serve(webTable);
  return {
    ...side,
    graph,
    store,
    classes,
    attachments,
    reservedHosts,
    misdirectedHosts,
    quarantine,
    serve,
    attach,
    put: (route: HTTPRoute): void => {
      const key = objectKey(route.metadata.namespace ?? "", route.metadata.name ?? "");
      store.objects.HTTPRoute.set(key, route);
      if (attachments.get(key) === undefined) attach(key, { hosts: route.spec.hostnames ?? ["*"] });
    },
    putService: (object: Service): void => {
      store.objects.Service.set(objectKey(object.metadata.namespace ?? "", object.metadata.name ?? ""), object);
    },
    putFilter: (object: HTTPFilter): void => {
      store.objects.HTTPFilter.set(objectKey(namespace, object.metadata.name ?? ""), object);
    },
    putSlice: (object: EndpointSlice): void => {
      store.objects.EndpointSlice.set(objectKey(namespace, object.metadata.name ?? ""), object);
    },
    /** The rules of a route, settled. */
    rulesOf: (name: string) => {
      graph.settle();
      const view = side.rules.get(objectKey(namespace, name));
      if (view === undefined) throw new Error(`no rules of ${name}`);
      return view;
    },
    /** The routes of a host, settled. */
    routesAt: (host: string, routeTable: string = webTable) => {
      graph.settle();
      return side.virtualHosts.get(virtualHostKey(routeTable, host))?.routes;
    },
  };
}
