import { create } from "@bufbuild/protobuf";
import { durationFromMs } from "@bufbuild/protobuf/wkt";
import {
  Cluster_DiscoveryType,
  Cluster_DnsLookupFamily,
  Cluster_LbPolicy,
  ClusterSchema,
} from "@gatewright/crd-types/proto/envoy/config/cluster/v3/cluster_pb";
import { HttpProtocolOptionsSchema } from "@gatewright/crd-types/proto/envoy/extensions/upstreams/http/v3/http_protocol_options_pb";
import type { Cluster } from "../ir/index.ts";
import { adsConfigSource } from "./config-source.ts";
import { loadAssignment } from "./endpoints.ts";
import { upstreamTlsSocket } from "./upstream-tls.ts";
import { encode, packAny, typeUrl } from "./proto/index.ts";
import { type Build, encodedBody, type ProblemDetail, violationsOf } from "./resource.ts";
import type { Init } from "./init.ts";

type ClusterInit = Init<typeof ClusterSchema>;

/** What a cluster must know of the resources that it names: naming one that never comes would keep it waiting for ever. */
export type ClusterContext = { readonly hasSecret: (name: string) => boolean };

export function buildCluster(cluster: Cluster, context: ClusterContext): Build {
  const own = create(ClusterSchema, {
    name: cluster.name,
    connectTimeout: durationFromMs(cluster.connectTimeoutMs),
    ...discovery(cluster),
    ...(cluster.tls && { transportSocket: upstreamTlsSocket(cluster.tls, cluster.protocol) }),
  });
  const violations = [...tlsViolations(cluster, context), ...violationsOf(ClusterSchema, own)];
  if (violations.length > 0) {
    const { name, origin } = cluster;
    return {
      encoded: undefined,
      problems: [{ type: "cluster", resource: name, origin, effect: "left-out", violations }],
    };
  }
  // One message after the other is both of them in one.
  const body = Buffer.concat([encode(ClusterSchema, own), sharedPart(cluster)]);
  return { encoded: encodedBody(typeUrl(ClusterSchema), body), problems: [] };
}

/** What Envoy checks beyond the rules of the fields, and what would never become ready. */
function tlsViolations({ tls }: Cluster, { hasSecret }: ClusterContext): readonly ProblemDetail[] {
  const messages: string[] = [];
  if (tls?.clientCertificate !== undefined && !hasSecret(tls.clientCertificate))
    messages.push("the proxy's own certificate cannot be used");
  if (tls?.serverName.includes("\0")) messages.push("the server name has a null byte");
  return messages.map((message) => ({ path: "transport_socket", message }));
}

function discovery({ name, endpoints }: Cluster): ClusterInit {
  if (endpoints.kind === "eds") return { clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.EDS } };
  if (endpoints.kind === "none")
    return {
      clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.STATIC },
      loadAssignment: loadAssignment(name, []),
    };
  return {
    // A client that follows an ExternalName resolves it for each connection; LOGICAL_DNS is just that. STRICT_DNS would
    // close connections whenever a name with many addresses answers with others of them.
    clusterDiscoveryType: { case: "type", value: Cluster_DiscoveryType.LOGICAL_DNS },
    dnsLookupFamily: Cluster_DnsLookupFamily.ALL,
    respectDnsTtl: true,
    loadAssignment: loadAssignment(name, [{ address: endpoints.hostname, port: endpoints.port }]),
  };
}

const sharedParts = new Map<string, Uint8Array>();

/** What clusters have in common, encoded: a cluster a Service makes many of them. */
function sharedPart({ endpoints, protocol }: Cluster): Uint8Array {
  const key = `${endpoints.kind} ${protocol}`;
  let part = sharedParts.get(key);
  if (part === undefined) {
    const settings = create(ClusterSchema, {
      ...common,
      // Weights of endpoints stand for weights of backends; by the number of requests they would be bent.
      ...(protocol === "udp" ? { lbPolicy: Cluster_LbPolicy.ROUND_ROBIN } : {}),
      ...(endpoints.kind === "eds" ? { edsClusterConfig: { edsConfig: adsConfigSource() } } : {}),
      ...(protocol === "tcp" || protocol === "udp" ? {} : { typedExtensionProtocolOptions: httpOptions(protocol) }),
    });
    part = encode(ClusterSchema, settings);
    sharedParts.set(key, part);
  }
  return part;
}

/** As good as none: Gateway API has no such limits, and Envoy's own (1,024, and 3 retries) surprise with 503s. */
const unlimited = 4_294_967_295;
const circuitBreakers: ClusterInit["circuitBreakers"] = {
  thresholds: [
    {
      maxConnections: unlimited,
      maxPendingRequests: unlimited,
      maxRequests: unlimited,
      // Retries are bounded, so that they cannot multiply the load of a backend that is down already.
      retryBudget: { budgetPercent: { value: 20 }, minRetryConcurrency: 32 },
    },
  ],
};

const common: ClusterInit = {
  lbPolicy: Cluster_LbPolicy.LEAST_REQUEST,
  // Envoy's recommendation for an edge: without it a slow peer may make it buffer a megabyte a connection.
  // https://www.envoyproxy.io/docs/envoy/latest/configuration/best_practices/edge
  perConnectionBufferLimitBytes: 32_768,
  circuitBreakers,
  // No endpoint is healthy: answer 503 instead of sending requests to those that are known to be down.
  commonLbConfig: { healthyPanicThreshold: { value: 0 } },
  // Endpoints that Kubernetes takes away are gone at once, whatever a health check of Envoy's says.
  ignoreHealthOnHostRemoval: true,
};

const httpOptions = (protocol: Cluster["protocol"]) => ({
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": packAny(
    HttpProtocolOptionsSchema,
    protocolOptions(protocol),
  ),
});

function protocolOptions(protocol: Cluster["protocol"]): Init<typeof HttpProtocolOptionsSchema> {
  const protocolConfig =
    protocol === "http2"
      ? ({ case: "http2ProtocolOptions", value: http2 } as const)
      : ({ case: "httpProtocolOptions", value: {} } as const);
  return { upstreamProtocolOptions: { case: "explicitHttpConfig", value: { protocolConfig } } };
}

/** Windows as Envoy recommends for an edge; its defaults of 256 MiB let one stream of a slow client fill the memory. */
const http2 = { initialStreamWindowSize: 65_536, initialConnectionWindowSize: 1_048_576 };
