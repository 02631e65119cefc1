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
  /**
   * Whether Envoy 1.40 stops to wait for a resource when it is told that there is none. Of others it must be sent one, be it one that it
   * refuses: a listener that waits keeps all listeners of a starting Envoy from serving.
   */
  readonly goneEndsWaiting: boolean;
};

const prefix = "type.googleapis.com/";

const discovery = `${prefix}envoy.config`;

export const traits: Readonly<Record<ResourceType, Traits>> = {
  cluster: row(`${discovery}.cluster.v3.Cluster`, "make", { wildcard: true, goneEndsWaiting: true }),
  endpoint: row(`${discovery}.endpoint.v3.ClusterLoadAssignment`, "make", { wildcard: false, goneEndsWaiting: true }),
  secret: row(`${prefix}envoy.extensions.transport_sockets.tls.v3.Secret`, "make", {
    wildcard: false,
    goneEndsWaiting: true,
  }),
  extension: row(`${discovery}.core.v3.TypedExtensionConfig`, "listen", { wildcard: false, goneEndsWaiting: false }),
  listener: row(`${discovery}.listener.v3.Listener`, "listen", { wildcard: true, goneEndsWaiting: true }),
  route: row(`${discovery}.route.v3.RouteConfiguration`, "route", { wildcard: false, goneEndsWaiting: false }),
  virtualHost: row(`${discovery}.route.v3.VirtualHost`, "host", { wildcard: true, goneEndsWaiting: true }),
};

function row(typeUrl: string, step: Step, flags: Pick<Traits, "wildcard" | "goneEndsWaiting">): Traits {
  return { typeUrl, step, ...flags };
}

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
