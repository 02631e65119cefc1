import { isIP } from "node:net";
import type { ServiceSpec } from "@gatewright/crd-types/core/v1";
import { type Proxy, type ProxyPort, type RequestedAddress, requestKey } from "../ir/index.ts";
import { selectorLabels } from "./metadata.ts";
import { furtherName, infraName } from "./names.ts";

/** A Service must have a port, and one without Service loses its address: nothing listens here. */
const placeholder: ProxyPort = { port: 65_535, protocol: "TCP" };

/** One of the Services of a Gateway. */
export type ProxyService = {
  readonly name: string;
  readonly spec: ServiceSpec;
  /** `requestKey` of the address that it is there for, and for nothing else: the Gateway does without where the cluster refuses it. */
  readonly request?: string;
};

type ServiceType = "LoadBalancer" | "NodePort" | "ClusterIP";

/**
 * The Services of a Gateway: one that is always there and has the name of the rest, and one more for each further address, since a Service asks
 * for one. A static address inside of the cluster has one of its own, named by it: it can neither be refused nor be changed at the cost of another.
 */
export function proxyServices(proxy: Proxy): readonly ProxyService[] {
  const plan = planServices(proxy);
  const further = plan.further.map(({ what, type, request }) => ({
    name: furtherName(proxy, what),
    spec: serviceSpec(proxy, type, request.value),
    request: requestKey(request),
  }));
  return [
    { name: infraName(proxy), spec: serviceSpec(proxy, plan.type, plan.value) },
    // Who asks for the same twice has it once.
    ...new Map(further.map((service) => [service.name, service])).values(),
  ];
}

/** By the name of its Service: the address that it is there for. */
export const addressServices = (proxy: Proxy): ReadonlyMap<string, string> =>
  new Map(proxyServices(proxy).flatMap(({ name, request }) => (request === undefined ? [] : [[name, request]])));

type Plan = {
  /** Of the Service that is always there. */
  readonly type: ServiceType;
  /** The address that it asks for; empty: any. */
  readonly value: string;
  readonly further: readonly {
    readonly what: string;
    readonly type: ServiceType;
    readonly request: RequestedAddress;
  }[];
};

function planServices({ addresses, deployment }: Proxy): Plan {
  const usualType = deployment.service?.type ?? "LoadBalancer";
  // Who asks for addresses of the cluster alone is not to be seen from outside.
  const type = addresses === undefined || addresses.some(isUsual) ? usualType : "ClusterIP";
  const possible = (addresses ?? []).filter(
    ({ type: kind, value }) => kind === "IPAddress" && (value === "" || isIP(value) !== 0),
  );
  // Nodes have the addresses that they have.
  const usual = type === "NodePort" ? [] : possible.filter(isUsual);
  const inner = possible.filter((request) => !isUsual(request));
  if (type !== "LoadBalancer")
    return { type, value: "", further: furtherOf("cluster", "ClusterIP", [...usual, ...inner]) };
  // A load balancer costs: where none of any address is wanted, the first has the static one.
  const first = usual.find(({ value }) => value === "") ?? usual[0];
  return {
    type,
    value: first?.value ?? "",
    further: [
      ...furtherOf("balancer", "LoadBalancer", usual, first),
      // The load balancer's Service has an address inside of the cluster as well.
      ...furtherOf("cluster", "ClusterIP", inner),
    ],
  };
}

const isUsual = ({ routability }: RequestedAddress): boolean => routability === "";

/** Those that the Service which is always there does not serve: `served`, or else the first that asks for any. */
function furtherOf(
  what: string,
  type: ServiceType,
  requests: readonly RequestedAddress[],
  served = requests.find(({ value }) => value === ""),
): Plan["further"] {
  let count = served?.value === "" ? 1 : 0;
  return requests
    .filter((request) => request !== served)
    .map((request) => {
      const slug = request.value === "" ? `${++count}` : request.value.toLowerCase().replaceAll(/[.:]/g, "-");
      return { what: `${what}-${slug}`.replace(/-+$/, ""), type, request };
    });
}

function serviceSpec(proxy: Proxy, type: ServiceType, value: string): ServiceSpec {
  const { loadBalancerClass, externalTrafficPolicy } = proxy.deployment.service ?? {};
  const ports = proxy.ports.length === 0 ? [placeholder] : proxy.ports;
  return {
    type,
    selector: selectorLabels(proxy),
    // A proxy listens on the port that the Gateway states: see `sysctls` of the pods.
    ports: ports.map(({ port, protocol }) => ({
      name: `${protocol.toLowerCase()}-${port}`,
      port,
      targetPort: port,
      protocol,
    })),
    ...familiesOf(proxy, type, value),
    ...(type === "LoadBalancer" && loadBalancerClass !== undefined && { loadBalancerClass }),
    ...(type !== "ClusterIP" && externalTrafficPolicy !== undefined && { externalTrafficPolicy }),
    // Not `externalIPs`: those would let who may write a Gateway take traffic for addresses of others (CVE-2020-8554).
    ...(value !== "" && (type === "LoadBalancer" ? { loadBalancerIP: value } : { clusterIP: value })),
  };
}

/** Addresses of both families where the cluster has both; but a static address is of one, and load balancers refuse it beside another. */
function familiesOf(
  { deployment: { service = {} } }: Proxy,
  type: ServiceType,
  value: string,
): Pick<ServiceSpec, "ipFamilyPolicy" | "ipFamilies"> {
  const { ipFamilyPolicy, ipFamilies } = service;
  const isStated = type === "LoadBalancer" && (ipFamilyPolicy !== undefined || ipFamilies !== undefined);
  if (value !== "" && !isStated)
    return { ipFamilyPolicy: "SingleStack", ipFamilies: [isIP(value) === 6 ? "IPv6" : "IPv4"] };
  return { ipFamilyPolicy: ipFamilyPolicy ?? "PreferDualStack", ...(ipFamilies && { ipFamilies: [...ipFamilies] }) };
}
