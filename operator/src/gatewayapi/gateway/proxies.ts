import type { Gateway } from "@gatewright/crd-types/gateway/v1";
import type { Listener, Proxy, ProxyPort, TlsCertificate } from "../../ir/index.ts";
import { useKey } from "../../ir/index.ts";
import { deepEqual, type Graph, type Table } from "../../lib/index.ts";
import { type Inputs, proxyKeyOf } from "../inputs.ts";
import type { ClassView, GatewayView } from "../views.ts";
import { requestedAddresses } from "./address-requests.ts";
import type { CertificateView } from "./certificate.ts";
import { askedBy } from "./listener-backends.ts";
import { deploymentOf, type GatewayParameters } from "./parameters.ts";

export type ProxySources = {
  readonly own: Table<Gateway>;
  readonly classes: Table<ClassView>;
  readonly parameters: Table<GatewayParameters>;
  readonly gateways: Table<GatewayView>;
  /** By Gateway key, those of its ListenerSets included. */
  readonly ports: Table<readonly ProxyPort[]>;
};

export function createProxies(
  graph: Graph,
  { inEffect }: Inputs,
  { own, classes, parameters, gateways, ports }: ProxySources,
): Table<Proxy> {
  return graph.derive<Proxy>("proxies", {
    keysOf: [gateways],
    compute: (key) => {
      const view = gateways.get(key);
      const gateway = own.get(key);
      if (view?.served !== true || gateway === undefined) return undefined;
      const { infrastructure } = gateway.spec;
      const addresses = requestedAddresses(gateway.spec);
      const stated = parameters.get(key);
      return {
        namespace: view.namespace,
        name: view.name,
        uid: gateway.metadata.uid ?? "",
        generation: view.generation,
        className: view.className,
        ports: ports.get(key) ?? [],
        labels: infrastructure?.labels ?? {},
        annotations: infrastructure?.annotations ?? {},
        ...(addresses && { addresses }),
        deployment: (stated?.kind === "invalid" ? inEffect?.deployments.get(key) : undefined) ?? {
          ...deploymentOf(classes.get(view.className)?.mesh),
          ...(stated?.kind === "valid" && stated.deployment),
        },
      };
    },
    equal: deepEqual,
  });
}

export type ListenerNeeds = {
  readonly secrets: Table<TlsCertificate>;
  readonly secretUses: Table<ReadonlySet<string>>;
  readonly extensionUses: Table<ReadonlySet<string>>;
};

/** What listeners refer to by name, and who needs it. */
export function createListenerNeeds(
  graph: Graph,
  listeners: Table<Listener>,
  certificates: Table<CertificateView>,
  clientCertificates: Table<string>,
): ListenerNeeds {
  const certificatesOf = ({ filterChains }: Listener) => filterChains.flatMap(({ tls }) => tls?.certificates ?? []);
  const extensionsOf = ({ filterChains }: Listener) => filterChains.flatMap(({ http }) => http?.extensions ?? []);
  const needed = graph.index("neededSecrets", listeners, certificatesOf);
  const shown = graph.index("shownSecrets", clientCertificates, (name) => [name]);
  const usesOfListeners = graph.index("listenerSecretUses", listeners, (listener) =>
    certificatesOf(listener).map((name) => useKey(listener.proxy, name)),
  );
  const usesOfGateways = graph.index("gatewaySecretUses", clientCertificates, (name, gateway) => [
    useKey(proxyKeyOf(gateway), name),
  ]);
  return {
    secrets: graph.derive<TlsCertificate>("secrets", {
      keysOf: [needed, shown],
      compute: (name) => {
        const view = certificates.get(name);
        return view?.kind === "usable" ? view.certificate : undefined;
      },
      equal: deepEqual,
    }),
    secretUses: graph.derive<ReadonlySet<string>>("secretUses", {
      keysOf: [usesOfListeners, usesOfGateways],
      compute: (key) => usesOfListeners.get(key) ?? usesOfGateways.get(key),
    }),
    extensionUses: graph.index("extensionUses", listeners, (listener) =>
      extensionsOf(listener).map((name) => useKey(listener.proxy, name)),
    ),
  };
}

/** Which proxies need a cluster: for virtual hosts, which `byHosts` says already, or for what listeners do themselves. */
export function createClusterUses(
  graph: Graph,
  byHosts: Table<ReadonlySet<string>>,
  listeners: Table<Listener>,
): Table<ReadonlySet<string>> {
  const byListeners = graph.index("listenerClusterUses", listeners, ({ proxy, filterChains, udp }) => [
    ...filterChains.flatMap(({ tcp, http }) =>
      [...(tcp?.backends ?? []), ...askedBy(http)].map(({ cluster }) => useKey(proxy, cluster)),
    ),
    ...(udp?.cluster === undefined ? [] : [useKey(proxy, udp.cluster)]),
  ]);
  return graph.derive<ReadonlySet<string>>("clusterUses", {
    keysOf: [byHosts, byListeners],
    compute: (key) => {
      const [hosts, users] = [byHosts.get(key), byListeners.get(key)];
      return hosts && users ? hosts.union(users) : (hosts ?? users);
    },
  });
}
