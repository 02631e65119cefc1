// The null control plane, a program: see null.ts. Translation runs once, for a template; after that one resource is exchanged for each
// change that the API server tells of, with no thought of anything else.
import { createServer } from "node:http";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ClusterLoadAssignmentSchema } from "@gatewright/crd-types/proto/envoy/config/endpoint/v3/endpoint_pb";
import { VirtualHostSchema } from "@gatewright/crd-types/proto/envoy/config/route/v3/route_components_pb";
import { createAdsServer, type ResourceChange } from "../../../../operator/src/ads/index.ts";
import { createTranslation } from "../../../../operator/src/gatewayapi/index.ts";
import { parseUseKey } from "../../../../operator/src/ir/index.ts";
import { connectToCluster, createListWatch } from "../../../../operator/src/kubernetes/index.ts";
import { silentLogger as logger } from "../../../../operator/src/lib/index.ts";
import { createXdsTables, resourceTypes } from "../../../../operator/src/xds/index.ts";
import { createWorld, type Manifest, placed } from "../../../support/translation.ts";
import { makeCertificate } from "../../../support/certificates.ts";
import {
  endpointSlice,
  gateway,
  gatewayClass,
  gatewayName,
  hostOf,
  namespace,
  route,
  secret,
  service,
  services,
  versionHeader,
} from "../objects.ts";
import { nullPort } from "./null.ts";

const proxy = `${namespace}/${gatewayName}`;
const template = "template";

const world = createWorld((graph, inputs) => {
  const translation = createTranslation(graph, inputs);
  const tables = createXdsTables(graph, translation.ir);
  return { tables, watches: resourceTypes.map((type) => [type, tables[type].watch()] as const) };
});
const { certificate, privateKey } = makeCertificate({ dnsNames: ["secure.example.com"] });
// Of virtual hosts one by one, from the first on.
const mesh = {
  apiVersion: "config.aether.io/v1",
  kind: "MeshConfig",
  metadata: { name: "null", namespace: "gatewright-system" },
  spec: { virtualHostDiscovery: { threshold: 0 } },
};
const classObject = gatewayClass("null", "gatewright.dev/gateway-controller");
const parametersRef = {
  group: "config.aether.io",
  kind: "MeshConfig",
  name: "null",
  namespace: "gatewright-system",
};
const withParameters = { ...classObject, spec: { ...(classObject["spec"] as object), parametersRef } };
const objects: readonly Manifest[] = [
  withParameters,
  mesh,
  gateway("null"),
  secret(certificate, privateKey),
  ...services.map(service),
  ...services.map((name) => endpointSlice(name, 1)),
  route(template),
  route("b", { backend: "app-b" }),
];
world.apply(
  JSON.stringify(objects[0]) +
    objects
      .slice(1)
      .map((object) => `\n---\n${JSON.stringify(object)}`)
      .join(""),
);
world.place(proxy, placed("192.0.2.1"));

const base = world.watches.flatMap(([type, watch]): ResourceChange[] =>
  [...watch.take()].map((key) => ({ type, name: parseUseKey(key).name, resource: world.tables[type].get(key) })),
);
const find = (type: ResourceChange["type"], part: string) => {
  const found = base.find((change) => change.type === type && change.name.includes(part))?.resource;
  if (found === undefined) throw new Error(`no ${type} with ${part} in: ${base.map(({ name }) => name).join(", ")}`);
  return found;
};
const hostTemplate = find("virtualHost", hostOf(template));
let edition = 0;

type Fields = Readonly<Record<string, unknown>>;
type RouteObject = {
  readonly metadata: { readonly name: string; readonly generation?: number };
  readonly spec: Fields;
};

/** A virtual host of the template's form, with the host and the header of another route. */
function hostChange(key: string, object: RouteObject | undefined): ResourceChange {
  const host = hostOf(key.slice(key.indexOf("/") + 1));
  const name = hostTemplate.name.replace(hostOf(template), host);
  if (object === undefined) return { type: "virtualHost", name, resource: undefined };
  const message = fromBinary(VirtualHostSchema, hostTemplate.body);
  message.name = name;
  message.domains = message.domains.map((domain) => domain.replace(hostOf(template), host));
  const version = /"name":"x-version","value":"([^"]*)"/.exec(JSON.stringify(object.spec))?.[1] ?? "";
  for (const { responseHeadersToAdd } of [message, ...message.routes])
    for (const { header } of responseHeadersToAdd) if (header?.key === versionHeader) header.value = version;
  const body = toBinary(VirtualHostSchema, message);
  return { type: "virtualHost", name, resource: { ...hostTemplate, name, version: String(++edition), body } };
}

function endpointsChange(name: string, port: number): ResourceChange {
  const resource = find("endpoint", name);
  const message = create(ClusterLoadAssignmentSchema, fromBinary(ClusterLoadAssignmentSchema, resource.body));
  for (const { lbEndpoints } of message.endpoints)
    for (const { hostIdentifier } of lbEndpoints) {
      const address = hostIdentifier.case === "endpoint" ? hostIdentifier.value.address?.address : undefined;
      if (address?.case === "socketAddress") address.value.portSpecifier = { case: "portValue", value: port };
    }
  const body = toBinary(ClusterLoadAssignmentSchema, message);
  return { type: "endpoint", name: resource.name, resource: { ...resource, version: String(++edition), body } };
}

const ads = createAdsServer({ logger });
ads.publish(proxy, base);
const [kubeconfig = ""] = process.argv.slice(2);
const { api } = await connectToCluster({ kubeconfig, env: {}, logger });
/** Generations by key: what only its status differs in is no change. */
const seen = new Map<string, number | undefined>();
const routes = createListWatch({
  api,
  name: "HTTPRoute",
  path: `/apis/gateway.networking.k8s.io/v1/namespaces/${namespace}/httproutes`,
  logger,
  onEvents: (events) => {
    const changes = events.flatMap((event) => {
      const object = event.kind === "present" ? (event.object as unknown as RouteObject) : undefined;
      if (object !== undefined && seen.get(event.key) === object.metadata.generation) return [];
      seen.set(event.key, object?.metadata.generation);
      return [hostChange(event.key, object)];
    });
    if (changes.length > 0) ads.publish(proxy, changes);
  },
});
const slices = createListWatch({
  api,
  name: "EndpointSlice",
  path: `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
  logger,
  onEvents: (events) => {
    for (const event of events) {
      if (event.kind !== "present") continue;
      const { ports } = event.object as unknown as { readonly ports: readonly { readonly port: number }[] };
      const name = services.find((one) => event.key.endsWith(`${one}-1`));
      if (name !== undefined) ads.publish(proxy, [endpointsChange(name, ports[0]?.port ?? 0)]);
    }
  },
});
while (!routes.state().isListed || !slices.state().isListed) await new Promise((resolve) => setTimeout(resolve, 10));
await ads.listen(`127.0.0.1:${nullPort}`);
createServer((_, response) => response.end("ok")).listen(nullPort + 1, "127.0.0.1");
