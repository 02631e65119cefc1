import assert from "node:assert/strict";
import { createTranslation, type Translation } from "../../operator/src/gatewayapi/index.ts";
import type { Binding } from "../../operator/src/ir/index.ts";
import { createXdsTables, staticConfig, type XdsTables } from "../../operator/src/xds/index.ts";
import { freePort } from "./free-port.ts";
import { type RunningEnvoy, runEnvoy } from "./running-envoy.ts";
import { createWorld, placed, type World } from "./translation.ts";

export type ServedGateway = {
  readonly world: World<Translation & { readonly tables: XdsTables }>;
  readonly envoy: RunningEnvoy;
  /** Where a port of the Gateway really is. */
  readonly portOf: (port: number) => number;
  readonly stop: () => Promise<void>;
};

const gatewayKey = "infra/gw";

/** The class that the Gateway `infra/gw` of the objects is to name. */
const gatewayClass = `
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: gatewright}
spec: {controllerName: gatewright.dev/gateway-controller}
`;

/** Translates objects and runs an Envoy on what becomes of the Gateway `infra/gw`, with its `ports` on free ones of loopback unless told otherwise. */
export async function serveGateway(
  documents: readonly string[],
  ports: readonly number[],
  where: Omit<Binding, "port"> = { address: "127.0.0.1" },
): Promise<ServedGateway> {
  const bound = new Map<number, number>();
  for (const port of ports) bound.set(port, await freePort());
  const portOf = (port: number): number => bound.get(port) ?? assert.fail(`no port ${port}`);
  const world = createWorld((graph, inputs) => {
    const translation = createTranslation(graph, inputs);
    return { ...translation, tables: createXdsTables(graph, translation.ir) };
  });
  world.apply([gatewayClass, ...documents].join("\n---\n"));
  world.place(gatewayKey, {
    ...placed("127.0.0.1"),
    bind: (port) => ({ ...where, port: portOf(port) }),
  });
  assert.deepEqual(
    [...world.tables.problems.keys()].map((key) => world.tables.problems.get(key)),
    [],
  );
  const envoy = await runEnvoy(staticConfig(world.tables, gatewayKey));
  return { world, envoy, portOf, stop: envoy.stop };
}

export type ServiceOptions = {
  readonly appProtocol?: string;
  readonly protocol?: "TCP" | "UDP";
  readonly namespace?: string;
};

/** A Service whose port 80 leads to ports of loopback. */
export function serviceAt(name: string, backendPort: number, options: ServiceOptions = {}): string {
  const { appProtocol, protocol = "TCP", namespace = "infra" } = options;
  const port = JSON.stringify({ name: "main", port: 80, protocol, ...(appProtocol !== undefined && { appProtocol }) });
  return `
apiVersion: v1
kind: Service
metadata: {name: ${name}, namespace: ${namespace}}
spec: {ports: [${port}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: ${name}-1, namespace: ${namespace}, labels: {kubernetes.io/service-name: ${name}}}
addressType: IPv4
ports: [{name: main, port: ${backendPort}, protocol: ${protocol}}]
endpoints: [{addresses: [127.0.0.1], conditions: {ready: true}}]
`;
}

/** A Secret with a certificate. */
export const secretOf = (
  name: string,
  { certificate, privateKey }: { readonly certificate: string; readonly privateKey: string },
): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { namespace: "infra", name },
    type: "kubernetes.io/tls",
    stringData: { "tls.crt": certificate, "tls.key": privateKey },
  });
