/** The kinds of resources that a proxy takes over ADS, in the order in which they are sent when several are due. */
export const resourceTypes = [
  "cluster",
  "endpoint",
  "secret",
  "extension",
  // Of route tables, only those go before listeners that no listener uses yet.
  "route",
  "virtualHost",
  "listener",
] as const;

export type ResourceType = (typeof resourceTypes)[number];

/**
 * The steps in which a change reaches a client: what others refer to comes before what refers to it.
 * https://www.envoyproxy.io/docs/envoy/v1.40.0/api-docs/xds_protocol#eventual-consistency-considerations
 */
export const steps = ["make", "listen", "route", "host"] as const;

export type Step = (typeof steps)[number];

type Traits = {
  readonly typeUrl: string;
  readonly step: Step;
  /**
   * Clients ask for all there is; a first request without names means that too. Clients of the other types ask by name, and
   * hold on to what they have until they unsubscribe: Envoy lets a draining filter chain use its route table to the end.
   */
  readonly wildcard: boolean;
};

const prefix = "type.googleapis.com/";

export const traits: Readonly<Record<ResourceType, Traits>> = {
  cluster: { typeUrl: `${prefix}envoy.config.cluster.v3.Cluster`, step: "make", wildcard: true },
  endpoint: { typeUrl: `${prefix}envoy.config.endpoint.v3.ClusterLoadAssignment`, step: "make", wildcard: false },
  secret: { typeUrl: `${prefix}envoy.extensions.transport_sockets.tls.v3.Secret`, step: "make", wildcard: false },
  extension: { typeUrl: `${prefix}envoy.config.core.v3.TypedExtensionConfig`, step: "listen", wildcard: false },
  listener: { typeUrl: `${prefix}envoy.config.listener.v3.Listener`, step: "listen", wildcard: true },
  route: { typeUrl: `${prefix}envoy.config.route.v3.RouteConfiguration`, step: "route", wildcard: false },
  virtualHost: { typeUrl: `${prefix}envoy.config.route.v3.VirtualHost`, step: "host", wildcard: true },
};

const byTypeUrl = new Map(resourceTypes.map((type) => [traits[type].typeUrl, type]));

export const typeOfUrl = (typeUrl: string): ResourceType | undefined => byTypeUrl.get(typeUrl);

/** One value for each type. */
export function perType<T>(make: (type: ResourceType) => T): Readonly<Record<ResourceType, T>> {
  return {
    cluster: make("cluster"),
    endpoint: make("endpoint"),
    secret: make("secret"),
    extension: make("extension"),
    listener: make("listener"),
    route: make("route"),
    virtualHost: make("virtualHost"),
  };
}
