import type { Service, ServicePort } from "@gatewright/crd-types/core/v1";
import type { EndpointSlice } from "@gatewright/crd-types/discovery/v1";
import type { Cluster } from "../../ir/index.ts";
import { type BackendProtocol, h2c, parseAppProtocol } from "./app-protocol.ts";
import { type BackendTransport, clusterName, parseBackendKey } from "./backend-key.ts";
import type { BackendTls, BackendTlsView } from "../policies/index.ts";
import { isReady } from "./readiness.ts";

/** What a Service's port comes to. By `backendKey`. */
export type BackendView =
  | {
      readonly kind: "service";
      readonly cluster: Cluster;
      readonly endpoints: EndpointsSource;
    }
  | { readonly kind: "invalid"; readonly reason: "BackendNotFound" | "UnsupportedProtocol"; readonly message: string };

/** How the endpoints of a Service's port are found in EndpointSlices. */
export type EndpointsSource = {
  /** Slices name their ports after the Service's; empty for a port without a name. */
  readonly portName: string;
  readonly protocol: "TCP" | "UDP";
  /** Where the Service states a number. */
  readonly targetPort: number | undefined;
  /** Of a Service with both families, each pod is in two slices: once is enough. */
  readonly preferredFamily: "IPv4" | "IPv6" | undefined;
};

const connectTimeoutMs = 5_000;

const invalid = (reason: "BackendNotFound" | "UnsupportedProtocol", message: string): BackendView => ({
  kind: "invalid",
  reason,
  message,
});

/** `fqdnSlices` are the Service's EndpointSlices of names instead of addresses, by name. */
export function translateBackend(
  key: string,
  service: Service | undefined,
  fqdnSlices: readonly EndpointSlice[],
  policyFor: BackendTls["policyFor"] = () => undefined,
): BackendView {
  const { service: serviceKey, port: number, transport } = parseBackendKey(key);
  if (service === undefined) return invalid("BackendNotFound", `Service ${serviceKey} does not exist`);
  const external = service.spec?.type === "ExternalName";
  const wanted = transport === "udp" ? "UDP" : "TCP";
  const port = service.spec?.ports?.find(
    (candidate) => candidate.port === number && protocolOfPort(candidate) === wanted,
  );
  if (port === undefined && !external) return unknownPort(serviceKey, service, number, wanted);
  const policy = policyOf(serviceKey, port, transport, policyFor);
  const speaks = protocolOf(port?.appProtocol, transport, policy !== undefined);
  if (speaks === undefined)
    return invalid(
      "UnsupportedProtocol",
      `port ${number} of Service ${serviceKey} states appProtocol ${port?.appProtocol}, which is not supported`,
    );
  const hostname = external ? service.spec.externalName : undefined;
  if (external && !isHostname(hostname))
    return invalid("BackendNotFound", `Service ${serviceKey} names no usable externalName`);
  const endpoints = endpointsSource(service, port, wanted);
  const dns = hostname === undefined ? fqdnEndpoint(fqdnSlices, endpoints) : { hostname, port: number };
  const cluster = clusterOf(service, clusterName(key, speaks.mark, policy !== undefined), speaks, dns);
  return policy === undefined ? { kind: "service", cluster, endpoints } : secured(cluster, endpoints, policy);
}

const policyOf = (
  service: string,
  port: ServicePort | undefined,
  transport: BackendTransport,
  policyFor: BackendTls["policyFor"],
): BackendTlsView | undefined => (isRaw(transport) ? undefined : policyFor(service, port?.name ?? ""));

const clusterOf = (
  { metadata: { namespace = "", name: service = "" } }: Service,
  name: string,
  { protocol }: BackendProtocol,
  dns: ReturnType<typeof fqdnEndpoint>,
): Cluster => ({
  name,
  origin: { kind: "Service", namespace, name: service },
  endpoints: dns === undefined ? { kind: "eds" } : { kind: "dns", ...dns },
  protocol,
  connectTimeoutMs,
});

/** Where it is not known whom to trust, nobody may be spoken to: requests are answered 503. */
const secured = (cluster: Cluster, endpoints: EndpointsSource, { tls }: BackendTlsView): BackendView => ({
  kind: "service",
  cluster: tls === undefined ? { ...cluster, endpoints: { kind: "none" } } : { ...cluster, tls },
  endpoints,
});

/** What is passed on as it is. */
const isRaw = (transport: BackendTransport): transport is "tcp" | "udp" => transport === "tcp" || transport === "udp";

function protocolOf(
  appProtocol: string | undefined,
  transport: BackendTransport,
  isTls: boolean,
): BackendProtocol | undefined {
  // What is said on a connection that is only passed on is not ours to know.
  if (isRaw(transport)) return { protocol: transport, mark: transport };
  if (transport === "reencrypt") return { protocol: "tcp", mark: "tcp" };
  const stated = parseAppProtocol(appProtocol, isTls);
  // gRPC needs HTTP/2, whether the Service says so or not.
  return stated && transport === "grpc" ? h2c : stated;
}

const protocolOfPort = ({ protocol = "TCP" }: ServicePort): string => protocol;

function unknownPort(serviceKey: string, service: Service, number: number, wanted: string): BackendView {
  const other = service.spec?.ports?.find(({ port }) => port === number);
  if (other !== undefined)
    return invalid(
      "UnsupportedProtocol",
      `port ${number} of Service ${serviceKey} is ${protocolOfPort(other)}, not ${wanted}`,
    );
  return invalid("BackendNotFound", `Service ${serviceKey} has no port ${number}`);
}

/** A DNS name or an address, as an `externalName` may be; Envoy refuses to resolve anything else. */
const isHostname = (name: string | undefined): name is string =>
  name !== undefined &&
  name.length <= 253 &&
  /^[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?(\.[a-z0-9_]([-a-z0-9_]*[a-z0-9_])?)*\.?$/i.test(name);

function endpointsSource(
  { spec }: Service,
  port: ServicePort | undefined,
  protocol: EndpointsSource["protocol"],
): EndpointsSource {
  const target = port?.targetPort ?? port?.port;
  return {
    portName: port?.name ?? "",
    protocol,
    targetPort: typeof target === "number" ? target : undefined,
    preferredFamily: spec?.ipFamilies?.length === 2 ? asFamily(spec.ipFamilies[0]) : undefined,
  };
}

const asFamily = (family: string | undefined): "IPv4" | "IPv6" | undefined =>
  family === "IPv4" || family === "IPv6" ? family : undefined;

/** EDS carries addresses only. A Service of names is resolved by Envoy; of several names, the first in the alphabet serves. */
function fqdnEndpoint(
  slices: readonly EndpointSlice[],
  { portName }: EndpointsSource,
): { readonly hostname: string; readonly port: number } | undefined {
  const found = slices.flatMap(({ endpoints = [], ports = [] }) => {
    const port = ports.find(({ name }) => (name ?? "") === portName)?.port;
    if (port === undefined) return [];
    return endpoints
      .filter(isReady)
      .flatMap(({ addresses: [hostname] }) => (isHostname(hostname) ? [{ hostname, port }] : []));
  });
  return found.toSorted((left, right) => (left.hostname < right.hostname ? -1 : 1)).at(0);
}
